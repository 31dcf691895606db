/// Finds the memory that expanding a compressed file takes, and refuses what takes too much.
///
/// xz and Zstandard keep a window of what they expanded last, and each file says how large: up to 4 GiB, which the
/// library would set aside. The headers tell the size. They are found by the lengths of the blocks before them, so
/// nothing has to be expanded. The gate is strict: data that it cannot follow do not reach the library.
struct DecoderMemory {
    /// True if the data must have content; the library takes data that are damaged from their start on for empty ones.
    private(set) var hasContent = false
    private var hasChecksum = false
    private let compression: ArchiveContainer.Compression
    private let limit: Int
    private var input: ForwardBytes

    /// Checks all of a compressed file.
    ///
    /// - Parameter isBeginningOnly: Whether only the first frame of Zstandard data counts, as no other is read.
    /// - Throws: `archive.window`; `archive.truncated`, `archive.corrupted` and `archive.trailing` for damage.
    init(
        checking source: ByteSource,
        _ compression: ArchiveContainer.Compression,
        limits: ArchiveLimits,
        isBeginningOnly: Bool = false
    ) throws(ArchiveError) {
        self.compression = compression
        limit = limits.windowBytes
        input = ForwardBytes(source)
        switch compression {
        case .none: break
        case .gzip: try gzipHeader()  // Its window is of 32 KB, and its check sum tells whether it is empty.
        case .bzip2: hasContent = try input.take(10)[4...] != Self.emptyEnd  // Its blocks are of 900 KB.
        case .xz: try xz()
        case .zstd: try zstd(isBeginningOnly: isBeginningOnly)
        }
    }

    private func damaged(_ what: String) -> ArchiveError {
        ArchiveError(.corrupted, "\(what) of the \(compression) data is damaged; get an undamaged copy")
    }

    private func trailing(_ start: Int) -> ArchiveError {
        let count = input.source.size - start
        return ArchiveError(.trailing, "\(byteCount(count)) too many behind the compressed data; cut them off")
    }

    private func checkWindow(_ size: UInt64) throws(ArchiveError) {
        guard size > UInt64(max(0, limit)) else { return }
        let message =
            "expanding the \(compression) data takes a window of \(size) bytes, and the limit is \(limit);"
            + " compress the content again with the usual settings"
        throw ArchiveError(.window, message)
    }
}

// gzip: RFC 1952.
extension DecoderMemory {
    /// The bytes that follow the header of bzip2 data without a block.
    private static let emptyEnd: ArraySlice<UInt8> = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]
    /// The longest name or comment in a header; the library would look for its end all through the file.
    private static let longestText = 1 << 16

    /// Checks the first header, which the library passes over in silence where it does not understand it.
    private mutating func gzipHeader() throws(ArchiveError) {
        let head = try input.take(10)
        let flags = head[3]
        guard head[2] == 8, flags & 0xE0 == 0 else { throw damaged("the header") }
        if flags & 0x04 != 0 { try input.skip(try input.number(bytes: 2)) }
        for flag in [0x08, 0x10] as [UInt8] where flags & flag != 0 {
            var length = 0
            while try input.byte() != 0 {
                length += 1
                guard length <= Self.longestText else { throw damaged("the header") }
            }
        }
    }
}

// Zstandard: RFC 8878, section 3.1.
extension DecoderMemory {
    private mutating func zstd(isBeginningOnly: Bool) throws(ArchiveError) {
        while !(try input.isAtEnd()) {
            let start = input.position
            let magic = ForwardBytes.number(try input.takeUpTo(4))
            if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
                try input.skip(try input.number(bytes: 4))
            } else if magic == 0xFD2F_B528 {
                try zstdFrameHeader()
                if isBeginningOnly { return }
                try zstdBlocks()
            } else {
                throw start == 0 ? damaged("the header") : trailing(start)
            }
        }
    }

    private mutating func zstdFrameHeader() throws(ArchiveError) {
        let descriptor = try input.byte()
        guard descriptor & 0x08 == 0 else { throw damaged("the header of a frame") }
        let isSingleSegment = descriptor & 0x20 != 0
        if !isSingleSegment {
            let window = try input.byte()
            let base = UInt64(1) << (10 + window >> 3)
            try checkWindow(base + base / 8 * UInt64(window & 7))
        }
        try input.skip([0, 1, 2, 4][Int(descriptor & 3)])
        let sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
        let contentSize = try input.number(bytes: sizeBytes) + (sizeBytes == 2 ? 256 : 0)
        if isSingleSegment { try checkWindow(contentSize) }
        hasChecksum = descriptor & 0x04 != 0
    }

    private mutating func zstdBlocks() throws(ArchiveError) {
        while true {
            let header = try input.number(bytes: 3)
            hasContent = hasContent || header >> 3 > 0
            switch header >> 1 & 3 {
            case 0, 2: try input.skip(header >> 3)
            case 1: try input.skip(1)
            default: throw damaged("a block")
            }
            if header & 1 == 1 { break }
        }
        if hasChecksum { try input.skip(4) }
    }
}

