package import SQLiteDatabase
internal import StrictJSON
internal import Synchronization

/// The tables that a linked store has in addition to its own.
package enum SyncTables {
    /// One row: the store's replica, and a number that grows with every note.
    package static let link = "satchel_sync"
    /// The dirty records.
    package static let journal = "satchel_journal"
    /// The reasons why a program removed entries of a log since then, and the records that the last write left out.
    ///
    /// A reason is `evicted` for a retention rule, or `deleted` for a person. A record that was left out has both of its
    /// names as its key, in the collection ``leftOut``.
    package static let removed = "satchel_removed"
    /// Stands for the collection of a record that a write left out; its key is then both of the record's names.
    static let leftOut = "satchel_left_out"
    /// All of them.
    package static let names: Set<String> = [link, journal, removed]

    static let make = """
        CREATE TABLE IF NOT EXISTS \(link) (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            space TEXT NOT NULL,
            replica TEXT NOT NULL,
            generation INTEGER NOT NULL,
            revision INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS \(journal) (
            collection TEXT NOT NULL,
            key NOT NULL,
            PRIMARY KEY (collection, key)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS \(removed) (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (collection, key)
        ) WITHOUT ROWID;
        """

    /// The first statement of the triggers for dirty rows.
    package static let count = "UPDATE \(link) SET revision = revision + 1;"
}

/// The known state of a store's triggers, while its schema stays the same.
package final class KnownTriggers: Sendable {
    private let known = Mutex<(schema: Int, areIntact: Bool)?>(nil)

    /// Checks the triggers, unless that happened since the schema last changed.
    package func areIntact(_ database: Database, _ look: () throws -> Bool) throws -> Bool {
        let schema = try Int.fetchOne(database, sql: "PRAGMA schema_version") ?? 0
        if let known = known.withLock({ $0 }), known.schema == schema { return known.areIntact }
        let areIntact = try look()
        known.withLock { $0 = (schema, areIntact) }
        return areIntact
    }
}

