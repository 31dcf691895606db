package import StrictJSON

/// Writes the text of a column that should hold JSON: as that JSON, or as a string where it is none of the column's kind.
///
/// Either way it comes back: a string in such a member is the text of the column.
package struct SlateJSONText: ~Copyable {
    private var fragments = JSONFragments()
    private let kind: TapeWord.Tag

    package init(_ table: SlateTable) { kind = table == .activityLog ? .object : .array }

    package mutating func write(_ text: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter) {
        // Around it are the document, the table and the row.
        guard let found = try? fragments.read(text, depth: 3), found == kind else { return writer.string(utf8: text) }
        fragments.write(text, to: &writer)
    }

    /// Writes JSON of any kind that was checked.
    package mutating func copy(_ text: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter) {
        guard (try? fragments.read(text, depth: 3)) != nil else { return writer.string(utf8: text) }
        fragments.write(text, to: &writer)
    }
}
