internal import Foundation
internal import StrictJSON
internal import Yams

/// Why a text was not read as YAML, or holds what JSON cannot, and where.
struct YAMLError: Error {
    let code: String
    let message: String
    let position: TextPosition

    func diagnostic(file: String) -> Diagnostic {
        Diagnostic(code: "yaml.\(code)", message: message, file: file, position: position)
    }
}

/// A document of a YAML text, written as JSON.
struct YAMLDocument {
    /// The JSON text, without white space.
    let json: [UInt8]
    /// Where the names and values stand in the YAML text, in the order of their offsets in the JSON text.
    fileprivate let places: [(offset: Int, mark: Place)]
    fileprivate let lines: YAMLLines

    /// Returns the place in the YAML text of what begins at a place of the JSON text, or goes on there.
    func position(of position: TextPosition) -> TextPosition {
        var range = places.indices
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            range = places[middle].offset <= position.offset ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return lines.position(places[max(range.lowerBound - 1, 0)].mark)
    }
}

/// Reads YAML texts as the JSON that they stand for, by the core schema of YAML 1.2.
enum YAMLText {
    /// The largest text with anchors and aliases, for nodes that hold each other go as deep as the text is long.
    static let largestWithAliases = 1 << 20
    /// The stack for a text with aliases, enough for the deepest nodes of such a text.
    private static let stackSize = 512 << 20

    /// Reads the documents of a text.
    ///
    /// - Returns: The documents before the first error, and that.
    static func documents(_ bytes: [UInt8]) -> (documents: [YAMLDocument], error: YAMLError?) {
        do throws(YAMLError) {
            let lines = YAMLLines(bytes)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                let message = "found bytes that are not UTF-8, expected a text in UTF-8; convert it and try again"
                let valid = String(decoding: bytes, as: UTF8.self).utf8
                let place = zip(valid, bytes).prefix { $0 == $1 }.count
                throw YAMLError(code: "utf-8", message: message, position: lines.position(ofOffset: place))
            }
            guard try lines.hasAliases() else { return read(text, lines) }
            nonisolated(unsafe) var result: (documents: [YAMLDocument], error: YAMLError?) = ([], nil)
            let end = DispatchSemaphore(value: 0)
            let thread = Thread {
                result = read(text, lines)
                end.signal()
            }
            thread.stackSize = stackSize
            thread.start()
            end.wait()
            return result
        } catch {
            return ([], error)
        }
    }

    private static func read(
        _ text: String,
        _ lines: YAMLLines
    ) -> (documents: [YAMLDocument], error: YAMLError?) {
        var documents: [YAMLDocument] = []
        do {
            // Without rules: what a plain scalar means is told here, by YAML 1.2, and Yams has the rules of 1.1.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            var budget = 16 * text.utf8.count + (4 << 20)
            while let root = try parser.nextRoot() {
                var writer = YAMLWriter(lines: lines, budget: budget)
                try writer.write(root, depth: 0)
                budget = writer.budget
                documents.append(YAMLDocument(json: writer.json, places: writer.places, lines: lines))
            }
        } catch let error as YAMLError {
            return (documents, error)
        } catch let error as YamlError {
            return (documents, failure(error, lines, text))
        } catch {
            let place = TextPosition(offset: 0, line: 1, column: 1)
            return (documents, YAMLError(code: "syntax", message: "\(error)", position: place))
        }
        if documents.isEmpty {
            let place = lines.position((1, 1))
            let message = "found no document, expected a value; write null, {} or [] for an empty one"
            return ([], YAMLError(code: "empty", message: message, position: place))
        }
        return (documents, nil)
    }

    private static func failure(_ error: YamlError, _ lines: YAMLLines, _ text: String) -> YAMLError {
        func syntax(_ context: YamlError.Context?, _ problem: String, _ mark: Place) -> YAMLError {
            let context = context.map { " (\($0.text) in line \($0.mark.line), column \($0.mark.column))" } ?? ""
            let message = problem + context + ", expected YAML; correct it"
            return YAMLError(code: "syntax", message: message, position: lines.position(mark))
        }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return syntax(context, problem, mark.place)
        case .duplicatedKeysInMapping(let keys, let context):
            let message =
                "found the key \(JSONValue.string(keys.first ?? "").text(.compact)) more than once, first here"
            return YAMLError(
                code: "duplicate-key",
                message: message + ", expected each key once; remove one",
                position: lines.position(context.mark.place)
            )
        case .reader(let problem, let offset, let value, _):
            let index = text.index(text.startIndex, offsetBy: offset ?? 0, limitedBy: text.endIndex) ?? text.endIndex
            let place = lines.position(ofOffset: text.utf8.distance(from: text.startIndex, to: index))
            let code = value >= 0 ? " (U+\(String(value, radix: 16, uppercase: true)))" : ""
            return YAMLError(code: "syntax", message: problem + code + "; remove it", position: place)
        default:
            return syntax(nil, "\(error)", (1, 1))
        }
    }
}

