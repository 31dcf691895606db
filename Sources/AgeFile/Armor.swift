/// ASCII armor: strict PEM with the label of age.
enum Armor {
    static let begin = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
    static let end = Array("-----END AGE ENCRYPTED FILE-----".utf8)
    static let columns = 64
    /// The most white space before and after.
    static let mostWhiteSpace = 1024

    static func isWhiteSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

/// Takes the armor off a source.
final class ArmorReader {
    private let input: ByteInput
    private var line = 0
    private var decoded: ArraySlice<UInt8> = []
    private var isAtLastLine = false
    private var isFinished = false

    /// - Parameter input: Stands after the white space at the beginning, at the first line.
    init(_ input: ByteInput) throws {
        self.input = input
        let first = try nextLine()
        guard first == Armor.begin else { throw fault(first, "\(quoted(Armor.begin)) on a line of its own") }
    }

    /// Fills a buffer from its start; gives 0 only at the end.
    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        while decoded.isEmpty, !isFinished { try decodeLine() }
        let count = min(decoded.count, target.count)
        target.copyBytes(from: decoded.prefix(count))
        decoded = decoded.dropFirst(count)
        return count
    }

    private func decodeLine() throws {
        let text = try nextLine()
        if text == Armor.end { return try finish() }
        let expected = isAtLastLine ? quoted(Armor.end) : "64 columns of padded base64, or \(quoted(Armor.end))"
        guard !isAtLastLine, !text.isEmpty, text.count <= Armor.columns,
            let bytes = Base64.decode(text, isPadded: true)
        else { throw fault(text, expected) }
        isAtLastLine = text.count < Armor.columns || text.last == UInt8(ascii: "=")
        decoded = bytes[...]
    }

    private func nextLine() throws -> [UInt8] {
        line += 1
        var found = try input.line(limit: 80)
        if found.bytes.last == UInt8(ascii: "\r") { found.bytes.removeLast() }
        // Only the last line of all may do without a line feed.
        guard found.isComplete || found.bytes == Armor.end else {
            guard try input.peek() == nil, !found.isComplete, found.bytes.count <= Armor.columns else {
                throw fault(found.bytes, "a line of at most 64 columns")
            }
            throw AgeError(.truncated, "found the end of the file, expected \(quoted(Armor.end))", line: line)
        }
        return found.bytes
    }

    private func finish() throws {
        isFinished = true
        var count = 0
        while let byte = try input.next() {
            count += 1
            guard Armor.isWhiteSpace(byte), count <= Armor.mostWhiteSpace else {
                let message = "found more after \(quoted(Armor.end)), expected the end of the file"
                throw AgeError(.armor, message, line: line)
            }
        }
    }

    private func fault(_ found: [UInt8], _ expected: String) -> AgeError {
        AgeError(.armor, "found \(quoted(found)), expected \(expected)", line: line)
    }
}

/// Puts armor around bytes.
struct ArmorWriter {
    private static let lineBytes = Armor.columns / 4 * 3
    private var rest: [UInt8] = []
    private var isBegun = false

    /// Returns the armored text for the next bytes.
    mutating func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = isBegun ? [] : Armor.begin + [UInt8(ascii: "\n")]
        isBegun = true
        rest += bytes
        var start = 0
        while rest.count - start >= Self.lineBytes {
            text += Base64.encode(rest[start..<start + Self.lineBytes]) + [UInt8(ascii: "\n")]
            start += Self.lineBytes
        }
        rest.removeFirst(start)
        return text
    }

    /// Returns the last of the armored text.
    mutating func finish() -> [UInt8] {
        let last = rest.isEmpty ? [] : Base64.encode(rest, isPadded: true) + [UInt8(ascii: "\n")]
        rest = []
        return last + Armor.end + [UInt8(ascii: "\n")]
    }
}
