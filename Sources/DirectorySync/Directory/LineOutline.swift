internal import RecordMerge
internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Tells what a line of a change is about by its bytes, without decoding it.
///
/// A line begins `{"collection":"tasks","key":"a","version":`, and then comes `null` or
/// `{"by":…,"seen":…,"origins":…,"stamps":…,"cells":…}`, where all but `by` and `cells` may be missing. A quotation mark
/// within a text is escaped, so that the first `,"version":` is the member. Of a line of another form it tells nothing.
enum LineOutline {
    private static let start = Array("{\"collection\":\"".utf8)
    private static let version = Array(",\"version\":".utf8)
    private static let origins = Array(",\"origins\":[".utf8)
    private static let cells = Array(",\"cells\":[".utf8)

    /// Returns what a line begins with, up to its key; nil for a line of another form.
    static func head(of line: UnsafeRawBufferPointer) -> [UInt8]? {
        guard line.starts(with: start), let end = place(of: version, in: line) else { return nil }
        return Array(line[..<end])
    }

    /// Returns what the line of a record begins with.
    static func head(of key: RecordKey) -> [UInt8]? {
        ChangedRecord(key, nil).encodedLine().withUnsafeBytes { head(of: $0) }
    }

    private static let keyStart = Array("\",\"key\":\"".utf8)

    /// Returns the key of a record's line; nil for bytes that are no such line.
    static func key(of line: ArraySlice<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        if line.starts(with: start), let end = line[(line.startIndex + start.count)...].firstIndex(of: quote),
            line[end...].starts(with: keyStart)
        {
            let rest = line[(end + keyStart.count)...]
            if let last = rest.firstIndex(of: quote), !line[..<last].contains(UInt8(ascii: "\\")) {
                return String(decoding: rest[..<last], as: UTF8.self)
            }
        }
        // A name with an escaped character.
        return (try? JSONDocument(parsing: Array(line)))?.root.value.object?["key"]?.string
    }

    /// Returns what a change did to a record, with the record's collection; nil where only decoding tells.
    ///
    /// - Parameter author: The writer of the change.
    static func action(
        of line: UnsafeRawBufferPointer,
        by author: WriterID
    ) -> (collection: String, action: SyncedChange.Action)? {
        guard line.starts(with: start), let end = place(of: version, in: line),
            let quote = line[start.count..<end].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let name = line[start.count..<quote]
        guard !name.contains(UInt8(ascii: "\\")) else { return nil }
        let collection = String(decoding: name, as: UTF8.self)
        let rest = UnsafeRawBufferPointer(rebasing: line[(end + version.count)...])
        if rest.first == UInt8(ascii: "n") { return (collection, .deleted) }
        guard let cells = place(of: cells, in: rest) else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: rest[..<cells])
        // A version without the member has one origin: this change.
        guard let found = place(of: origins, in: head) else { return (collection, .added) }
        let list = UnsafeRawBufferPointer(rebasing: head[found...])
        return place(of: Array(author.description.utf8), in: list) == nil ? (collection, .changed) : nil
    }

    private static func place(of needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let first = needle.first else { return nil }
        var start = 0
        while start + needle.count <= bytes.count {
            guard let found = memchr(base + start, Int32(first), bytes.count - start - needle.count + 1) else {
                return nil
            }
            start = UnsafeRawPointer(found) - base
            if memcmp(base + start, needle, needle.count) == 0 { return start }
            start += 1
        }
        return nil
    }
}