/// A line and a column from 1, the column in code points, as Yams tells them; its own type cannot be made here.
private typealias Place = (line: Int, column: Int)

extension Mark {
    fileprivate var place: Place { (line, column) }
}

/// The lines of a YAML text, with what has to be known of it before nodes are made of it.
private struct YAMLLines {
    private let bytes: [UInt8]
    private let starts: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            // YAML also ends lines with CR, U+0085, U+2028 and U+2029.
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let isEnd =
                switch byte {
                case 0x0A: true
                case 0x0D: next != 0x0A
                case 0x85: index >= 1 && bytes[index - 1] == 0xC2
                case 0xA8, 0xA9: index >= 2 && bytes[index - 1] == 0x80 && bytes[index - 2] == 0xE2
                default: false
                }
            if isEnd { starts.append(index + 1) }
        }
        self.starts = starts
    }

    func position(_ mark: Place) -> TextPosition {
        let line = min(max(mark.line, 1), starts.count)
        var offset = starts[line - 1]
        for _ in 1..<max(mark.column, 1) where offset < bytes.count {
            repeat { offset += 1 } while offset < bytes.count && bytes[offset] & 0xC0 == 0x80
        }
        return TextPosition(offset: offset, line: mark.line, column: mark.column)
    }

    func position(ofOffset offset: Int) -> TextPosition {
        let line = (starts.firstIndex { $0 > offset } ?? starts.count) - 1
        let column = bytes[starts[line]..<offset].count { $0 & 0xC0 != 0x80 } + 1
        return TextPosition(offset: offset, line: line + 1, column: column)
    }

    /// Returns whether the text may have anchors and aliases that refer to them.
    ///
    /// Yams compares keys node by node, so an alias in a key could take time without end. Such keys are no JSON anyway.
    ///
    /// - Throws: Where such a text is too large, or an alias seems to be part of a key.
    func hasAliases() throws(YAMLError) -> Bool {
        guard bytes.indices.contains(where: { isMark(UInt8(ascii: "&"), at: $0) }),
            let first = bytes.indices.first(where: { isMark(UInt8(ascii: "*"), at: $0) })
        else { return false }
        guard bytes.count <= YAMLText.largestWithAliases else {
            let message = "found an alias in a file of \(bytes.count) bytes, expected at most"
            throw YAMLError(
                code: "size",
                message: "\(message) \(YAMLText.largestWithAliases) where there are aliases; write the values out",
                position: position(ofOffset: first)
            )
        }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            guard let place = complexKey(start..<end) else { continue }
            throw YAMLError(
                code: "key",
                message: "found a key that is an alias, or a list or mapping, in a file with aliases, expected a text"
                    + "; write the key out, or quote this text if it is no key",
                position: position(ofOffset: place)
            )
        }
        return true
    }

    /// Returns whether an anchor or alias may begin at a byte.
    private func isMark(_ sign: UInt8, at index: Int) -> Bool {
        guard bytes[index] == sign, index + 1 < bytes.count, isName(bytes[index + 1]) else { return false }
        return index == 0 || !isName(bytes[index - 1]) && bytes[index - 1] != sign
    }

    private func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// Returns where in a line a key may begin that holds an alias: `*a :`, `[*a]:`, or `?` with anything.
    private func complexKey(_ line: Range<Int>) -> Int? {
        var alias: Int?
        var isStart = true
        for index in line {
            let byte = bytes[index]
            let next = index + 1 < line.upperBound ? bytes[index + 1] : 0x0A
            if byte == UInt8(ascii: "?"), isStart { return index }
            if isMark(byte, at: index), byte == UInt8(ascii: "*") {
                alias = index
                var end = index + 1
                while end < line.upperBound, isName(bytes[end]) { end += 1 }
                if isColon(after: end, line) { return index }
            }
            if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"), let alias, isColon(after: index + 1, line) {
                return alias
            }
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","): isStart = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "-"), UInt8(ascii: ":"): isStart = isStart && next <= 0x20
            default: isStart = isStart && index < 3 && byte >= 0x80  // a byte order mark
            }
        }
        return nil
    }

    private func isColon(after index: Int, _ line: Range<Int>) -> Bool {
        var index = index
        while index < line.upperBound, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
        return index < line.upperBound && bytes[index] == UInt8(ascii: ":")
    }
}