// xz: "The .xz File Format", version 1.2.0. The chunks of LZMA2 are described in XZ for Java and the Linux kernel.
extension DecoderMemory {
    private static let magic: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]

    private mutating func xz() throws(ArchiveError) {
        while !(try input.isAtEnd()) {
            let start = input.position
            guard try input.takeUpTo(6).elementsEqual(Self.magic) else { throw trailing(start) }
            try xzStream()
            while try input.nextIsZero() { try input.skip(1) }
        }
    }

    private mutating func xzStream() throws(ArchiveError) {
        let flags = try input.take(2)
        guard flags[0] == 0, flags[1] & 0xF0 == 0 else { throw damaged("the header") }
        let checkSize = flags[1] == 0 ? 0 : UInt64(4) << ((UInt64(flags[1]) - 1) / 3)
        try input.skip(4)
        while true {
            let start = input.position
            let sizeByte = try input.byte()
            if sizeByte == 0 { return try xzIndex(start) }
            try xzBlockHeader()
            // Padding may follow the filters; the data begin where the size says.
            input.move(to: start + (Int(sizeByte) + 1) * 4)
            try lzma2Chunks()
            try pad(since: start)
            try input.skip(checkSize)
        }
    }

    private mutating func xzBlockHeader() throws(ArchiveError) {
        let flags = try input.byte()
        for flag in [0x40, 0x80] as [UInt8] where flags & flag != 0 { _ = try variableNumber() }
        for index in 0...(flags & 3) {
            let filter = try variableNumber()
            let size = try variableNumber()
            // LZMA2 comes last, and what comes before it (for programs and sound) has a window of 256 bytes at most.
            guard (filter == 0x21) == (index == flags & 3) else { throw damaged("the header of a block") }
            guard filter == 0x21 else {
                try input.skip(size)
                continue
            }
            guard size == 1, case let bits = try input.byte(), bits <= 40 else {
                throw damaged("the header of a block")
            }
            try checkWindow(bits == 40 ? 0xFFFF_FFFF : UInt64(2 | bits & 1) << (bits / 2 + 11))
        }
    }

    private mutating func lzma2Chunks() throws(ArchiveError) {
        while true {
            let control = try input.byte()
            hasContent = hasContent || control != 0
            switch control {
            case 0: return
            case 1, 2: try input.skip(UInt64(try input.bigEndian16()) + 1)
            case 0x80...:
                try input.skip(2)
                let size = UInt64(try input.bigEndian16()) + 1
                try input.skip(size + (control >= 0xC0 ? 1 : 0))
            default: throw damaged("a chunk")
            }
        }
    }

    private mutating func xzIndex(_ start: Int) throws(ArchiveError) {
        let count = try variableNumber()
        // Two numbers for each block; the source ends long before a count that lies.
        var record: UInt64 = 0
        while record < count {
            _ = try variableNumber()
            _ = try variableNumber()
            record += 1
        }
        try pad(since: start)
        try input.skip(4 + 12)
    }

    private mutating func pad(since start: Int) throws(ArchiveError) {
        try input.skip(UInt64((4 - (input.position - start) % 4) % 4))
    }

    private mutating func variableNumber() throws(ArchiveError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 63, by: 7) {
            let byte = try input.byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        throw damaged("a number")
    }
}

/// Reads a source forwards in blocks; a skip costs nothing.
private struct ForwardBytes {
    let source: ByteSource
    private(set) var position = 0
    private var block: ArraySlice<UInt8> = []

    init(_ source: ByteSource) { self.source = source }

    mutating func isAtEnd() throws(ArchiveError) -> Bool { try takeUpTo(1, keeps: true).isEmpty }

    mutating func nextIsZero() throws(ArchiveError) -> Bool { try takeUpTo(1, keeps: true).first == 0 }

    mutating func byte() throws(ArchiveError) -> UInt8 {
        guard let byte = try takeUpTo(1).first else { throw Self.truncated }
        return byte
    }

    /// Reads a number of up to 8 bytes, the lowest first.
    mutating func number(bytes count: Int) throws(ArchiveError) -> UInt64 {
        Self.number(try take(count))
    }

    static func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func bigEndian16() throws(ArchiveError) -> UInt16 {
        try take(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// Reads so many bytes, with indices from 0.
    mutating func take(_ count: Int) throws(ArchiveError) -> [UInt8] {
        let bytes = try takeUpTo(count)
        guard bytes.count == count else { throw Self.truncated }
        return Array(bytes)
    }

    /// Reads so many bytes, or fewer where the source ends.
    mutating func takeUpTo(_ count: Int, keeps: Bool = false) throws(ArchiveError) -> ArraySlice<UInt8> {
        if block.count < count { block = try source.bytes(at: position, count: max(count, 1 << 12))[...] }
        let bytes = block.prefix(count)
        if !keeps { move(to: position + bytes.count) }
        return bytes
    }

    mutating func skip(_ count: UInt64) throws(ArchiveError) {
        guard count <= UInt64(max(0, source.size - position)) else { throw Self.truncated }
        move(to: position + Int(count))
    }

    mutating func move(to place: Int) {
        block = block.dropFirst(max(0, place - position))
        if place < position { block = [] }
        position = place
    }

    private static var truncated: ArchiveError {
        ArchiveError(.truncated, "the compressed data end too early; get a complete copy")
    }
}
