/// The bytes of a tar on their way to the library, with an eye on its end.
///
/// A tar ends with two blocks of zeros, and more zeros may follow. libarchive takes any end between two entries for the
/// end of the archive and does not look at what follows the zeros.
final class TarFeed: ReadFeed {
    private let feed: any ReadFeed
    private var count = 0
    private var endOfData = 0

    init(_ feed: any ReadFeed) { self.feed = feed }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        // Blocks are filled up, so that the library finds whole records in them.
        var filled = 0
        while filled < buffer.count {
            let more = try feed.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            if more == 0 { break }
            filled += more
        }
        if let last = buffer[..<filled].lastIndex(where: { $0 != 0 }) { endOfData = count + last + 1 }
        count += filled
        return filled
    }

    /// Reads what is left and checks that the archive ended as it should.
    ///
    /// - Parameters:
    ///   - lastEntry: Where the last entry ended, padding included.
    ///   - end: Where the library stopped.
    func checkEnd(lastEntry: Int, end: Int) throws(ArchiveError) {
        let rest = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { rest.deallocate() }
        while try fill(rest) > 0 {}
        guard end - lastEntry >= 1024 else {
            throw ArchiveError(.truncated, "the tar lacks its end, so it was cut off; get a complete copy")
        }
        guard endOfData <= lastEntry else {
            throw ArchiveError(.trailing, "there is something behind the end of the tar; cut it off")
        }
    }
}
