internal import GRDB
internal import RecordMerge

/// By what records refer to each other, as the repairs ask for it.
extension ReplicaState: LinkedRecords {
    /// The links of a record as they were last kept; nil where there is no such record.
    func links(_ key: RecordKey) throws -> RecordLinks? {
        let isThere = try count(
            "SELECT count(*) FROM record WHERE collection = ? AND key = ? AND line IS NOT NULL",
            [key.collection, key.key]
        )
        return isThere > 0 ? try keptLinks(key) : nil
    }

    /// What is kept of a record's links; none for one that is not there.
    func keptLinks(_ key: RecordKey) throws -> RecordLinks {
        var names: [RecordLinks.Name] = []
        var references: [String] = []
        let sql = "SELECT is_name, target, seen FROM link WHERE collection = ? AND key = ?"
        let rows = try Row.fetchCursor(
            database.cachedStatement(sql: sql),
            arguments: [key.collection, key.key]
        )
        while let row = try rows.next() {
            if row[0] { names.append(RecordLinks.Name(row[1], seen: row[2])) } else { references.append(row[1]) }
        }
        return RecordLinks(names: names, references: references)
    }

    /// Keeps the links of a record in place of those before.
    func setLinks(_ key: RecordKey, _ links: RecordLinks, before: RecordLinks) throws {
        guard links != before else { return }
        if before != RecordLinks() {
            try execute("DELETE FROM link WHERE collection = ? AND key = ?", [key.collection, key.key])
        }
        for name in links.names { try insertLink(key, isName: true, name.text, name.seen) }
        for reference in links.references { try insertLink(key, isName: false, reference, "") }
    }

    private func insertLink(_ key: RecordKey, isName: Bool, _ target: String, _ seen: String) throws {
        try execute(
            "INSERT OR REPLACE INTO link (collection, key, is_name, target, seen) VALUES (?, ?, ?, ?, ?)",
            [key.collection, key.key, isName, target, seen]
        )
    }

    func keys(referringTo text: String) throws -> [RecordKey] { try keys(linkedTo: text, asName: false) }

    func keys(named text: String) throws -> [RecordKey] { try keys(linkedTo: text, asName: true) }

    private func keys(linkedTo text: String, asName isName: Bool) throws -> [RecordKey] {
        let sql = "SELECT collection, key FROM link WHERE target = ? AND is_name = ?"
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [text, isName]).map {
            RecordKey($0[0], $0[1])
        }
    }
}
