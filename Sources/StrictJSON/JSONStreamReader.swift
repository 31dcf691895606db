/// Reads a JSON text in pieces, in memory that depends on its largest values and not on its length.
///
/// The outer containers are taken apart by the caller; what is in them is parsed a value at a time onto a tape that the
/// next value overwrites. The rules are those of ``JSONDocument``.
package struct JSONStreamReader: ~Copyable {
    private let source: JSONByteSource
    private var parser: TapeParser
    /// The bytes at hand: `start` is the next to be read, `end` is behind the last.
    private var buffer: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    /// The offset in the text of the buffer's first byte.
    package private(set) var bufferOffset = 0
    /// The containers that are open.
    private var containers: [Container] = []

    private struct Container {
        var isObject: Bool
        var count = 0
        /// The names so far, with the offset of each.
        var names: [Int: Int] = [:]
        var name = -1
    }

    /// Makes a reader at the beginning of a text.
    ///
    /// - Parameter capacity: The size in bytes of the first buffer, which grows if a value needs more.
    package init(
        _ source: JSONByteSource,
        options: JSONParseOptions = JSONParseOptions(),
        capacity: Int = 1 << 19
    ) throws {
        self.source = source
        self.capacity = max(capacity, 16)
        buffer = .allocate(capacity: self.capacity)
        parser = TapeParser(options: options, capacity: 1 << 12)
        while end < 16, !isAtEnd { try fill() }
        let hasByteOrderMark = end >= 3 && buffer[0] == 0xEF && buffer[1] == 0xBB && buffer[2] == 0xBF
        start = hasByteOrderMark ? 3 : 0
        do throws(ParseFailure) { try parser.checkHead(window, from: start) } catch { throw try located(error) }
        guard try peek() != nil else {
            let isWithoutBytes = bufferOffset + end == (hasByteOrderMark ? 3 : 0)
            throw try located(.empty(at: end, isWithoutBytes: isWithoutBytes))
        }
    }

    deinit { buffer.deallocate() }

    /// The tape of the value read last.
    package var words: UnsafeMutablePointer<UInt64> { parser.tape.words }
    /// The bytes that its offsets count from.
    package var text: UnsafePointer<UInt8> { UnsafePointer(buffer) }
    /// The names met so far.
    package var names: NameTable {
        _read { yield parser.names }
    }
    /// The words of the value read last with the bytes at hand; good until more is read.
    package var value: TapeText { TapeText(words: words, text: window, names: parser.names.view) }
    /// The offset in the text of the next byte to be read.
    package var offset: Int { bufferOffset + start }

    /// The bytes at hand, from ``text`` on.
    private var window: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: buffer, count: end) }

    // MARK: Reading

    /// Returns the first byte behind any white space, without reading past it; nil at the end of the text.
    package mutating func peek() throws -> UInt8? {
        while true {
            while start < end, isSpace(buffer[start]) { start += 1 }
            if start < end { return buffer[start] }
            if isAtEnd { return nil }
            try fill()
        }
    }

    /// Enters the object or array that comes next.
    package mutating func open() throws {
        let isObject = try peek() == UInt8(ascii: "{")
        guard containers.count < parser.options.depthLimit else {
            throw try located(.tooDeep(at: start, limit: parser.options.depthLimit))
        }
        start += 1
        containers.append(Container(isObject: isObject))
    }

    /// Goes to the next member or element of the container that is open, or leaves it.
    ///
    /// - Returns: The member's name and its offset in the text (-1 for an element), or nil where the container has ended.
    package mutating func next() throws -> (name: Int, offset: Int)? {
        guard let container = containers.last else { return nil }
        // From here on the place is that of the next element, or between two members.
        containers[containers.count - 1].count += 1
        containers[containers.count - 1].name = -1
        let closing = container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        var byte = try required()
        if byte == closing {
            start += 1
            containers.removeLast()
            return nil
        }
        if container.count > 0 {
            guard byte == UInt8(ascii: ",") else {
                // A word that goes on, as in 0x10, is still of the value before.
                if bytes.isWithinWord(UnsafePointer(buffer) + start) { containers[containers.count - 1] = container }
                throw try unexpected(container.isObject ? "',' or '}'" : "',' or ']'")
            }
            start += 1
            byte = try required()
            if !container.isObject, byte == closing { throw try unexpected("a value") }
        }
        return container.isObject ? try readName(byte, isFirst: container.count == 0) : (-1, offset)
    }

    private mutating func readName(_ byte: UInt8, isFirst: Bool) throws -> (name: Int, offset: Int) {
        guard byte == UInt8(ascii: "\"") else {
            throw try unexpected(isFirst ? "a member name in double quotes or '}'" : "a member name in double quotes")
        }
        let at = offset
        try readValue()
        let word = TapeWord(bits: words[0])
        let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
        let name =
            word.tag == .string
            ? parser.names.intern(raw) : unescaped(raw).withUnsafeBufferPointer { parser.names.intern($0) }
        containers[containers.count - 1].name = name
        if let first = containers[containers.count - 1].names.updateValue(at, forKey: name),
            !parser.options.allowsDuplicateNames
        {
            let (at, first) = (at - bufferOffset, first - bufferOffset)
            throw try located(.duplicate(parser.names.string(name), at: at, first: first))
        }
        guard try required() == UInt8(ascii: ":") else { throw try unexpected("':'") }
        start += 1
        return (name, at)
    }

    /// Parses the value that comes next onto the tape.
    package mutating func readValue() throws {
        while true {
            do throws(ParseFailure) {
                let behind = try parser.parseValue(window, from: start, depth: containers.count)
                // A number that goes up to the end of the buffer may go on behind it.
                if behind < end || isAtEnd {
                    start = behind
                    return
                }
            } catch {
                guard mayChange(error) else { throw try located(error, path: parser.failurePointer(error)) }
            }
            // Twice as much each time: a value is parsed again from its start, however small the pieces are.
            try fill(to: max(2 * (end - start), end - start + 1))
        }
    }

    /// Tells whether more of the text could remove or change a failure.
    private func mayChange(_ failure: ParseFailure) -> Bool {
        if isAtEnd || failure.code == .nulFilled { return false }
        // No message looks further than at what is shown of `-Infinity` or an invalid character.
        if failure.code == .truncated || end - failure.offset < 16 { return true }
        // The exponent that makes a long number small may be still to come.
        return failure.code == .numberRange
            && window[failure.offset...].allSatisfy { "+-.0123456789Ee".utf8.contains($0) }
    }

    /// Checks that nothing but white space follows.
    package mutating func finish() throws {
        guard try peek() != nil else { return }
        try fill(to: 16)
        do throws(ParseFailure) { try parser.checkEnd(window, from: start) } catch { throw try located(error) }
    }

    private mutating func required() throws -> UInt8 {
        if let byte = try peek() { return byte }
        throw try located(.truncated(at: end))
    }

    // MARK: The buffer

    /// Gets more bytes until that many are at hand, or all that there are.
    private mutating func fill(to count: Int) throws {
        while end - start < count, !isAtEnd { try fill() }
    }

    /// Gets more bytes; what is still to be read moves to the front, and gets more room where it fills the buffer.
    private mutating func fill() throws {
        let rest = end - start
        if rest > capacity / 2 {
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
            larger.update(from: buffer + start, count: rest)
            buffer.deallocate()
            buffer = larger
            capacity *= 2
        } else if start > 0 {
            buffer.update(from: buffer + start, count: rest)
        }
        bufferOffset += start
        (start, end) = (0, rest)
        let count = try source.read(UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end))
        end += count
        isAtEnd = count == 0
        try checkSize(bufferOffset + end)
    }

    private func checkSize(_ count: Int) throws {
        let limit = parser.options.byteLimit
        guard count > limit else { return }
        let failure = ParseFailure.tooLarge(at: 0, limit: limit)
        throw JSONError(failure, pointer: [], related: nil, at: nil)
    }

    // MARK: Places

    /// The reference tokens of the value that comes next or was read last.
    package var path: [String] {
        containers.compactMap {
            if !$0.isObject { return String(max(0, $0.count - 1)) }
            return $0.name < 0 ? nil : parser.names.string($0.name)
        }
    }

    /// Returns the positions of bytes, by their offsets in the text.
    ///
    /// It reads the text once more, so it is called last.
    package func positions(ofOffsets offsets: [Int]) throws -> [TextPosition] {
        try source.positions(ofOffsets: offsets)
    }

    /// The bytes at hand as a parser reads them.
    private var bytes: TapeParser.Text {
        TapeParser.Text(base: UnsafePointer(buffer), end: UnsafePointer(buffer) + end)
    }

    private mutating func unexpected(_ expected: String) throws -> JSONError {
        try fill(to: 16)
        return try located(bytes.unexpected(UnsafePointer(buffer) + start, expected: expected))
    }

    /// Returns the error for a failure; nothing can be read after it.
    private mutating func located(_ failure: ParseFailure, path inner: [String] = []) throws -> JSONError {
        var failure = try resolved(failure)
        failure.offset += bufferOffset
        failure.related = failure.related.map { $0 + bufferOffset }
        let positions = try positions(ofOffsets: [failure.offset] + [failure.related].compactMap(\.self))
        return JSONError(
            failure,
            pointer: path + inner,
            related: failure.related == nil ? nil : positions.last,
            at: positions.first
        )
    }

    /// Finds out whether NUL bytes at the end of the buffer reach the end of the text, without keeping them.
    private mutating func resolved(_ failure: ParseFailure) throws -> ParseFailure {
        guard let otherwise = failure.unlessNUL else { return failure }
        let plain = ParseFailure(otherwise.code, at: failure.offset, otherwise.message)
        var count = end - failure.offset
        while !isAtEnd {
            let piece = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
            let read = try source.read(piece)
            guard piece.prefix(read).allSatisfy({ $0 == 0 }) else { return plain }
            count += read
            try checkSize(bufferOffset + failure.offset + count)
            isAtEnd = read == 0
        }
        return plain.becauseOfNULs(count)
    }
}
