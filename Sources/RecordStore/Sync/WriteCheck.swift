internal import SQLiteDatabase
internal import StrictJSON

/// Reads written records again, for a database that changes them.
///
/// Such a database has foreign triggers, constraints that drop rows silently, or foreign keys whose actions sync does
/// not know.
///
/// A record that the database changed counts as rejected: its changed form would later look like a person's edit on
/// this device. The journal keeps the notes of other records that the database changed.
package final class WriteCheck {
    private let state: SyncState
    private let source: any StoreReader
    private let cause: String
    /// The records written here, or noted before.
    package var known: Set<StoreRecordKey>
    private var hasBegun = false

    /// Makes a check; nil for a database that keeps what it gets, like those of the five apps.
    package init?(_ state: SyncState) throws {
        guard let cause = try Self.cause(state) else { return nil }
        let version = try state.adapter.version(of: state.database, path: state.path)
        self.state = state
        self.cause = cause
        source = try state.adapter.source(state.database, version: version, path: state.path)
        known = Set(try state.journal().keys)
    }

    /// Removes the journal's notes, which sync has read, before the first write.
    ///
    /// Without this, one that the database changes again would look as before.
    package func begin() throws {
        guard !hasBegun else { return }
        hasBegun = true
        try state.database.execute(sql: "DELETE FROM \(SyncTables.journal)")
        known = []
    }

    private static func cause(_ state: SyncState) throws -> String? {
        let tables = Set(state.adapter.sources.map { $0.table.lowercased() })
        var triggers: [String] = []
        var constraint: String?
        let sql = """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE type = 'trigger' OR type = 'table' AND sql LIKE '%CONFLICT%' ORDER BY name
            """
        try state.database.forEachRow(sql) { row in
            // SQLite keeps the table's name as the trigger's statement spells it.
            guard let name = row.string(1), let table = row.string(2)?.lowercased(), tables.contains(table) else {
                return
            }
            if row.string(0) == "trigger" {
                if !JournalTriggers.areOurs(name) { triggers.append(quoted(name)) }
            } else if let sql = row.string(3), SQLToken.tokens(of: sql).contains(words: "ON CONFLICT") {
                constraint = "a constraint of the table \(quoted(name)), ON CONFLICT,"
            }
        }
        guard let trigger = triggers.first else { return try constraint ?? foreignKey(state) }
        guard triggers.count > 1 else { return "the trigger \(trigger) of the database" }
        return "one of the database's triggers \(triggers.joined(separator: ", "))"
    }

    /// Returns a foreign key by which the database changes other rows than the declaration says; nil where it has none.
    private static func foreignKey(_ state: SyncState) throws -> String? {
        guard let declaration = state.adapter.declaration, declaration.enforcesForeignKeys else { return nil }
        var found: String?
        for table in declaration.tables where found == nil {
            try state.database.forEachRow("PRAGMA foreign_key_list(\(table.name.quotedName))") { row in
                guard let name = row.string(2)?.lowercased(), let column = row.string(3)?.lowercased() else { return }
                let target = declaration.tables.first { $0.name.lowercased() == name }
                let key = target?.key.map { $0.lowercased() } ?? []
                // Without a name of a column it is the primary key.
                let to = row.string(4)?.lowercased()
                let reference = table.columns.first { $0.name.lowercased() == column }?.reference
                let isDeclared = target != nil && reference?.table == target?.name && (to == nil || key == [to])
                let (update, delete) = (row.string(5)?.uppercased() ?? "", row.string(6)?.uppercased() ?? "")
                let isFollowed =
                    switch reference?.onDelete {
                    case .cascade, .block: isDeclared
                    case .setNull: isDeclared && delete == "SET NULL"
                    case .keep, nil: false
                    }
                if target != nil, actions.contains(delete), !isFollowed {
                    found = "a foreign key of the table \(quoted(table.name)), ON DELETE \(delete),"
                } else if actions.contains(update), target != nil, let to, !key.contains(to) {
                    // Sync changes any column but the key.
                    found = "a foreign key of the table \(quoted(table.name)), ON UPDATE \(update),"
                }
            }
        }
        return found
    }

    private static let actions = ["CASCADE", "SET NULL", "SET DEFAULT"]

    /// Compares records with the edits just written.
    ///
    /// - Throws: ``SyncRefusal``.
    package func check(_ edits: [SyncEdit]) throws {
        for edit in edits {
            let found = try source.record(edit.key)
            guard let object = edit.object else {
                guard found == nil else { throw refusal(edit, "kept it, and it was to be deleted") }
                continue
            }
            guard let found else { throw refusal(edit, "left it out") }
            for member in object {
                let stored = found[member.name] ?? .null
                guard stored != member.value else { continue }
                let text = String(stored.text(.compact).prefix(100))
                throw refusal(edit, "made \(text) of the member \(quoted(member.name))")
            }
        }
        guard let first = edits.first else { return }
        let written = known.union(edits.map(\.key))
        for key in try state.journal().keys where !written.contains(key) {
            guard try source.record(key) == nil else { continue }
            throw refusal(first, "removed the record \(quoted(key.key)) of \(key.collection) for it")
        }
        known = written
    }

    /// Clears the journal except for records that nobody wrote here.
    package func clear(_ link: SyncLink, keepingReasons keepsReasons: Bool) throws {
        try state.clear(link, except: known, keepingReasons: keepsReasons)
    }

    private func refusal(_ edit: SyncEdit, _ reason: String) -> SyncRefusal {
        SyncRefusal(key: edit.key, reason: "\(cause) \(reason)")
    }
}
