/// Numbers in the fields of a zip, which are little-endian; reading beyond the end gives nil.
struct LittleEndianFields {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { self.bytes = ArraySlice(bytes) }

    /// The number of bytes.
    var count: Int { bytes.count }

    func slice(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard start >= 0, count >= 0, start <= bytes.count, count <= bytes.count - start else { return nil }
        return bytes[bytes.startIndex + start..<bytes.startIndex + start + count]
    }

    private func number(_ start: Int, _ count: Int) -> UInt64? {
        slice(start, count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func word16(_ start: Int) -> Int? { number(start, 2).map { Int($0) } }
    func word32(_ start: Int) -> Int? { number(start, 4).map { Int($0) } }
    /// Returns the 64-bit number at an offset; nil also where the number is beyond `Int`.
    func word64(_ start: Int) -> Int? { number(start, 8).flatMap { Int(exactly: $0) } }
}