/// Writes the nodes of a document as JSON.
private struct YAMLWriter {
    let lines: YAMLLines
    /// The bytes and steps that may still be spent: aliases of aliases stand for more than memory holds.
    var budget: Int
    var json: [UInt8] = []
    var places: [(offset: Int, mark: Place)] = []

    private static let deepest = 128

    init(lines: YAMLLines, budget: Int) {
        self.lines = lines
        self.budget = budget
    }

    mutating func write(_ node: Node, depth: Int) throws(YAMLError) {
        try enter(node, depth)
        switch node {
        case .scalar(let scalar):
            try append(value(scalar), node)
        case .sequence(let sequence):
            try check(sequence.tag, .seq, node)
            places.append((json.count, mark(node)))
            json.append(UInt8(ascii: "["))
            for (index, element) in sequence.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                try write(element, depth: depth + 1)
            }
            json.append(UInt8(ascii: "]"))
        case .mapping(let mapping):
            places.append((json.count, mark(node)))
            json.append(UInt8(ascii: "{"))
            for (index, member) in try members(mapping, node, depth: depth).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                try append(quoted(member.name), member.key)
                json.append(UInt8(ascii: ":"))
                try write(member.value, depth: depth + 1)
            }
            json.append(UInt8(ascii: "}"))
        case .alias:
            throw error("syntax", "found an alias that refers to nothing, expected a value", node)
        }
    }

    private typealias Member = (name: String, key: Node, value: Node)

    /// Returns the members of a mapping, and behind them those that `<<` brings in from others.
    private mutating func members(_ mapping: Node.Mapping, _ node: Node, depth: Int) throws(YAMLError) -> [Member] {
        try check(mapping.tag, .map, node)
        var members: [Member] = []
        var merged: [Member] = []
        var names: Set<String> = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw error("key", "found a list or mapping as a key, expected a text; JSON has no other keys", key)
            }
            // Comparing keys has made the tag of a plain one !!str.
            if scalar.string == "<<", scalar.style == .plain {
                var sources = [value]
                if case .sequence(let sequence) = value { sources = Array(sequence) }
                for source in sources {
                    guard case .mapping(let other) = source else {
                        let message = "found << with another value, expected a mapping or a list of mappings to merge"
                        throw error("key", message + "; quote \"<<\" where it is a name", key)
                    }
                    // Merging compares names, which takes longer than writing bytes.
                    budget -= 100
                    try enter(source, depth + 1)
                    merged += try self.members(other, source, depth: depth + 1)
                }
                continue
            }
            _ = try self.value(scalar)
            guard names.insert(scalar.string).inserted else {
                let name = quoted(scalar.string)
                let message = "found the key \(name) once more, expected each key once; remove one"
                throw error("duplicate-key", message, key)
            }
            members.append((scalar.string, key, value))
        }
        for member in merged {
            budget -= 10
            if names.insert(member.name).inserted { members.append(member) }
        }
        return members
    }

    /// Returns the JSON of a scalar: of a plain one as YAML 1.2's core schema says, of any other a string.
    private func value(_ scalar: Node.Scalar) throws(YAMLError) -> String {
        let text = scalar.string
        let node = Node.scalar(scalar)
        let tag = Tag.Name(rawValue: scalar.tag.description)
        if tag == .str || tag == .nonSpecific || tag == .implicit && scalar.style != .plain {
            return quoted(text)
        }
        let kind: Tag.Name
        let value: String
        switch text {
        case "", "~", "null", "Null", "NULL": (kind, value) = (.null, "null")
        case "true", "True", "TRUE": (kind, value) = (.bool, "true")
        case "false", "False", "FALSE": (kind, value) = (.bool, "false")
        default:
            if let number = try number(text, node) {
                (kind, value) = (tag == .float || number.contains { ".eE".contains($0) } ? .float : .int, number)
            } else {
                (kind, value) = (.str, quoted(text))
            }
        }
        if tag == .implicit || tag == kind { return value }
        let isKnown = [.null, .bool, .int, .float].contains(tag)
        let shown = quoted(text)
        throw error(
            "tag",
            isKnown
                ? "found \(shown) with the tag \(short(tag)), expected a value of that kind; remove the tag"
                : "found the tag \(short(tag)), expected one of JSON's: !!str, !!int, !!float, !!bool, !!null; remove it",
            node
        )
    }

    /// Returns a number in JSON's form, nil where a text is none.
    private func number(_ text: String, _ node: Node) throws(YAMLError) -> String? {
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return nil }
        let parts = /([-+]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))([eE][-+]?[0-9]+)?/
        if let match = text.wholeMatch(of: parts) {
            let whole = (match.2 ?? "").drop { $0 == "0" }
            let fraction = match.3 ?? match.4 ?? ""
            return (match.1 == "-" ? "-" : "") + (whole.isEmpty ? "0" : whole)
                + (fraction.isEmpty ? "" : "." + fraction)
                + (match.5 ?? "")
        }
        let isHex = text.wholeMatch(of: /0x[0-9a-fA-F]+/) != nil
        if isHex || text.wholeMatch(of: /0o[0-7]+/) != nil {
            if let value = UInt64(text.dropFirst(2), radix: isHex ? 16 : 8) { return String(value) }
            throw error("number", "found \(text), expected a number of at most 64 bits; write it in decimal", node)
        }
        if text.wholeMatch(of: /[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)/) != nil {
            throw error("number", "found \(text), expected a number that JSON has; quote it where it is a text", node)
        }
        return nil
    }

    private func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        return isPlain ? "\"\(text)\"" : JSONValue.string(text).text(.compact)
    }

    private func check(_ tag: Tag, _ expected: Tag.Name, _ node: Node) throws(YAMLError) {
        let name = Tag.Name(rawValue: tag.description)
        guard name != .implicit, name != .nonSpecific, name != expected else { return }
        throw error("tag", "found the tag \(short(name)), expected none, or \(short(expected)); remove it", node)
    }

    private func short(_ tag: Tag.Name) -> String {
        let standard = "tag:yaml.org,2002:"
        let name = tag.rawValue
        return name.hasPrefix(standard) ? "!!" + name.dropFirst(standard.count) : name
    }

    private mutating func append(_ text: String, _ node: Node) throws(YAMLError) {
        places.append((json.count, mark(node)))
        budget -= text.utf8.count
        json += text.utf8
    }

    /// Counts a node, and refuses it where it is too deep or one too many.
    private mutating func enter(_ node: Node, _ depth: Int) throws(YAMLError) {
        guard depth <= Self.deepest else {
            throw error("depth", "found more than \(Self.deepest) levels, expected fewer", node)
        }
        budget -= 8
        guard budget > 0 else {
            let message =
                "found aliases that stand for far more than the file holds, expected a document in proportion to it"
            throw error("size", message + "; write the values out", node)
        }
    }

    private func mark(_ node: Node) -> Place { node.mark?.place ?? (1, 1) }

    private func error(_ code: String, _ message: String, _ node: Node) -> YAMLError {
        YAMLError(code: code, message: message, position: lines.position(mark(node)))
    }
}
