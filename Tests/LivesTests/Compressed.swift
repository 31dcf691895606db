import ArchiveCompression
import DirectorySync
import RecordMerge

extension Segment {
    /// Reads a segment as the programs do.
    static func read(
        _ bytes: [UInt8],
        header: (SegmentHeader) throws -> Void = { _ in },
        record: ((ChangedRecord) throws -> Void)? = nil
    ) throws { try SegmentCoder(ArchiveCompression()).read(bytes, header: header, record: record) }
}
