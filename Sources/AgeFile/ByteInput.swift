/// The bytes of a source in order, with a look at the next one.
final class ByteInput {
    private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var start = 0
    private var end = 0
    private var isAtEnd = false

    /// - Parameter fill: Fills a buffer from its start and gives the number of bytes, 0 only at the end.
    init(_ fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) { self.fill = fill }

    deinit { buffer.deallocate() }

    /// Returns the next byte without passing it; nil at the end.
    func peek() throws -> UInt8? {
        if start == end, !isAtEnd {
            start = 0
            end = try fill(buffer)
            isAtEnd = end == 0
        }
        return start < end ? buffer[start] : nil
    }

    /// Takes the next byte; nil at the end.
    func next() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        start += 1
        return byte
    }

    /// Fills as much of a buffer as there is.
    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < target.count, try peek() != nil {
            let count = min(end - start, target.count - done)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
            UnsafeMutableRawBufferPointer(rebasing: target[done...]).copyMemory(from: piece)
            start += count
            done += count
        }
        return done
    }

    /// A line that was read.
    struct Line {
        /// The bytes before the line feed.
        var bytes: [UInt8] = []
        /// True if there is a line feed; false where the input ends or the line is longer than the limit.
        var isComplete = false
    }

    /// Takes a line and its line feed, or as much of it as the limit allows.
    func line(limit: Int) throws -> Line {
        var line = Line()
        while line.bytes.count <= limit, let byte = try next() {
            if byte == UInt8(ascii: "\n") {
                line.isComplete = true
                break
            }
            line.bytes.append(byte)
        }
        return line
    }
}
