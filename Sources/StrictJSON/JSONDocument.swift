/// A JSON text that has been checked and indexed, without its values having been built.
///
/// The document keeps the bytes and a *tape* of one 8-byte word per token, so a file of 100 MB with 7 million tokens
/// takes 160 MB. Strings are unescaped and numbers converted only when somebody asks. What is accepted is RFC 8259 in
/// UTF-8, without duplicate names, unpaired surrogates and numbers beyond a double; see ``JSONParseOptions``.
///
/// ```swift
/// let document = try JSONDocument(parsing: bytes)
/// print(document.root["session"]?["name"]?.string ?? "no name")
/// ```
public final class JSONDocument: Sendable {
    /// The text.
    public let bytes: [UInt8]
    /// True if the text begins with a byte order mark, which is accepted and left alone.
    public let hasByteOrderMark: Bool
    /// True if objects may hold a name several times.
    package let allowsDuplicateNames: Bool
    /// The number of the first line in positions; the text may be one line of a file.
    private let firstLine: Int
    package let tape: Tape
    package let names: NameTable

    /// Reads a JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The whole text; UTF-8.
    ///   - options: Limits and leniencies.
    /// - Throws: The first error, with its place.
    public init(parsing bytes: [UInt8], options: JSONParseOptions = JSONParseOptions()) throws(JSONError) {
        var parser = TapeParser(options: options, capacity: bytes.count / 10)
        hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let start = hasByteOrderMark ? 3 : 0
        let failure = bytes.withUnsafeBufferPointer { parser.parseDocument($0, from: start) }
        if let failure {
            throw JSONError(failure, in: bytes, pointer: parser.failurePointer(failure), line: options.line)
        }
        parser.tape.shrink()
        self.bytes = bytes
        allowsDuplicateNames = options.allowsDuplicateNames
        firstLine = options.line ?? 1
        tape = parser.tape
        names = parser.names
    }

    /// Reads a JSON text from a string.
    ///
    /// - Throws: The first error, with its place.
    public convenience init(parsing text: String, options: JSONParseOptions = JSONParseOptions()) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), options: options)
    }

    /// The outermost value.
    public var root: JSONNode { JSONNode(document: self, index: 0) }

    /// Returns the positions of several bytes, found in one pass over the text.
    package func positions(ofOffsets offsets: [Int]) -> [TextPosition] {
        bytes.withUnsafeBufferPointer { text in
            var counter = PositionCounter(line: firstLine)
            var positions = [Int: TextPosition]()
            for offset in Set(offsets).sorted() { positions[offset] = counter.advance(to: offset, in: text) }
            return offsets.compactMap { positions[$0] }
        }
    }
}

extension TapeParser {
    /// Parses a whole text.
    ///
    /// - Parameter depth: The number of containers that will be around it.
    mutating func parseDocument(
        _ text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        depth: Int = 0
    ) -> ParseFailure? {
        do throws(ParseFailure) {
            try checkStart(text, from: start)
            let end = try parseValue(text, from: start, depth: depth)
            try checkEnd(text, from: end)
            return nil
        } catch {
            return error
        }
    }

    /// Refuses what is no JSON in UTF-8 from its first bytes on.
    func checkStart(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(ParseFailure) {
        guard text.count <= options.byteLimit else { throw .tooLarge(at: 0, limit: options.byteLimit) }
        try checkHead(text, from: start)
        guard text.dropFirst(start).contains(where: { !isSpace($0) }) else {
            throw .empty(at: text.count, isWithoutBytes: text.count == start)
        }
    }

    /// Refuses other encodings by their first bytes.
    func checkHead(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(ParseFailure) {
        // Nothing is allocated for what begins as a JSON text does.
        let isOfBytes = text.count >= start + 4 && !text[start..<start + 4].contains { $0 == 0 || $0 >= 0x80 }
        if isOfBytes { return }
        guard let name = foreignEncoding(of: Array(text.dropFirst(start).prefix(8))) else { return }
        throw ParseFailure(.encoding, at: 0, "the file is \(name), expected UTF-8; convert it and try again")
    }

    /// Refuses anything but white space.
    func checkEnd(_ text: UnsafeBufferPointer<UInt8>, from end: Int) throws(ParseFailure) {
        guard let base = text.baseAddress else { return }
        guard let rest = text[end...].firstIndex(where: { !isSpace($0) }) else { return }
        let place = Text(base: base, end: base + text.count)
        let message = "found \(place.found(base + rest)) after the end of the document, expected nothing"
        throw place.orNULs(ParseFailure(.trailing, at: rest, message), base + rest)
    }
}

/// Returns the name of an encoding other than UTF-8 that a text begins in; nil if there is none.
///
/// The byte order mark tells it, else the zero bytes of the first character, which is ASCII in JSON.
///
/// - Parameter head: The first eight bytes, or as many as there are.
package func foreignEncoding(of head: [UInt8]) -> String? {
    if head.starts(with: [0xFF, 0xFE, 0, 0]) || head.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    switch head.prefix(4).map({ $0 == 0 }) {
    case [true, true, true, false]: return "UTF-32"
    case [false, true, true, true]:
        // One byte and then nothing but NUL is a file that was not written completely.
        return head.count > 4 && head.dropFirst(4).allSatisfy { $0 == 0 } ? nil : "UTF-32"
    case [false, true, true]: return nil
    case let zeros where zeros.count > 1 && zeros[0] != zeros[1]: return "UTF-16"
    default: return nil
    }
}

/// Tells whether a byte is JSON white space.
@inline(__always)
func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

extension JSONError {
    /// Makes the error of a failure, with its place in the text.
    ///
    /// - Parameter line: The number of the line that the text is of its file; nil where it is the whole file.
    init(_ failure: ParseFailure, in bytes: [UInt8], pointer: [String], line: Int? = nil) {
        var failure = failure
        if line != nil, failure.code == .truncated {
            failure.message = "the line ends inside a value: it was cut off, or the value goes on in the next line"
        }
        let position = bytes.withUnsafeBufferPointer { text in
            var counter = PositionCounter(line: line ?? 1)
            let offsets = [failure.related, failure.offset].compactMap(\.self)
            return offsets.map { counter.advance(to: $0, in: text) }
        }
        self.init(failure, pointer: pointer, related: position.first, at: position.last)
    }

    init(_ failure: ParseFailure, pointer: [String], related: TextPosition?, at position: TextPosition?) {
        code = failure.code
        self.pointer = JSONPointer(tokens: pointer)
        self.position = position ?? TextPosition(offset: failure.offset, line: 1, column: 1)
        let place = related.map { "\($0.line):\($0.column)" } ?? ""
        message = failure.related == nil ? failure.message : failure.message.replacingFirst("%@", with: place)
    }
}

extension String {
    fileprivate func replacingFirst(_ mark: String, with text: String) -> String {
        guard let range = lastRange(of: mark) else { return self }
        return self[..<range.lowerBound] + text + self[range.upperBound...]
    }

    /// Returns the last range of a mark: names quoted in the message come before it.
    private func lastRange(of mark: String) -> Range<String.Index>? {
        indices.reversed().first { self[$0...].hasPrefix(mark) }
            .map { $0..<index($0, offsetBy: mark.count) }
    }
}
