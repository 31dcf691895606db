internal import CLibArchive

/// One `struct archive` for writing.
///
/// The library's bytes collect in memory during a call and are taken out after it, so that no error of whoever takes
/// them has to pass through C.
final class WriteHandle {
    private final class Output {
        var bytes: [UInt8] = []
    }

    private let archive: OpaquePointer
    private let output = Output()

    /// Makes a handle for an archive.
    convenience init(_ packing: ArchivePacking) throws(ArchiveError) {
        try self.init(of: "\(packing)") { Self.configure(packing, $0) }
    }

    /// Makes a handle for compressed data that are no archive, with one entry that is all of the content.
    convenience init(zstdLevel level: Int) throws(ArchiveError) {
        try self.init(of: "Zstandard of level \(level)") { archive in
            [
                archive_write_set_format_raw(archive), archive_write_add_filter_zstd(archive),
                archive_write_set_filter_option(archive, "zstd", "compression-level", String(level)),
            ]
        }
    }

    private init(of what: String, _ configure: (OpaquePointer) -> [Int32]) throws(ArchiveError) {
        guard UTF8Locale.exists else {
            throw ArchiveError(.library, "the system has no UTF-8 locale; install C.UTF-8 or en_US.UTF-8")
        }
        guard let archive = archive_write_new() else {
            throw ArchiveError(.library, "libarchive cannot be set up; there may be too little memory")
        }
        self.archive = archive
        let codes = UTF8Locale.with { () -> [Int32] in
            // No padding behind the compressed data.
            configure(archive) + [
                archive_write_set_bytes_per_block(archive, 1 << 16),
                archive_write_set_bytes_in_last_block(archive, 1),
            ]
        }
        for code in codes where code != ARCHIVE_OK {
            throw failure("libarchive on this system cannot write \(what)", .library)
        }
        let data = Unmanaged.passUnretained(output).toOpaque()
        let code = UTF8Locale.with {
            archive_write_open2(
                archive,
                data,
                nil,
                { _, data, bytes, count in
                    guard let data, let bytes else { return -1 }
                    let output = Unmanaged<Output>.fromOpaque(data).takeUnretainedValue()
                    output.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
                    return count
                },
                nil,
                nil
            )
        }
        guard code == ARCHIVE_OK else { throw failure("the archive cannot be begun", .library) }
    }

    deinit {
        UTF8Locale.with {
            // Without this the library would finish an archive that was given up.
            _ = archive_write_fail(archive)
            _ = archive_write_free(archive)
        }
    }

    /// Sets everything that the bytes depend on: the same entries give the same bytes.
    private static func configure(_ packing: ArchivePacking, _ archive: OpaquePointer) -> [Int32] {
        switch packing {
        case .tarZstd:
            [
                archive_write_set_format_pax_restricted(archive), archive_write_add_filter_zstd(archive),
                archive_write_set_filter_option(archive, "zstd", "compression-level", "3"),
            ]
        case .zip:
            [
                archive_write_set_format_zip(archive),
                archive_write_set_format_option(archive, "zip", "compression", "deflate"),
                archive_write_set_format_option(archive, "zip", "compression-level", "6"),
            ]
        }
    }

    /// Begins an entry; times and owners stay unset, which writes them as zeros whatever the time zone.
    func begin(name: String, size: Int) throws(ArchiveError) {
        guard let entry = archive_entry_new() else {
            throw ArchiveError(.library, "libarchive cannot make an entry; there may be too little memory")
        }
        let code = UTF8Locale.with { () -> Int32 in
            defer { archive_entry_free(entry) }
            archive_entry_set_pathname_utf8(entry, name)
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_size(entry, Int64(size))
            return archive_write_header(archive, entry)
        }
        guard code == ARCHIVE_OK else { throw failure("the entry cannot be begun", .library) }
    }

    /// Adds bytes to the entry; gives how many the library took, which is fewer where the entry's size is exceeded.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> Int {
        let count = UTF8Locale.with { archive_write_data(archive, bytes.baseAddress, bytes.count) }
        guard count >= 0 else { throw failure("the data cannot be written", .library) }
        return count
    }

    func endEntry() throws(ArchiveError) {
        guard UTF8Locale.with({ archive_write_finish_entry(archive) }) == ARCHIVE_OK else {
            throw failure("the entry cannot be finished", .library)
        }
    }

    func close() throws(ArchiveError) {
        guard UTF8Locale.with({ archive_write_close(archive) }) == ARCHIVE_OK else {
            throw failure("the archive cannot be finished", .library)
        }
    }

    /// Takes out what has come together.
    func taken() -> [UInt8] {
        defer { output.bytes = [] }
        return output.bytes
    }

    /// Hands out what has come together.
    func drain(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !output.bytes.isEmpty else { return }
        try output.bytes.withUnsafeBytes(sink)
        output.bytes.removeAll(keepingCapacity: output.bytes.capacity <= 1 << 20)
    }

    private func failure(_ what: String, _ code: ArchiveError.Code) -> ArchiveError {
        let detail = UTF8Locale.with { archive_error_string(archive) }.map { " (libarchive: \(String(cString: $0)))" }
        return ArchiveError(code, what + (detail ?? ""))
    }
}
