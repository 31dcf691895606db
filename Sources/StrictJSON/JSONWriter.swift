/// The layout of JSON text.
public enum JSONStyle: Sendable, Hashable, CaseIterable {
    /// No white space at all.
    case compact
    /// The form for people: two spaces a level, LF, one newline at the end.
    case indented
    /// RFC 8785: no white space, members sorted, numbers as ECMAScript writes them; for digests.
    ///
    /// An integer that a double would round keeps its digits, so that different data never give the same bytes.
    case canonical
}

/// Writes JSON piece by piece to whoever takes the bytes, in memory that does not grow with the text.
///
/// ```swift
/// var writer = JSONWriter(style: .indented) { try file.write($0) }
/// writer.beginObject()
/// writer.name("tasks")
/// writer.beginArray()
/// for task in tasks { writer.value(task) }
/// writer.endArray()
/// writer.endObject()
/// try writer.finish()
/// ```
///
/// The caller keeps to JSON's grammar: values and ends where they belong, a name before each member, no name twice. In
/// the canonical style it also gives the members in order (by UTF-16 code units); `value` and `node` sort by
/// themselves.
public struct JSONWriter: ~Copyable {
    /// Takes the next bytes of the text.
    public typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private static let capacity = 1 << 18
    /// The room that is kept for quotes, commas, indentation and copies that overshoot.
    private static let slack = 4096

    let style: JSONStyle
    private let sink: Sink
    private var failure: (any Error)?
    private let chunk: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var depth = 0
    private var isFirst = true
    private var isAfterName = false

    /// Makes a writer that calls `sink` with about 256 KB at a time, and with the rest at the end.
    public init(style: JSONStyle, sink: @escaping Sink) {
        self.style = style
        self.sink = sink
        chunk = .allocate(capacity: Self.capacity + Self.slack)
    }

    deinit { chunk.deallocate() }

    /// Begins an object.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Ends an object.
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Begins an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Ends an array.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes a member's name; its value comes next.
    public mutating func name(_ name: String) {
        var name = name
        name.withUTF8 { self.name($0) }
    }

    /// Writes a string.
    public mutating func string(_ string: String) {
        separate()
        var string = string
        string.withUTF8 { quoteEscaping($0) }
    }

    /// Writes a number.
    public mutating func number(_ number: JSONNumber) {
        separate()
        var token = style == .canonical ? ECMAScriptNumber.canonical(number.token) : number.token
        token.withUTF8 { copy($0) }
    }

    /// Writes an integer.
    public mutating func number(_ number: Int) {
        guard (0...9).contains(number) else { return self.number(JSONNumber(number)) }
        separate()
        byte(UInt8(ascii: "0") &+ UInt8(number))
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ bool: Bool) { literal(bool ? "true" : "false") }

    /// Writes `null`.
    public mutating func null() { literal("null") }

    /// Writes what is left.
    ///
    /// - Throws: What the sink threw first; nothing was given to it after that.
    public mutating func finish() throws {
        if style == .indented { byte(UInt8(ascii: "\n")) }
        flush()
        if let failure { throw failure }
    }