/// The link and the journal of a store in one transaction.
package struct SyncState {
    package let database: Database
    package let adapter: any StoreAdapter
    package let path: String
    package let triggers: KnownTriggers

    // MARK: Reading

    /// Returns the link and the revision; nil for a store that was never linked.
    package func link() throws -> (link: SyncLink, revision: Int)? {
        guard try database.names(ofType: "table").contains(SyncTables.link) else { return nil }
        var found: (SyncLink, Int)?
        try database.forEachRow("SELECT space, replica, generation, revision FROM \(SyncTables.link)") { row in
            guard let space = row.string(0), let replica = row.string(1), case .integer(let generation) = row.value(2),
                case .integer(let revision) = row.value(3)
            else {
                throw StoreError(.record, "the table \(SyncTables.link) holds no link; join again", path: path)
            }
            found = (SyncLink(space: space, replica: replica, generation: generation), revision)
        }
        return found
    }

    /// Returns whether all triggers exist as they would be made now.
    package func isIntact() throws -> Bool {
        try triggers.areIntact(database) {
            let triggers = JournalTriggers(database)
            guard try database.names(ofType: "table").contains(SyncTables.journal) else { return false }
            return try triggers.present() == triggers.statements(for: adapter.sources)
        }
    }

    /// Returns a number that changes with tables, indexes and triggers.
    package func schema() throws -> Int { try Int.fetchOne(database, sql: "PRAGMA schema_version") ?? 0 }

    package func mark() throws -> JournalMark {
        let revision = try link()?.revision ?? 0
        let isIntact = try revision > 0 && self.isIntact()
        return JournalMark(
            revision: revision,
            isIntact: isIntact,
            further: isIntact ? try adapter.furtherKeys(database) : []
        )
    }

    package func journal() throws -> SyncJournal {
        let revision = try link()?.revision ?? 0
        var isIntact = try revision > 0 && self.isIntact()
        var keys = JournalKeys()
        // Several rows may belong to one record whose key has several members.
        var composite: Set<StoreRecordKey> = []
        var last: (collection: String, isComposite: Bool)?
        if isIntact {
            let sql = "SELECT collection, key FROM \(SyncTables.journal) ORDER BY collection, key"
            try database.forEachRow(sql) { row in
                guard let collection = row.string(0), let text = row.string(1) else {
                    // Reading all records finds the row without a text as its key, if it still exists.
                    isIntact = false
                    return
                }
                if last?.collection.hasSameScalars(as: collection) != true {
                    last = (collection, adapter.compositeKeys[collection] != nil)
                }
                if last?.isComposite != true {
                    keys.append(StoreRecordKey(collection, text))
                } else if let found = try adapter.keys(ofJournal: text, in: collection, database) {
                    composite.formUnion(found)
                } else {
                    isIntact = false
                }
            }
        }
        if isIntact { composite.formUnion(try adapter.furtherKeys(database)) }
        if !composite.isEmpty { keys = JournalKeys((Array(keys) + composite).sorted()) }
        return SyncJournal(keys: isIntact ? keys : [], revision: revision, isIntact: isIntact)
    }

    /// Returns why one of our programs removed an entry of a log; nil where none did.
    package func removal(of key: StoreRecordKey) throws -> LogRemoval? {
        guard try hasRemoved else { return nil }
        let sql = "SELECT reason FROM \(SyncTables.removed) WHERE collection = ? AND key = ?"
        let statement = try database.cachedStatement(sql: sql)
        let reason = try String.fetchOne(statement, arguments: [key.collection, key.key])
        return reason.flatMap(LogRemoval.init)
    }

    /// True if the table exists; a store that an older program linked lacks it.
    private var hasRemoved: Bool {
        get throws { try database.names(ofType: "table").contains(SyncTables.removed) }
    }

    // MARK: Writing

    /// Makes tables and triggers, clears them, and sets the link.
    package func setLink(_ link: SyncLink) throws {
        try database.execute(sql: SyncTables.make)
        try makeTriggers()
        try clear(link)
    }

    private func makeTriggers() throws {
        let triggers = JournalTriggers(database)
        let (present, wanted) = (try triggers.present(), try triggers.statements(for: adapter.sources))
        for name in present.keys.sorted() where present[name] != wanted[name] { try drop(trigger: name) }
        for name in wanted.keys.sorted() where present[name] != wanted[name] {
            if let sql = wanted[name] { try database.execute(sql: sql) }
        }
    }

    /// Clears the journal and sets the link; the revision continues, so that it never repeats.
    ///
    /// - Parameter keepsReasons: Whether to keep the reasons of removals, because their notes come back.
    package func clear(_ link: SyncLink, keepingReasons keepsReasons: Bool = false) throws {
        let revision = try self.link()?.revision ?? 0
        try database.execute(sql: "DELETE FROM \(SyncTables.journal)")
        if try hasRemoved {
            let condition = keepsReasons ? " WHERE collection = '\(SyncTables.leftOut)'" : ""
            try database.execute(sql: "DELETE FROM \(SyncTables.removed)\(condition)")
        }
        try adapter.clear(database)
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO \(SyncTables.link) (id, space, replica, generation, revision)
                VALUES (1, ?, ?, ?, ?)
                """,
            arguments: [link.space, link.replica, link.generation, revision + 1]
        )
    }

    /// Clears the journal except for the notes of other records.
    package func clear(
        _ link: SyncLink,
        except known: Set<StoreRecordKey>,
        keepingReasons keepsReasons: Bool
    ) throws {
        let kept = try journalRows().filter { row in
            let (collection, text) = (row[0], row[1])
            let found = try adapter.keys(ofJournal: text, in: collection, database) ?? []
            return !found.isSubset(of: known)
        }
        try clear(link, keepingReasons: keepsReasons)
        try note(kept)
    }

    /// Notes the records that a write leaves out, which commits with it.
    package func noteLeftOut(_ keys: [StoreRecordKey]) throws {
        guard !keys.isEmpty else { return }
        if try !hasRemoved { try database.execute(sql: SyncTables.make) }
        let sql = "INSERT OR REPLACE INTO \(SyncTables.removed) (collection, key, reason) VALUES (?, ?, 'left out')"
        let statement = try StoreStatement(database, sql)
        for key in keys {
            try statement.bind(1, text: SyncTables.leftOut)
            try statement.bind(2, text: JournalKey.canonical([key.collection, key.key]))
            try statement.run()
        }
    }

    /// Returns the records that the last write left out.
    package func leftOut() throws -> Set<StoreRecordKey> {
        guard try hasRemoved else { return [] }
        var keys: Set<StoreRecordKey> = []
        let sql = "SELECT key FROM \(SyncTables.removed) WHERE collection = '\(SyncTables.leftOut)'"
        try database.forEachRow(sql) { row in
            let names = row.string(0).flatMap { try? JSONDocument(parsing: $0).root.value.array }?.compactMap(\.string)
            guard let names, names.count == 2 else {
                throw StoreError(.record, "the table \(SyncTables.removed) names no record; join again", path: path)
            }
            keys.insert(StoreRecordKey(names[0], names[1]))
        }
        return keys
    }

    /// Returns the rows of the journal: a collection and the name of a record.
    package func journalRows() throws -> [[String]] {
        var rows: [[String]] = []
        try database.forEachRow("SELECT collection, key FROM \(SyncTables.journal)") { row in
            if let collection = row.string(0), let text = row.string(1) { rows.append([collection, text]) }
        }
        return rows
    }

    /// Notes rows in the journal.
    package func note(_ rows: [[String]]) throws {
        guard !rows.isEmpty else { return }
        let sql = "INSERT OR IGNORE INTO \(SyncTables.journal) (collection, key) VALUES (?, ?)"
        let statement = try StoreStatement(database, sql)
        for row in rows {
            for (index, text) in row.enumerated() { try statement.bind(index + 1, optional: text) }
            try statement.run()
        }
    }

    /// Removes tables and triggers.
    package func remove() throws {
        try removeTriggers()
        for name in SyncTables.names.sorted() { try database.execute(sql: "DROP TABLE IF EXISTS \(name)") }
    }

    package func removeTriggers() throws {
        for name in try JournalTriggers(database).present().keys.sorted() { try drop(trigger: name) }
    }

    private func drop(trigger name: String) throws { try database.execute(sql: "DROP TRIGGER \(name.quotedName)") }
}
