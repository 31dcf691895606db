/// The frames of Zstandard data, walked without expanding them (RFC 8878, section 3.1).
///
/// A frame says how much memory it takes to expand it, up to terabytes; the library takes up to 128 MiB for any that asks.
enum ZstdFrames {
    /// The most memory that a frame may ask for, which is what the RFC asks each reader to have.
    static let mostWindow = 8 << 20

    /// Checks how much memory the frames ask for.
    ///
    /// What is no frame ends the walk: the library says what is wrong with it.
    ///
    /// - Parameter isFirstOnly: Whether only the first frame counts, as no other is read.
    /// - Throws: `corrupted` for a frame that asks for more than ``mostWindow``, or what reading throws.
    static func check(_ source: ByteSource, isFirstOnly: Bool) throws(ArchiveError) {
        var bytes = Window(source)
        var at = 0
        while at < source.size {
            guard let magic = try bytes.number(at, 4) else { return }
            if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
                guard let length = try bytes.number(at + 4, 4) else { return }
                at += 8 + length
                continue
            }
            guard magic == 0xFD2F_B528, let descriptor = try bytes.number(at + 4, 1) else { return }
            let isSingle = descriptor & 0x20 != 0
            let contentBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]
            let nameBytes = [0, 1, 2, 4][descriptor & 3]
            let sizeAt = at + 5 + (isSingle ? 0 : 1) + nameBytes
            guard let window = try isSingle ? bytes.number(sizeAt, contentBytes) : bytes.window(at + 5) else { return }
            guard window <= mostWindow else {
                let message = "a frame needs \(window) bytes of memory, expected at most \(mostWindow)"
                throw ArchiveError(.corrupted, message, file: source.name)
            }
            if isFirstOnly { return }
            at = sizeAt + contentBytes
            while true {
                guard let block = try bytes.number(at, 3) else { return }
                at += 3 + (block & 6 == 2 ? 1 : block >> 3)
                if block & 1 != 0 { break }
            }
            if descriptor & 4 != 0 { at += 4 }
        }
    }

    /// A few bytes of a source at a time.
    private struct Window {
        let source: ByteSource
        private var start = 0
        private var bytes: [UInt8] = []

        init(_ source: ByteSource) { self.source = source }

        /// A little-endian number; nil where the source ends before, or the number is larger than any file.
        mutating func number(_ at: Int, _ count: Int) throws(ArchiveError) -> Int? {
            if at < start || at + count > start + bytes.count {
                (start, bytes) = (at, try source.bytes(at: at, count: 4096))
            }
            guard at + count <= start + bytes.count else { return nil }
            var number: UInt64 = 0
            for index in (0..<count).reversed() { number = number << 8 | UInt64(bytes[at - start + index]) }
            return Int(exactly: number) ?? .max
        }

        /// The size that a window descriptor stands for.
        mutating func window(_ at: Int) throws(ArchiveError) -> Int? {
            guard let byte = try number(at, 1) else { return nil }
            let base = 1 << (10 + byte >> 3)
            return base + base / 8 * (byte & 7)
        }
    }
}
