internal import RecordMerge
internal import StrictJSON

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
        guard line.starts(with: start), let end = line.place(of: version) else { return nil }
        return Array(line[..<end])
    }

    /// Returns what the line of a record begins with.
    static func head(of key: RecordKey) -> [UInt8]? {
        ChangedRecord(key, nil).encodedLine().withUnsafeBytes { head(of: $0) }
    }

    private static let stampStart = Array("{\"by\":[\"".utf8)
    private static let stampEnd = Array("],\"cells\":[".utf8)

    /// Returns the key of a record that the change created, by its line; nil where only decoding tells.
    static func created(by line: UnsafeRawBufferPointer) -> RecordKey? {
        let quote = UInt8(ascii: "\"")
        guard line.has(start, at: 0), let end = line.place(of: version) else { return nil }
        let stamp = end + version.count
        // Nothing seen and no origins: the stamp is followed by the cells.
        guard line.has(stampStart, at: stamp), let bracket = line.place(of: UInt8(ascii: "]"), from: stamp),
            line.has(stampEnd, at: bracket)
        else { return nil }
        let head = line[..<end]
        guard let middle = line.place(of: quote, from: start.count), line.has(keyStart, at: middle),
            middle + keyStart.count < end, head.last == quote, !head.contains(UInt8(ascii: "\\"))
        else { return nil }
        let collection = String(decoding: head[start.count..<middle], as: UTF8.self)
        return RecordKey(collection, String(decoding: head[(middle + keyStart.count)..<(end - 1)], as: UTF8.self))
    }

    private static let keyStart = Array("\",\"key\":\"".utf8)

    /// Returns the key of a record's line; nil for bytes that are no such line.
    static func key(of line: UnsafeRawBufferPointer) -> String? {
        let (quote, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        if line.has(start, at: 0), let end = line.place(of: quote, from: start.count), line.has(keyStart, at: end) {
            let first = end + keyStart.count
            if let last = line.place(of: quote, from: first), !line[..<last].contains(escape) {
                return String(decoding: line[first..<last], as: UTF8.self)
            }
            // A key of several members is the text of an array, so that its quotation marks are escaped.
            var key: [UInt8] = []
            var place = first
            while place < line.count {
                var byte = line[place]
                if byte == quote { return String(decoding: key, as: UTF8.self) }
                if byte == escape {
                    place += 1
                    guard place < line.count, line[place] == quote || line[place] == escape else { break }
                    byte = line[place]
                }
                key.append(byte)
                place += 1
            }
        }
        // Another escaped character.
        return (try? JSONDocument(parsing: Array(line)))?.root.value.object?["key"]?.string
    }

    /// Returns what a change did to a record, with the record's collection; nil where only decoding tells.
    ///
    /// - Parameter author: The writer of the change.
    static func action(
        of line: UnsafeRawBufferPointer,
        by author: WriterID
    ) -> (collection: String, action: SyncedChange.Action)? {
        guard line.starts(with: start), let end = line.place(of: version),
            let quote = line[start.count..<end].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let name = line[start.count..<quote]
        guard !name.contains(UInt8(ascii: "\\")) else { return nil }
        let collection = String(decoding: name, as: UTF8.self)
        let rest = UnsafeRawBufferPointer(rebasing: line[(end + version.count)...])
        if rest.first == UInt8(ascii: "n") { return (collection, .deleted) }
        guard let cells = rest.place(of: cells) else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: rest[..<cells])
        // A version without the member has one origin: this change.
        guard let found = head.place(of: origins) else { return (collection, .added) }
        let list = UnsafeRawBufferPointer(rebasing: head[found...])
        return list.place(of: Array(author.description.utf8)) == nil ? (collection, .changed) : nil
    }
}
