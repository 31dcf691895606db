import FormatKit
public import StrictJSON

/// The content of an export of Slate in the current version, checked, its rows in the order of their keys.
///
/// The values of the rows are kept packed: content of a million rows takes half of the memory of its text.
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

    private let tables: [SlateTable: SlateRows]
    /// The bytes of ``exportedAt``, which an array that never changes keeps at their place.
    private let moment: [UInt8]

    /// Makes the content of a document of the current version.
    ///
    /// - Parameter members: The members of the top level that are no tables.
    init(_ tables: [SlateTable: SlateRows], _ members: JSONObject, sourceVersion: Int) {
        self.sourceVersion = sourceVersion
        self.tables = tables
        exportedAt = members[SlateMember.exportedAt]?.string ?? ""
        moment = Array(exportedAt.utf8)
        var meta = members[SlateMember.meta]?.object ?? JSONObject()
        meta[SlateMember.version] = .string(String(SlateFormat.currentVersion))
        self.meta = meta
        let known = Set(SlateMember.top(SlateFormat.currentVersion).map(ScalarKey.init))
        var unknown = JSONObject()
        for member in members where !known.contains(ScalarKey(member.name)) {
            unknown.append(unique: member.name, member.value)
        }
        unknownMembers = unknown
    }

    /// Returns the number of rows of a table.
    public func count(_ table: SlateTable) -> Int { tables[table]?.places.count ?? 0 }

    /// The number of rows of all tables.
    public var count: Int { SlateTable.allCases.reduce(0) { $0 + count($1) } }

    /// Returns the rows of a table, for reading them one after the other.
    package func cursor(_ table: SlateTable) -> SlateCursor {
        SlateCursor(tables[table] ?? SlateRows(table), exportedAt: moment.withUnsafeBufferPointer { $0 })
    }

    /// Returns the rows of a table.
    package func rows(of table: SlateTable) -> any SlateRowStream { cursor(table) }

    /// Returns the position of the row with a key; nil where there is none.
    package func position(of key: [UInt8], in table: SlateTable) -> Int? {
        key.withUnsafeBufferPointer { tables[table]?.find($0) }
    }
}
