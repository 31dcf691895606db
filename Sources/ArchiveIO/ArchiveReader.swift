/// The name, size and kind of an archive's entry, as the archive states them.
public struct ArchiveEntry: Sendable, Hashable {
    /// The name in its plainest form, parts separated by `/`; empty for the content of a single compressed file.
    ///
    /// libarchive may have normalised it, so names are to be compared as strings, not by their bytes.
    public let name: String
    /// True if the entry is a folder, which has no content.
    public let isFolder: Bool
    /// The size that the archive declares, nil where it declares none.
    public let size: Int?
}

/// Reads an archive entry by entry, within limits, in memory that does not grow with it.
///
/// What may harm is refused by its own code: names that lead elsewhere, links and devices, names that are the same to
/// some file system, encryption, sizes beyond the limits or other than declared, archives that were cut off or that
/// something follows. An error is final: whatever is asked for after it gives the same error.
///
/// ```swift
/// let reader = try ArchiveReader(.file("Slate-20260107.zip"))
/// while let entry = try reader.next() {
///     try reader.read { piece in hash.update(bufferPointer: piece) }
/// }
/// ```
public final class ArchiveReader {
    /// The kind of the archive.
    public let container: ArchiveContainer

    let source: ByteSource
    let limits: ArchiveLimits
    let stage: Stage
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    private var names = NameRegister()
    private var current: ArchiveEntry?
    /// The bytes of the current entry that were read and not yet handed out; they lie in the chunk.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isFinished = false
    private var failure: (any Error)?
    private var entryCount = 0
    private var entryBytes = 0
    private var totalBytes = 0
    /// The offset at which the last entry of a tar ended.
    private var endOfEntry = 0

    /// The reader of each form of archive, with its state.
    enum Stage {
        case zip(ReadHandle?, [String: Int])
        case tar(ReadHandle, TarFeed)
        case single(ContentStream)
    }

    /// Opens an archive: a zip, a tar, or a compressed file, told by its content.
    ///
    /// - Throws: `archive.unrecognized` where the source is none of them.
    public init(_ source: ArchiveSource, limits: ArchiveLimits = ArchiveLimits()) throws(ArchiveError) {
        do throws(ArchiveError) {
            let opened = try ByteSource(source)
            self.source = opened
            self.limits = limits
            (container, stage) = try Self.stage(opened, limits)
        } catch {
            chunk.deallocate()
            throw error.located(file: source.name)
        }
    }

    deinit { chunk.deallocate() }

    /// Goes on to the next entry, past what was not read of the current one; nil at the end.
    ///
    /// The end is nil only once the archive has been found complete.
    ///
    /// - Throws: ``ArchiveError`` where the archive is damaged, breaks a limit or holds what is not allowed. Each later
    ///   call throws it again.
    public func next() throws -> ArchiveEntry? {
        if let failure { throw failure }
        if current != nil { try read { _ in } }
        guard !isFinished else { return nil }
        do {
            current = try advance()
            isFinished = current == nil
            return current
        } catch {
            throw fail(error)
        }
    }

    /// Gives what is left of the current entry to a function, piece by piece.
    ///
    /// - Parameter body: Takes a piece, which is valid during the call only.
    /// - Throws: ``ArchiveError`` where the entry is damaged or breaks a limit; the error of `body`. Each later call
    ///   throws it again.
    public func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let failure { throw failure }
        guard let entry = current else { return }
        do {
            if !rest.isEmpty { try body(rest) }
            rest = UnsafeRawBufferPointer(start: nil, count: 0)
            while let piece = try nextPiece(of: entry) { try body(piece) }
            current = nil
        } catch {
            throw fail(error)
        }
    }

    /// Fills a buffer from its start with what comes next of the current entry.
    ///
    /// - Returns: How many bytes there were; 0 only at the end of the entry, which has then been found complete.
    /// - Throws: ``ArchiveError`` where the entry is damaged or breaks a limit. Each later call throws it again.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let failure { throw failure }
        guard let entry = current, !buffer.isEmpty else { return 0 }
        if rest.isEmpty {
            do {
                guard let piece = try nextPiece(of: entry) else {
                    current = nil
                    return 0
                }
                rest = piece
            } catch {
                throw fail(error)
            }
        }
        let count = min(rest.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return count
    }

    /// Returns the rest of the current entry.
    ///
    /// - Throws: The errors of ``read(_:)``.
    public func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(expectedSize)
        try read { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Returns the rest of the current entry, all of it checked; nil where it has more bytes than may be kept.
    ///
    /// - Throws: `archive.not-text` at the first NUL byte, `archive.no-json` where what would be kept is no JSON,
    ///   `archive.nested` where a compressed file is an archive.
    func json(keeping most: Int) throws -> [UInt8]? {
        var bytes: [UInt8]? = []
        bytes?.reserveCapacity(min(expectedSize, most))
        var check = TextCheck()
        var isHead = true
        try read { piece in
            // An archive has NUL bytes; what it is says more than that.
            if isHead, current?.name.isEmpty == true, JSONContainer.isArchive(piece.prefix(Magic.length)) {
                throw JSONContainer.nested
            }
            isHead = false
            try check.take(piece)
            if let kept = bytes, kept.count + piece.count > most {
                guard Magic.isPerhapsJSON(kept) else { throw JSONContainer.noJSON }
                bytes = nil
            }
            bytes?.append(contentsOf: piece)
        }
        return bytes
    }

    /// The size of the current entry for setting memory aside, which takes none before it is used.
    ///
    /// What is declared may be a lie, and a compressed file declares nothing: a guess saves copies on the way there.
    var expectedSize: Int {
        let guess = source.size.multipliedReportingOverflow(by: 8)
        let size = current?.size ?? max(1 << 27, guess.overflow ? 0 : guess.partialValue)
        return min(size, limits.allowance(forBytes: source.size), limits.entryBytes, limits.totalBytes)
    }

    private func fail(_ error: any Error) -> any Error {
        let located = (error as? ArchiveError).map { $0.located(file: source.name, entry: current?.name) } ?? error
        failure = located
        return located
    }
}

