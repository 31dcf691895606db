import FormatKit
public import StrictJSON

/// The content of an export of Slate in the current version, checked, its rows in the order of their keys.
///
/// The rows are read from the text of the document when they are asked for: content of a million rows takes little more
/// memory than its text and tape.
public final class SlateContent: SlateSource {
    /// The version of the document that the content was read from.
    public let sourceVersion: Int
    /// The moment of the export, as it was written.
    public let exportedAt: String
    /// The keys and values of the app, as they are in the file; `schema_version` is that of a database of the current
    /// version, as it belongs to the database and not to its content.
    public let meta: JSONObject
    /// Members of the top level that the format does not know.
    public let unknownMembers: JSONObject

    let text: DocumentTape
    private let tables: [SlateTable: SlateRows]
    let exportedAtBytes: UnsafeBufferPointer<UInt8>

    /// Makes the content of a document of the current version that was checked.
    init(_ text: DocumentTape, _ tables: [SlateTable: SlateRows], sourceVersion: Int) {
        self.sourceVersion = sourceVersion
        self.text = text
        self.tables = tables
        let root = text.document.root
        exportedAt = root[SlateMember.exportedAt]?.string ?? ""
        exportedAtBytes =
            root[SlateMember.exportedAt].flatMap { text.string($0.index) } ?? UnsafeBufferPointer(start: nil, count: 0)
        var meta = root[SlateMember.meta]?.value.object ?? JSONObject()
        meta[SlateMember.version] = .string(String(SlateFormat.currentVersion))
        self.meta = meta
        let known = Set(SlateMember.top(SlateFormat.currentVersion).map(ScalarKey.init))
        var unknown = JSONObject()
        for member in root.members where !known.contains(ScalarKey(member.name)) {
            unknown.append(unique: member.name, member.value.value)
        }
        unknownMembers = unknown
    }

    /// Returns the number of rows of a table.
    public func count(_ table: SlateTable) -> Int { tables[table]?.places.count ?? 0 }

    /// The number of rows of all tables.
    public var count: Int { SlateTable.allCases.reduce(0) { $0 + count($1) } }

    /// Returns the rows of a table, for reading them one after the other.
    package func cursor(_ table: SlateTable) -> SlateCursor {
        SlateCursor(tables[table] ?? SlateRows(table, in: text, at: nil), exportedAt: exportedAtBytes)
    }

    /// Returns the rows of a table.
    package func rows(of table: SlateTable) -> any SlateRowStream { cursor(table) }

    /// Returns the position of the row with a key; nil where there is none.
    package func position(of key: [UInt8], in table: SlateTable) -> Int? {
        key.withUnsafeBufferPointer { tables[table]?.find($0) }
    }
}
