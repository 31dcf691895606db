internal import CLibArchive

/// One `struct archive` for reading.
///
/// Every call runs in the UTF-8 locale, every return code is looked at, and what the library says is taken at once.
final class ReadHandle {
    /// The format that the library must find in the stream; it never guesses.
    enum Format {
        case zip, tar
        /// No archive: the content of a compressed file.
        case content(ArchiveContainer.Compression)
    }

    /// A header, in values of our own.
    struct Header {
        enum Kind { case file, folder, symbolicLink, hardLink, special }

        var name: [UInt8]
        var kind: Kind
        var size: Int?
        var isEncrypted: Bool
        var isSparse: Bool
        /// The library's warning about the entry.
        var warning: String?
    }

    private let archive: OpaquePointer
    private let context: FeedContext

    init(_ format: Format, feed: any ReadFeed) throws(ArchiveError) {
        guard UTF8Locale.exists else {
            throw ArchiveError(.library, "the system has no UTF-8 locale; install C.UTF-8 or en_US.UTF-8")
        }
        guard let archive = archive_read_new() else {
            throw ArchiveError(.library, "libarchive cannot be set up; there may be too little memory")
        }
        self.archive = archive
        context = FeedContext(feed)
        for code in UTF8Locale.with({ Self.enable(format, in: archive) }) where code != ARCHIVE_OK {
            throw failure(.library, "libarchive on this system lacks a format")
        }
        try open(seekable: feed is any SeekableFeed)
    }

    deinit { _ = UTF8Locale.with { archive_read_free(archive) } }

    private static func enable(_ format: Format, in archive: OpaquePointer) -> [Int32] {
        switch format {
        case .zip: return [archive_read_support_format_zip_seekable(archive)]
        case .tar: return [archive_read_support_format_tar(archive)]
        case .content(let compression):
            let filter =
                switch compression {
                case .none: ARCHIVE_FILTER_NONE
                case .gzip: ARCHIVE_FILTER_GZIP
                case .bzip2: ARCHIVE_FILTER_BZIP2
                case .xz: ARCHIVE_FILTER_XZ
                case .zstd: ARCHIVE_FILTER_ZSTD
                }
            // Exactly one: left to guess, the library looks for compressed data inside compressed data, and some
            // versions hang there.
            return [
                archive_read_append_filter(archive, filter), archive_read_support_format_raw(archive),
                archive_read_support_format_empty(archive),
            ]
        }
    }

    private func open(seekable: Bool) throws(ArchiveError) {
        let data = Unmanaged.passUnretained(context).toOpaque()
        let code = UTF8Locale.with { () -> Int32 in
            archive_read_set_callback_data(archive, data)
            archive_read_set_read_callback(archive) { _, data, block in
                guard let data, let block else { return -1 }
                let context = Unmanaged<FeedContext>.fromOpaque(data).takeUnretainedValue()
                let count = context.next()
                block.pointee = UnsafeRawPointer(context.block.baseAddress)
                return count
            }
            if seekable {
                archive_read_set_seek_callback(archive) { _, data, offset, origin in
                    guard let data else { return Int64(ARCHIVE_FATAL) }
                    let context = Unmanaged<FeedContext>.fromOpaque(data).takeUnretainedValue()
                    return context.seek(by: Int(offset), from: origin).map(Int64.init) ?? Int64(ARCHIVE_FATAL)
                }
            }
            return archive_read_open1(archive)
        }
        guard code == ARCHIVE_OK else { throw failure(.corrupted, "the archive cannot be opened") }
    }

    /// The number of bytes used up of the stream, without those that were only looked ahead at.
    var consumed: Int { Int(UTF8Locale.with { archive_filter_bytes(archive, -1) }) }

    /// Reads the next header; nil at the end of the archive.
    func nextHeader() throws(ArchiveError) -> Header? {
        var entry: OpaquePointer?
        let code = UTF8Locale.with { archive_read_next_header(archive, &entry) }
        switch code {
        case ARCHIVE_EOF: return nil
        case ARCHIVE_OK, ARCHIVE_WARN:
            guard let entry else { throw failure(.corrupted, "an entry has no header") }
            var header = UTF8Locale.with { Self.header(of: entry) }
            if code == ARCHIVE_WARN { header.warning = message ?? "something is odd about the entry" }
            return header
        default: throw failure(.corrupted, "the header of an entry cannot be read")
        }
    }

    private static func header(of entry: OpaquePointer) -> Header {
        var name: [UInt8] = []
        if let text = archive_entry_pathname(entry) {
            var length = 0
            while text[length] != 0 { length += 1 }
            name = UnsafeRawBufferPointer(start: text, count: length).map { $0 }
        }
        let kind: Header.Kind =
            if archive_entry_hardlink(entry) != nil {
                .hardLink
            } else {
                switch UInt32(archive_entry_filetype(entry)) {
                case 0o100000: .file
                case 0o040000: .folder
                case 0o120000: .symbolicLink
                default: .special
                }
            }
        return Header(
            name: name,
            kind: kind,
            size: archive_entry_size_is_set(entry) != 0 ? Int(archive_entry_size(entry)) : nil,
            isEncrypted: archive_entry_is_encrypted(entry) != 0,
            isSparse: archive_entry_sparse_reset(entry) > 0
        )
    }

    /// Reads the next bytes of the entry and returns their number; 0 at its end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        let count = UTF8Locale.with { archive_read_data(archive, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw failure(.corrupted, "the data cannot be read") }
        return count
    }

    /// Passes over whatever is left of the entry, padding included.
    func skip() throws(ArchiveError) {
        guard UTF8Locale.with({ archive_read_data_skip(archive) }) == ARCHIVE_OK else {
            throw failure(.corrupted, "the data cannot be read")
        }
    }

    private var message: String? {
        UTF8Locale.with { archive_error_string(archive) }.map {
            String(cString: $0).split(whereSeparator: \.isNewline).joined(separator: ", ")
        }
    }

    /// Returns the error of the call that has just failed: the feed's own, or the library's.
    private func failure(_ code: ArchiveError.Code, _ what: String) -> ArchiveError {
        if let error = context.error { return error }
        let detail = message.map { " (libarchive: \($0))" } ?? ""
        // Zstandard's way to say so: the first frame was recognised, or nothing would have been read.
        if detail.contains("Unknown frame descriptor") {
            return ArchiveError(.trailing, "something follows the compressed data; cut it off\(detail)")
        }
        if context.hasEnded, code == .corrupted {
            return ArchiveError(.truncated, "the archive ends too early; get a complete copy\(detail)")
        }
        return ArchiveError(code, "\(what)\(detail)\(code == .corrupted ? "; get an undamaged copy" : "")")
    }
}