    // MARK: Pieces

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        chunk[count] = byte
        count &+= 1
    }

    /// Writes what stands between the value before and the next one.
    @inline(__always)
    mutating func separate() {
        if count >= Self.capacity { flush() }
        if isAfterName {
            isAfterName = false
            return
        }
        if !isFirst { byte(UInt8(ascii: ",")) }
        isFirst = false
        if style == .indented, depth > 0 { newline() }
    }

    private mutating func newline() {
        byte(UInt8(ascii: "\n"))
        var spaces = depth &* 2
        // Words are written whole, into the slack; what comes next overwrites what is too much.
        while spaces > 0 {
            if count >= Self.capacity { flush() }
            UnsafeMutableRawPointer(chunk + count).storeBytes(
                of: SIMD16(repeating: UInt8(ascii: " ")),
                as: SIMD16<UInt8>.self
            )
            count &+= min(spaces, 16)
            spaces &-= 16
        }
    }

    @inline(__always)
    private mutating func begin(_ bracket: UInt8) {
        separate()
        byte(bracket)
        depth &+= 1
        isFirst = true
    }

    @inline(__always)
    private mutating func end(_ bracket: UInt8) {
        depth &-= 1
        if count >= Self.capacity { flush() }
        if !isFirst, style == .indented { newline() }
        byte(bracket)
        isFirst = false
    }

    /// Writes a name of a document's, of which the table knows whether it needs an escape.
    @inline(__always)
    mutating func name(_ symbol: Int, of names: borrowing NameTable) {
        let name = names.bytes(symbol)
        guard names.isPlain(symbol) else { return self.name(name) }
        separate()
        byte(UInt8(ascii: "\""))
        copy(name, slack: NameTable.slack)
        byte(UInt8(ascii: "\""))
        endName()
    }

    private mutating func name(_ name: UnsafeBufferPointer<UInt8>) {
        separate()
        quoteEscaping(name)
        endName()
    }

    @inline(__always)
    mutating func endName() {
        byte(UInt8(ascii: ":"))
        if style == .indented { byte(UInt8(ascii: " ")) }
        isAfterName = true
    }

    mutating func literal(_ text: StaticString) {
        separate()
        (chunk + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        count &+= text.utf8CodeUnitCount
    }

    /// Writes bytes as they are.
    ///
    /// - Parameter slack: How many bytes can be read behind them: with 16, whole words are copied, which saves a call.
    @inline(__always)
    mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>, slack: Int = 0) {
        guard let source = bytes.baseAddress else { return }
        guard bytes.count <= 2048 else { return copyLong(bytes) }
        let target = UnsafeMutableRawPointer(chunk + count)
        if bytes.count <= 48, slack >= 16 {
            var index = 0
            repeat {
                let word = UnsafeRawPointer(source).loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                target.storeBytes(of: word, toByteOffset: index, as: SIMD16<UInt8>.self)
                index &+= 16
            } while index < bytes.count
        } else {
            target.copyMemory(from: source, byteCount: bytes.count)
        }
        count &+= bytes.count
    }

    private mutating func copyLong(_ bytes: UnsafeBufferPointer<UInt8>) {
        flush()
        give(UnsafeRawBufferPointer(bytes))
    }

    /// Writes a string with the escapes that JSON demands, and no others.
    mutating func quoteEscaping(_ bytes: UnsafeBufferPointer<UInt8>) {
        byte(UInt8(ascii: "\""))
        var start = 0
        while let index = Self.firstEscaped(bytes, from: start) {
            copy(UnsafeBufferPointer(rebasing: bytes[start..<index]))
            escape(bytes[index])
            start = index + 1
            if count >= Self.capacity { flush() }
        }
        copy(UnsafeBufferPointer(rebasing: bytes[start...]))
        byte(UInt8(ascii: "\""))
    }

    /// Returns the next byte that has to be escaped, found eight bytes at a time.
    private static func firstEscaped(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var index = start
        while index &+ 8 <= bytes.count {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            let ones: UInt64 = 0x0101_0101_0101_0101
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let found =
                (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word
            // Borrows run upwards, so that only the lowest mark is to be trusted.
            let marks = found.littleEndian & 0x8080_8080_8080_8080
            if marks != 0 { return index + marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            index &+= 1
        }
        return nil
    }

    private mutating func escape(_ byte: UInt8) {
        self.byte(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: self.byte(UInt8(ascii: "b"))
        case 0x09: self.byte(UInt8(ascii: "t"))
        case 0x0A: self.byte(UInt8(ascii: "n"))
        case 0x0C: self.byte(UInt8(ascii: "f"))
        case 0x0D: self.byte(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.byte(byte)
        default:
            for digit in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), hex(byte >> 4), hex(byte & 15)] {
                self.byte(digit)
            }
        }
    }

    private func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
    }

    private mutating func flush() {
        give(UnsafeRawBufferPointer(start: chunk, count: count))
        count = 0
    }

    /// Hands on what is written so far and begins another text, on the outermost level.
    package mutating func beginNextText() {
        flush()
        depth = 0
        isFirst = true
        isAfterName = false
    }

    private mutating func give(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, !bytes.isEmpty else { return }
        do { try sink(bytes) } catch { failure = error }
    }
}
