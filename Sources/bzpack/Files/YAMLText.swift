internal import StrictJSON

/// An error for a text that was not read as YAML, or holds what JSON cannot, with its position.
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
    /// The places of the names and values in the YAML text, in the order of their offsets in the JSON text.
    fileprivate let places: [(offset: Int, mark: YAMLPlace)]
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
    /// The largest text with anchors and aliases, for these stand for more than the text is long.
    static let largestWithAliases = 1 << 20

    /// Reads the documents of a text.
    ///
    /// - Returns: The documents before the first error, and that.
    static func documents(_ bytes: [UInt8]) -> (documents: [YAMLDocument], error: YAMLError?) {
        do throws(YAMLError) {
            let lines = YAMLLines(bytes)
            guard String(validating: bytes, as: UTF8.self) != nil else {
                let message = "found bytes that are not UTF-8, expected a text in UTF-8; convert it and try again"
                let valid = String(decoding: bytes, as: UTF8.self).utf8
                let place = zip(valid, bytes).prefix { $0 == $1 }.count
                throw YAMLError(code: "utf-8", message: message, position: lines.position(ofOffset: place))
            }
            try lines.checkAliases()
            return read(bytes, lines)
        } catch {
            return ([], error)
        }
    }

    private static func read(
        _ text: [UInt8],
        _ lines: YAMLLines
    ) -> (documents: [YAMLDocument], error: YAMLError?) {
        var documents: [YAMLDocument] = []
        do {
            let nodes = try YAMLNodes(text)
            var budget = 16 * text.count + (4 << 20)
            while let root = try nodes.nextDocument() {
                var writer = YAMLWriter(nodes: nodes, lines: lines, budget: budget)
                try writer.write(root, depth: 0)
                budget = writer.budget
                documents.append(YAMLDocument(json: writer.json, places: writer.places, lines: lines))
            }
        } catch let error as YAMLError {
            return (documents, error)
        } catch let error as YAMLFault {
            return (documents, failure(error, lines))
        } catch {
            let place = TextPosition(offset: 0, line: 1, column: 1)
            return (documents, YAMLError(code: "syntax", message: "\(error)", position: place))
        }
        if documents.isEmpty {
            let place = lines.position(YAMLPlace(line: 1, column: 1))
            let message = "found no document, expected a value; write null, {} or [] for an empty one"
            return ([], YAMLError(code: "empty", message: message, position: place))
        }
        return (documents, nil)
    }

    private static func failure(_ error: YAMLFault, _ lines: YAMLLines) -> YAMLError {
        switch error {
        case .syntax(let problem, let context, let place):
            let context = context.map { " (\($0.text) in line \($0.place.line), column \($0.place.column))" } ?? ""
            let message = problem + context + ", expected YAML; correct it"
            return YAMLError(code: "syntax", message: message, position: lines.position(place))
        case .duplicateKey(let key, let place, let again):
            let key = JSONValue.string(key).text(.compact)
            let message = "found the key \(key) more than once, here and at \(again.line):\(again.column)"
            return YAMLError(
                code: "duplicate-key",
                message: message + ", expected each key once; remove one",
                position: lines.position(place)
            )
        case .aliasKey(let place):
            let message = "found an alias as a key, expected a text; write the key out"
            return YAMLError(code: "key", message: message, position: lines.position(place))
        case .character(let problem, let offset, let code):
            let code = code.map { " (U+\(String($0, radix: 16, uppercase: true)))" } ?? ""
            let place = lines.position(ofOffset: offset)
            return YAMLError(code: "syntax", message: problem + code + "; remove it", position: place)
        case .depth(let place):
            let message = "found more than \(YAMLNodes.deepest) levels, expected fewer"
            return YAMLError(code: "depth", message: message, position: lines.position(place))
        case .memory:
            let place = lines.position(YAMLPlace(line: 1, column: 1))
            return YAMLError(code: "syntax", message: "the memory does not suffice for it", position: place)
        }
    }
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

    func position(_ mark: YAMLPlace) -> TextPosition {
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

    /// Checks a text that may have anchors and aliases that refer to them.
    ///
    /// - Throws: Where such a text is too large.
    func checkAliases() throws(YAMLError) {
        guard bytes.indices.contains(where: { isMark(UInt8(ascii: "&"), at: $0) }),
            let first = bytes.indices.first(where: { isMark(UInt8(ascii: "*"), at: $0) })
        else { return }
        guard bytes.count <= YAMLText.largestWithAliases else {
            let message = "found an alias in a file of \(bytes.count) bytes, expected at most"
            throw YAMLError(
                code: "size",
                message: "\(message) \(YAMLText.largestWithAliases) where there are aliases; write the values out",
                position: position(ofOffset: first)
            )
        }
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
}

/// Writes the nodes of a document as JSON.
private struct YAMLWriter {
    let nodes: YAMLNodes
    let lines: YAMLLines
    /// The bytes and steps that may still be spent: aliases of aliases stand for more than memory holds.
    var budget: Int
    var json: [UInt8] = []
    var places: [(offset: Int, mark: YAMLPlace)] = []

    private static let deepest = 128

    init(nodes: YAMLNodes, lines: YAMLLines, budget: Int) {
        self.nodes = nodes
        self.lines = lines
        self.budget = budget
    }

    mutating func write(_ number: Int, depth: Int) throws(YAMLError) {
        let node = nodes[number]
        try enter(node, depth)
        switch node.content {
        case .scalar(let text, let isPlain):
            try append(value(text, isPlain: isPlain, node), node)
        case .sequence(let elements):
            try check(node, .seq)
            places.append((json.count, node.place))
            json.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                try write(element, depth: depth + 1)
            }
            json.append(UInt8(ascii: "]"))
        case .mapping(let pairs):
            places.append((json.count, node.place))
            json.append(UInt8(ascii: "{"))
            for (index, member) in try members(pairs, node, depth: depth).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                try append(quoted(member.name), nodes[member.key])
                json.append(UInt8(ascii: ":"))
                try write(member.value, depth: depth + 1)
            }
            json.append(UInt8(ascii: "}"))
        }
    }

    private typealias Node = YAMLNodes.Node
    private typealias Member = (name: String, key: Int, value: Int)

    /// Returns the members of a mapping, and behind them those that `<<` brings in from others.
    private mutating func members(
        _ pairs: [(key: Int, value: Int)],
        _ node: Node,
        depth: Int
    ) throws(YAMLError) -> [Member] {
        try check(node, .map)
        var members: [Member] = []
        var merged: [Member] = []
        var names: Set<String> = []
        for (number, value) in pairs {
            let key = nodes[number]
            guard case .scalar(let text, let isPlain) = key.content else {
                throw error("key", "found a list or mapping as a key, expected a text; JSON has no other keys", key)
            }
            // The tag of a plain key is !!str.
            if text == "<<", isPlain {
                var sources = [value]
                if case .sequence(let elements) = nodes[value].content { sources = elements }
                for source in sources {
                    let other = nodes[source]
                    guard case .mapping(let pairs) = other.content else {
                        let message = "found << with another value, expected a mapping or a list of mappings to merge"
                        throw error("key", message + "; quote \"<<\" where it is a name", key)
                    }
                    // Merging compares names, which takes longer than writing bytes.
                    budget -= 100
                    try enter(other, depth + 1)
                    merged += try self.members(pairs, other, depth: depth + 1)
                }
                continue
            }
            _ = try self.value(text, isPlain: isPlain, key)
            guard names.insert(text).inserted else {
                let first = members.first { $0.name == text }.map { nodes[$0.key].place }
                let place = first.map { ", first at \($0.line):\($0.column)" } ?? ""
                let message = "found the key \(quoted(text)) once more\(place), expected each key once; remove one"
                throw error("duplicate-key", message, key)
            }
            members.append((text, number, value))
        }
        for member in merged {
            budget -= 10
            if names.insert(member.name).inserted { members.append(member) }
        }
        return members
    }

    /// Returns the JSON of a scalar: of a plain one as YAML 1.2's core schema says, of any other a string.
    private func value(_ text: String, isPlain: Bool, _ node: Node) throws(YAMLError) -> String {
        let tag = node.tag
        if tag == .str || tag == .nonSpecific || tag == .implicit && !isPlain {
            return quoted(text)
        }
        let kind: YAMLTag
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
                ? "found \(shown) with the tag \(tag.short), expected a value of that kind; remove the tag"
                : "found the tag \(tag.short), expected one of JSON's: !!str, !!int, !!float, !!bool, !!null; remove it",
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

    private func check(_ node: Node, _ expected: YAMLTag) throws(YAMLError) {
        guard ![.implicit, .nonSpecific, expected].contains(node.tag) else { return }
        throw error("tag", "found the tag \(node.tag.short), expected none, or \(expected.short); remove it", node)
    }

    private mutating func append(_ text: String, _ node: Node) throws(YAMLError) {
        places.append((json.count, node.place))
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

    private func error(_ code: String, _ message: String, _ node: Node) -> YAMLError {
        YAMLError(code: code, message: message, position: lines.position(node.place))
    }
}
