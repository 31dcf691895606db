internal import CommandSupport
internal import Interchange
internal import StrictJSON

/// The format of a time log's file, told by its content.
enum LogFormat: Sendable, Hashable {
    /// JSON of any app.
    case json
    /// A format that is read piece by piece.
    case text(InterchangeFormat)

    /// Tells the format of a source by its first bytes; the source is at its beginning again then.
    ///
    /// What is none of them but looks like a table is left to the reader of foreign tables, anything else to JSON's, which
    /// say best what is wrong with it.
    static func detect(_ source: JSONByteSource) throws -> LogFormat {
        let head = try head(of: source)
        if let format = InterchangeFormat.detect(head) { return .text(format) }
        return isTable(head) ? .text(.clockify) : .json
    }

    /// Tells which of the formats that are read piece by piece a source is; nil where it is none that is known.
    static func known(_ source: JSONByteSource) throws -> InterchangeFormat? {
        InterchangeFormat.detect(try head(of: source))
    }

    private static func head(of source: JSONByteSource) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        var count = 0
        while count < buffer.count {
            let more = try source.read(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            guard more > 0 else { break }
            count += more
        }
        try source.rewind()
        return Array(buffer[..<count])
    }

    /// Tells whether the first line begins with a word and has a delimiter.
    private static func isTable(_ head: [UInt8]) -> Bool {
        if head.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { return true }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            let first = head.dropFirst(2).first { $0 != 0 && $0 != 0x20 && !(0x09...0x0D).contains($0) }
            return first != UInt8(ascii: "{") && first != UInt8(ascii: "[")
        }
        let text = String(decoding: head.prefix(4096), as: UTF8.self)
        let line = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }.prefix { !$0.isNewline }
        guard let first = line.first, first.isLetter || first == "\"" else { return false }
        return line.contains { $0 == "," || $0 == ";" || $0 == "\t" }
    }
}

/// A file of JSON, which is read whole.
struct LogText {
    /// The file as the person named it.
    let name: String
    let bytes: [UInt8]

    /// Makes a text that the program made.
    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// - Parameter input: The file.
    init(_ input: InputSource) throws {
        name = input.name
        bytes = try input.bytes()
    }
}

extension InputSource {
    /// Opens a file of a time log, which may lie in an archive; in that of Apple Health, it is the export that counts.
    convenience init(log path: String) throws {
        try self.init(expanding: path) { InterchangeFormat.detect($0) == .appleHealth }
    }

    /// Takes a file of a time log that was read whole.
    convenience init(log input: InputFile) throws {
        try self.init(expanding: input) { InterchangeFormat.detect($0) == .appleHealth }
    }
}
