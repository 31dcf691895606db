internal import StrictJSON

/// The bytes of a text as they come from their source, and the place of the next one.
///
/// Lines end with LF, CRLF or CR; columns count code points.
struct TextFeed: ~Copyable {
    private static let capacity = 1 << 18

    private let source: JSONByteSource
    private let chunk: UnsafeMutablePointer<UInt8>
    /// The next byte in the chunk.
    private var index = 0
    private var count = 0
    /// The offset of the chunk's first byte in the text.
    private var base = 0
    private var line = 1
    private var column = 1
    private var followsReturn = false
    private var hasEnded = false

    /// Makes a feed from where the source is.
    init(_ source: JSONByteSource) {
        self.source = source
        chunk = .allocate(capacity: Self.capacity)
    }

    deinit { chunk.deallocate() }

    /// The place of the next byte.
    var position: TextPosition { TextPosition(offset: base + index, line: line, column: column) }

    /// Fills the first chunk, passes over a byte order mark and refuses what is no text in UTF-8.
    mutating func begin() throws {
        try fill()
        let head = UnsafeBufferPointer(start: chunk, count: count)
        guard count > 0 else { throw InterchangeError(.empty, "the file is empty") }
        if let name = Self.wideEncoding(head) {
            throw InterchangeError(.encoding, "the file is \(name); save it as UTF-8", at: position)
        }
        if head.allSatisfy({ $0 == 0 }) {
            throw InterchangeError(.nulFilled, "the file is filled with NUL bytes; take another copy", at: position)
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        if hasEnded, head[index...].allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
            throw InterchangeError(.empty, "the file holds nothing but white space")
        }
    }

    /// Calls a function with the rest of the first chunk, for a look ahead.
    func withHead<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
        body(UnsafeBufferPointer(start: chunk + index, count: count - index))
    }

    private static func wideEncoding(_ head: UnsafeBufferPointer<UInt8>) -> String? {
        guard head.count >= 2 else { return nil }
        let start = Array(head.prefix(4))
        if start.starts(with: [0xFF, 0xFE, 0, 0]) || start == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard start.count == 4 else { return nil }
        let isLittle = start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0
        let isBig = start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0
        return isLittle || isBig ? "UTF-16" : nil
    }

    private mutating func fill() throws {
        base += count
        index = 0
        count = 0
        while count < Self.capacity, !hasEnded {
            let room = UnsafeMutableRawBufferPointer(start: chunk + count, count: Self.capacity - count)
            let more = min(max(try source.read(room), 0), room.count)
            count += more
            hasEnded = more == 0
        }
    }

    /// Returns the next byte without taking it; nil at the end of the text.
    @inline(__always)
    mutating func peek() throws -> UInt8? {
        if index == count {
            guard !hasEnded else { return nil }
            try fill()
            guard count > 0 else { return nil }
        }
        return chunk[index]
    }

    /// Goes past the next byte, which was looked at.
    @inline(__always)
    mutating func take() {
        guard index < count else { return }
        let byte = chunk[index]
        index &+= 1
        if byte == 0x0A {
            if !followsReturn { line &+= 1 }
            column = 1
        } else if byte == 0x0D {
            line &+= 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column &+= 1
        }
        followsReturn = byte == 0x0D
    }

    /// Appends what comes before the next CR, LF, NUL, other stop or end of the chunk.
    @inline(__always)
    mutating func takeRun(until stop: UInt8, into bytes: inout [UInt8]) {
        let start = index
        var points = 0
        while index < count {
            let byte = chunk[index]
            if byte == stop || byte == 0x0A || byte == 0x0D || byte == 0 { break }
            points &+= byte & 0xC0 != 0x80 ? 1 : 0
            index &+= 1
        }
        guard index > start else { return }
        followsReturn = false
        column &+= points
        bytes.append(contentsOf: UnsafeBufferPointer(start: chunk + start, count: index - start))
    }

    /// Returns the error of a NUL byte that comes next.
    func nulError() -> InterchangeError {
        let rest = UnsafeBufferPointer(start: chunk + index, count: count - index)
        if hasEnded, rest.allSatisfy({ $0 == 0 }) {
            let message = "the rest of the file is NUL bytes, as after a write that was interrupted; take another copy"
            return InterchangeError(.nulFilled, message, at: position)
        }
        return InterchangeError(
            .nul,
            "a NUL byte, which no text file has; check that it is the right file",
            at: position
        )
    }
}
