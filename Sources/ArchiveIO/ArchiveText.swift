#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The one text in an archive or a compressed file, expanded piece by piece as often as it is read.
///
/// ```swift
/// let text = try ArchiveText(.file("Toggl.zip"))
/// while try text.read(into: buffer) > 0 { … }
/// ```
public final class ArchiveText {
    /// The name of the entry; empty for the content of a compressed file.
    public let name: String
    private let source: ArchiveSource
    private let limits: ArchiveLimits
    private var reader: ArchiveReader
    private var check = TextCheck()

    /// The first bytes of an entry, by which its format is told.
    private static let headLength = 1 << 16
    private static let endings = ["json", "csv", "tsv", "xml", "ics"]

    /// Finds the text.
    ///
    /// - Parameters:
    ///   - source: An archive or a compressed file.
    ///   - limits: How much it may hold.
    ///   - isWanted: Whether a text that begins so is the one, whatever else the archive holds.
    /// - Throws: `archive.no-text` or `archive.several-texts` where there is not exactly one; `archive.not-text` for a
    ///   text with NUL bytes; whatever is wrong with the archive.
    public init(
        _ source: ArchiveSource,
        limits: ArchiveLimits = .text,
        isWanted: ([UInt8]) -> Bool = { _ in false }
    ) throws {
        self.source = source
        self.limits = limits
        reader = try ArchiveReader(source, limits: limits)
        do {
            name = try Self.choose(reader, isWanted)
            try rewind()
        } catch let error as ArchiveError {
            throw error.located(file: source.name)
        }
    }

    /// Fills a buffer from its start; gives 0 only at the end of the text, which has then been found complete.
    ///
    /// - Throws: `archive.not-text` at the first NUL byte, which no text has.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try reader.read(into: buffer)
        do {
            try check.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } catch {
            throw error.located(file: source.name, entry: name)
        }
        return count
    }

    /// Goes back to the first byte.
    ///
    /// - Throws: `manifest.file-changed` where the archive no longer has the text; the errors of reading an archive.
    public func rewind() throws {
        reader = try ArchiveReader(source, limits: limits)
        check = TextCheck()
        while let entry = try reader.next() {
            if entry.name == name, !entry.isFolder { return }
        }
        throw ArchiveError(.fileChanged, "the archive has changed while it was read; read it again", file: source.name)
    }

    private static func choose(_ reader: ArchiveReader, _ isWanted: ([UInt8]) -> Bool) throws -> String {
        var candidates: [String] = []
        var others: [String] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: headLength, alignment: 16)
        defer { buffer.deallocate() }
        while let entry = try reader.next() {
            guard !entry.isFolder else { continue }
            guard entry.name.isEmpty || EntryName.isFile(entry.name, endingWith: endings) else {
                others.append(entry.name)
                continue
            }
            var count = 0
            while count < buffer.count {
                let more = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                if more == 0 { break }
                count += more
            }
            let read = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let head = Array(read)
            guard !JSONContainer.isArchive(head) else {
                throw JSONContainer.nested.located(file: nil, entry: entry.name)
            }
            var check = TextCheck()
            do {
                try check.take(read)
            } catch {
                throw error.located(file: nil, entry: entry.name)
            }
            if entry.name.isEmpty || isWanted(head) { return entry.name }
            candidates.append(entry.name)
        }
        if candidates.isEmpty {
            let found = others.isEmpty ? "no file" : "\(listed(others)), and no file of a kind that is read"
            throw ArchiveError(.noText, "the archive holds \(found); expected one .json, .csv, .xml or .ics")
        }
        guard candidates.count == 1 else {
            let message = "the archive holds \(candidates.count) files, \(listed(candidates)); unpack it and give one"
            throw ArchiveError(.severalTexts, message)
        }
        return candidates[0]
    }
}

/// Refuses, at the first byte that shows it, what is no text: a NUL is part of no JSON, CSV, XML or calendar.
///
/// UTF-16 has NUL bytes, but never more than two in a row.
struct TextCheck {
    private var offset = 0
    private var run = 0
    private var longestRun = 0

    mutating func take(_ piece: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard let start = piece.baseAddress, !piece.isEmpty else { return }
        if offset == 0 {
            let head = Array(piece.prefix(2))
            let isMarked = [[0xFF, 0xFE], [0xFE, 0xFF]].contains(head)
            let isUTF16 = isMarked || head.count == 2 && (head[0] == 0) != (head[1] == 0)
            longestRun = isUTF16 ? 2 : 0
        }
        defer { offset += piece.count }
        if longestRun == 0 {
            guard let found = memchr(start, 0, piece.count) else { return }
            throw Self.fault(at: offset + (UnsafeRawPointer(found) - start))
        }
        for (index, byte) in piece.enumerated() {
            run = byte == 0 ? run + 1 : 0
            if run > longestRun { throw Self.fault(at: offset + index) }
        }
    }

    private static func fault(at offset: Int) -> ArchiveError {
        let message =
            "byte \(offset) of what is compressed is NUL, which no text has; get an undamaged copy, or the right file"
        return ArchiveError(.notText, message)
    }
}
