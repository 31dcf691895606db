/// Gives the bytes of a stream, in order.
protocol ReadFeed: AnyObject {
    /// Fills a buffer from its start; gives how many bytes there were, 0 only at the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// A stream whose place can be changed.
protocol SeekableFeed: ReadFeed {
    var position: Int { get set }
    var size: Int { get }
}

/// The bytes of a source.
final class SourceFeed: SeekableFeed {
    let source: ByteSource
    var position = 0

    init(_ source: ByteSource) { self.source = source }

    var size: Int { source.size }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = try source.read(at: position, into: buffer)
        position += count
        return count
    }
}

/// The context of the library's callbacks: a feed, the block that it filled last, and its error.
final class FeedContext {
    let feed: any ReadFeed
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    var error: ArchiveError?
    /// True if the library asked for more than there was.
    var hasEnded = false

    init(_ feed: any ReadFeed) { self.feed = feed }

    deinit { block.deallocate() }

    /// Fills the block with the next bytes and returns their number; -1 on an error.
    func next() -> Int {
        do throws(ArchiveError) {
            let count = try feed.fill(block)
            hasEnded = hasEnded || count == 0
            return count
        } catch {
            self.error = error
            return -1
        }
    }

    /// Goes elsewhere in the stream; gives the new place, nil where that cannot be.
    func seek(by offset: Int, from origin: Int32) -> Int? {
        guard let feed = feed as? any SeekableFeed else { return nil }
        let base: Int
        switch origin {
        case 0: base = 0
        case 1: base = feed.position
        case 2: base = feed.size
        default: return nil
        }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, (0...feed.size).contains(place) else { return nil }
        feed.position = place
        return place
    }
}
