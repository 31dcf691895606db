import ArchiveCompression
import DirectorySync
import RecordMerge

/// Segments and folders as tests write and read them, compressed as the programs do.
extension Segment {
    static let coder = SegmentCoder(ArchiveCompression())

    init(decoding bytes: [UInt8], limits: SegmentLimits = SegmentLimits()) throws(SegmentError) {
        self = try Self.coder.decode(bytes, limits: limits)
    }

    func encoded() throws -> [UInt8] { try Self.coder.encode(self) }

    static func read(
        _ bytes: [UInt8],
        limits: SegmentLimits = SegmentLimits(),
        header: (SegmentHeader) throws -> Void = { _ in },
        record: ((ChangedRecord) throws -> Void)? = nil
    ) throws { try coder.read(bytes, limits: limits, header: header, record: record) }

    static func header(of bytes: [UInt8]) throws(SegmentError) -> SegmentHeader { try coder.header(of: bytes) }
}

extension SyncDirectory {
    init(_ path: String) { self.init(path, ArchiveCompression()) }
}
