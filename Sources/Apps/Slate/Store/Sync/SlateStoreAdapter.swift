internal import FileSystem
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Slate's own database, as synchronisation sees it.
struct SlateStoreAdapter: StoreAdapter {
    let app = AppID.slate
    let collections = ["", SlateMember.meta] + SlateTable.allCases.map(\.name)
    let wholeCollections: Set<String> = ["", SlateMember.meta]
    let singleRecords: Set<String> = ["", SlateMember.meta]
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
    ///
    /// No other table is looked into: where the app makes one anew, SQLite refuses to rename it as long as a trigger names
    /// what is not there for the moment.
    private static var extras: JournalSource {
        let name = "$row.table_name"
        let columns = ["table_name", "row_key"]
        func names(_ tables: [SlateTable]) -> String { tables.map { "'\($0.name)'" }.joined(separator: ", ") }
        func note(_ key: String, of names: String) -> JournalNote {
            JournalNote(collection: name, key: key, columns: columns, condition: "\(name) IN (\(names))")
        }
        let row = "'\(JournalKey.row)' || \(JournalKey.expression(["row_key"], of: "$row"))"
        let notes = [
            note("$row.row_key", of: names(SlateTable.allCases.filter(\.unique.isEmpty))),
            note(row, of: names(SlateTable.allCases.filter { !$0.unique.isEmpty })),
            note("''", of: "'', '\(SlateMember.meta)'"),
        ]
        return JournalSource(table: SlateSchema.extraTable, notes: notes)
    }

    func key(ofRow id: String, in collection: String, _ database: Database) throws -> String? {
        guard let table = SlateTable(rawValue: collection) else { return nil }
        var key: String?
        let names = table.syncKey.map(\.quotedName).joined(separator: ", ")
        let sql = "SELECT \(names) FROM \(table.name) WHERE \(table.primaryKey) = ?"
        try database.forEachRow(sql, [Array(id.utf8)]) { row in
            let texts = table.syncKey.indices.compactMap { row.string($0) }
            if texts.count == table.syncKey.count { key = JournalKey.canonical(texts) }
        }
        return key
    }

    func fault(of object: JSONObject, in collection: String) -> String? {
        RecordReading.slateFault(of: object, in: collection)
    }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try file(path).openForWriting(mustExist: true, upgrading: true)
    }

    private func file(_ path: String) -> SlateFile {
        SlateFile(path: path, excluded: [], takesUnknownColumns: true, hasSettings: false)
    }

    func make(_ path: String) throws {
        try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: true)).makeTables()
    }

    func pendingUpgrade(of path: String) throws(StoreError) -> StoreUpgrade? {
        let file = file(path)
        let version = try file.openForReading().version
        guard version < SlateSchema.version else { return nil }
        return StoreUpgrade(from: version, to: SlateSchema.version) { moment in
            let purpose = SlateDatabase.Purpose.writing(mustExist: true, upgrading: true)
            return try SlateDatabase(file, for: purpose).upgrade(moment: moment)?.path
        }
    }

    func prepare(_ database: Database, path: String) throws {
        let version = try version(of: database, path: path)
        guard version == SlateSchema.version else {
            let message =
                "the database has version \(version) of Slate's tables, and sync needs version \(SlateSchema.version); "
                + "foldersync join FOLDER --store \(ShellText.quoted(path)) upgrades it, with consent and a copy first"
            throw StoreError(.olderVersion, message, path: path)
        }
        try database.execute(sql: SlateSchema.makeExtraTable)
    }

    func unknown(_ database: Database, path: String) throws -> [String] { try file(path).unknownNames(database) }

    func version(of database: Database, path: String) throws -> Int {
        guard case .slate(let version) = try file(path).state(of: database) else {
            throw StoreError(.notFound, "there is no Slate database at this path any more", path: path)
        }
        return version
    }

    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader {
        SlateRecordSource(try SlateRecords(database, version: version, path: path, excluded: [SlateStorage.name]))
    }

    func writer(_ database: Database, path: String) throws -> any StoreWriter {
        SlateSyncWriter(
            try SlateRecords(database, version: SlateSchema.version, path: path, excluded: [SlateStorage.name])
        )
    }
}