extension ArchiveReader {
    private func nextPiece(of entry: ArchiveEntry) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        let count: Int
        switch stage {
        case .zip(let handle, _): count = try handle?.read(into: chunk) ?? 0
        case .tar(let handle, _): count = try handle.read(into: chunk)
        case .single(let stream): count = try stream.fill(chunk)
        }
        guard count > 0 else {
            try finish(entry)
            return nil
        }
        entryBytes += count
        totalBytes += count
        if let size = entry.size, entryBytes > size || entry.isFolder { throw Self.mismatch(entryBytes, size) }
        try limits.check(entryBytes: entryBytes, of: entry.name)
        try limits.check(total: totalBytes, from: source.size)
        return UnsafeRawBufferPointer(rebasing: chunk[..<count])
    }

    private func finish(_ entry: ArchiveEntry) throws(ArchiveError) {
        if let size = entry.size, entryBytes != size { throw Self.mismatch(entryBytes, size) }
        guard case .tar(let handle, _) = stage else { return }
        try handle.skip()
        endOfEntry = handle.consumed
    }

    private static func mismatch(_ count: Int, _ size: Int) -> ArchiveError {
        let message =
            "the entry has \(count > size ? "more" : "fewer") bytes than the \(size) that the archive declares"
        return ArchiveError(.sizeMismatch, "\(message); get an undamaged copy")
    }

    private func advance() throws(ArchiveError) -> ArchiveEntry? {
        entryBytes = 0
        let handle: ReadHandle?
        switch stage {
        case .single:
            entryCount += 1
            return entryCount == 1 ? ArchiveEntry(name: "", isFolder: false, size: nil) : nil
        case .zip(let zip, _): handle = zip
        case .tar(let tar, _): handle = tar
        }
        while let header = try handle?.nextHeader() {
            entryCount += 1
            guard entryCount <= limits.entryCount else {
                throw ArchiveError(
                    .entryCount,
                    "the archive has more than \(limits.entryCount) entries, which is the limit"
                )
            }
            let entry = try checked(header)
            if !entry.name.isEmpty { return entry }
            if case .tar(let tar, _) = stage { endOfEntry = tar.consumed }
        }
        try checkEnd()
        return nil
    }

    private func checked(_ header: ReadHandle.Header) throws(ArchiveError) -> ArchiveEntry {
        let name = try EntryName.checked(header.name, limits: limits)
        let reason: (code: ArchiveError.Code, what: String)? =
            switch header.kind {
            case .symbolicLink: (.symbolicLink, "a symbolic link")
            case .hardLink: (.hardLink, "a hard link")
            case .special: (.specialFile, "a device, a FIFO or a socket")
            case .file where header.isSparse: (.specialFile, "a file with holes")
            case .file, .folder: nil
            }
        if let reason {
            let message = "the entry is \(reason.what); only files and folders are read"
            throw ArchiveError(reason.code, message, entry: name)
        }
        guard !header.isEncrypted else { throw ArchiveError(.encrypted, "the entry is encrypted", entry: name) }
        if let warning = header.warning {
            throw ArchiveError(.corrupted, "the header of the entry is damaged (libarchive: \(warning))", entry: name)
        }
        guard header.kind == .folder || !name.isEmpty else { throw ArchiveError(.nameEmpty, "an entry has no name") }
        if !name.isEmpty { try names.insert(name) }
        if let size = header.size {
            try limits.check(entryBytes: size, of: name)
            let (total, overflow) = totalBytes.addingReportingOverflow(size)
            try limits.check(total: overflow ? .max : total, from: source.size)
        }
        try checkDirectory(header, name)
        return ArchiveEntry(name: name, isFolder: header.kind == .folder, size: header.size)
    }

    /// Holds what the library found against a zip's directory; the library has normalised the name, which makes no
    /// difference to a dictionary of strings.
    private func checkDirectory(_ header: ReadHandle.Header, _ name: String) throws(ArchiveError) {
        guard case .zip(_, let sizes) = stage else { return }
        guard let size = sizes[name], header.size == nil || header.size == size else {
            throw ZipDirectory.damaged("the entry and its record in the directory differ", entry: name)
        }
    }

    private func checkEnd() throws(ArchiveError) {
        switch stage {
        case .zip(_, let sizes):
            guard entryCount == sizes.count else {
                throw ZipDirectory.damaged("entries of its directory are missing")
            }
        case .tar(let handle, let feed):
            try feed.checkEnd(lastEntry: endOfEntry, end: handle.consumed)
        case .single: break
        }
    }
}
