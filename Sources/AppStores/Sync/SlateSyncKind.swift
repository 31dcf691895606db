internal import AppFormats
internal import GRDB

/// Slate's own database, as synchronisation sees it.
struct SlateSyncKind: SyncKind {
    let app = SyncApp.slate
    let collections = ["", SlateMember.meta] + SlateTable.allCases.map(\.name)
    let wholeCollections: Set<String> = ["", SlateMember.meta]
    let compositeKeys = Dictionary(
        uniqueKeysWithValues: SlateTable.allCases.filter { !$0.unique.isEmpty }.map { ($0.name, $0.unique) }
    )
    let sources =
        SlateTable.allCases.map(Self.source) + [
            JournalSource(table: SlateMember.meta, notes: [.whole(SlateMember.meta)]), extras,
        ]

    private static func source(_ table: SlateTable) -> JournalSource {
        let key = table.syncKey
        let note = key.count == 1 ? JournalNote.row(of: table.name, by: key[0]) : .row(of: table.name, by: key)
        return JournalSource(table: table.name, notes: [note])
    }

    /// Unknown members of rows are part of them.
    private static var extras: JournalSource {
        let name = "$row.table_name"
        let (composite, plain) = (
            SlateTable.allCases.filter { !$0.unique.isEmpty }, SlateTable.allCases.filter { $0.unique.isEmpty }
        )
        let names = plain.map { "'\($0.name)'" }.joined(separator: ", ")
        let columns = ["table_name", "row_key"]
        var notes = [
            JournalNote(collection: name, key: "$row.row_key", columns: columns, condition: "\(name) IN (\(names))"),
            JournalNote(collection: name, key: "''", columns: columns, condition: "\(name) IN ('', 'meta')"),
        ]
        for table in composite {
            notes.append(
                JournalNote(
                    collection: name,
                    key: JournalKey.expression(table.unique, of: "r"),
                    columns: columns,
                    from: "\(table.name) r",
                    condition: "\(name) = '\(table.name)' AND r.\(table.primaryKey) = $row.row_key"
                )
            )
        }
        return JournalSource(table: SlateSchema.extraTable, notes: notes)
    }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try file(path).openForWriting(mustExist: true, upgrading: true)
    }

    private func file(_ path: String) -> SlateFile {
        SlateFile(path: path, excluded: [], takesUnknownColumns: true)
    }

    func make(_ path: String) throws {
        try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: true)).makeTables()
    }

    func upgrade(_ database: Database, path: String) throws {
        try file(path).makeTables(database)
        try database.execute(sql: SlateSchema.makeExtraTable)
    }

    func version(of database: Database, path: String) throws -> Int {
        guard case .slate(let version) = try file(path).state(of: database) else {
            throw StoreError(.notFound, "there is no Slate database at this path any more", path: path)
        }
        return version
    }

    func source(_ database: Database, version: Int, path: String) throws -> any SyncSource {
        SlateSource(try SlateRecords(database, version: version, path: path))
    }

    func writer(_ database: Database, path: String) throws -> any SyncTransaction {
        SlateSyncWriter(try SlateRecords(database, version: SlateSchema.version, path: path))
    }
}
