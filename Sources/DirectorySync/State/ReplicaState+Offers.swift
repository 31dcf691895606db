internal import RecordStore
internal import RecordMerge
internal import StrictJSON

/// Files that a device which can only export was given, which it may have imported or not.
extension ReplicaState {
    /// A record in a file and in the later ones.
    private struct Offer {
        let number: Int
        let object: JSONObject?
        /// The state that it was resolved from.
        let record: RecordState?
    }

    /// Compares a file with the device's records, and keeps the differences.
    ///
    /// - Returns: Whether the device's records differ.
    func offer(_ gift: any SyncRecords, _ info: ReplicaApp) throws -> Bool {
        var given: [RecordKey: JSONObject] = [:]
        // An app may export a single record, such as its settings, in any form.
        let collections = Set(
            info.schema.document.members.map(\.name).filter { name in
                info.schema.collection(name).map { $0.rule != .record } ?? false
            }
        )
        for collection in collections {
            try gift.forEachRecord(in: collection) { key, object in
                let key = RecordKey(key)
                given[key] = info.sent(key, object)
            } unreadable: { _ in
            }
        }
        let touched = Set(try unapplied(limit: .max))
        let offers = try offers()
        let held = try keysInStore()
        var isNew = false
        var rows: [(key: RecordKey, offer: Offer)] = []
        let number = try count("SELECT coalesce(max(number), 0) + 1 FROM gift")
        var isOtherFile = false
        for key in Set(given.keys).union(touched).union(offers.keys).union(held).sorted()
        where collections.contains(key.collection) {
            let record = try self.held(key)
            let had = record?.inStore(key, schema)
            isNew = isNew || had != given[key]
            let last = offers[key]?.last
            isOtherFile = isOtherFile || (last.map(\.object) ?? had) != given[key]
            if let last, last.object == given[key], last.record == record?.record { continue }
            if last == nil, had == given[key], !touched.contains(key) { continue }
            rows.append((key, Offer(number: number, object: given[key], record: record?.record)))
        }
        guard isOtherFile else { return isNew }
        try execute("INSERT INTO gift (number, heads) VALUES (?, ?)", [number, try headsText()])
        for row in rows { try insert(row.offer, row.key) }
        return isNew
    }

    /// Returns the last file that the device has imported, as its export shows; nil where it shows none.
    ///
    /// The export has a record that nobody could make again: one with an identifier from this file, or one exactly as
    /// this file changed it. A later file may have the record, too. Where an import replaces everything, the export
    /// speaks against a file with each record that is as it was before, and which the file lacks or has otherwise: of
    /// the files that may be meant it is then the one with the least against it, and of those the first.
    ///
    /// The result is nil if more records speak against that file than for it. After a restore the device may have records
    /// from a file that this replica forgot. Taking that for an import would delete records that the device never had.
    ///
    /// - Parameter isReplacing: Whether an import replaces all that the device has.
    func importedOffer(isReplacing: Bool, _ exported: (RecordKey) throws -> JSONObject?) throws -> Int? {
        var latest: Int?
        /// The files' versions of records that the device has as before.
        var unchanged: [(had: JSONObject, offers: [Offer])] = []
        var all: [(had: JSONObject?, has: JSONObject?, offers: [Offer])] = []
        for (key, offers) in try offers() {
            let has = try exported(key)
            let had = try held(key)?.inStore(key, schema)
            all.append((had, has, offers))
            guard let object = has, let id = object["id"]?.string else { continue }
            guard object != had else {
                unchanged.append((object, offers))
                continue
            }
            var before = had
            for offer in offers {
                defer { before = offer.object }
                guard let given = offer.object, given != before else { continue }
                if lacksOwn(offer, key, had) { continue }
                let isNew = had == nil && before == nil && key.key == id
                if given == object || isNew { latest = max(latest ?? 0, offer.number) }
            }
        }
        guard isReplacing, let latest else { return latest }
        let numbers = try rows("SELECT number FROM gift WHERE number >= ? ORDER BY number", [latest], { $0.integer(0) })
        func against(_ number: Int) -> Int {
            unchanged.count { had, offers in
                offers.last { $0.number <= number }.map { $0.object != had } ?? false
            }
        }
        let number =
            numbers.map { (number: $0, against: against($0)) }.min { $0.against < $1.against }?.number ?? latest
        var balance = 0
        for (had, has, offers) in all {
            guard let offer = offers.last(where: { $0.number <= number }), offer.object != had else { continue }
            if has == offer.object || had == nil && has != nil { balance += 1 } else if has == had { balance -= 1 }
        }
        return balance >= 0 ? number : nil
    }

    /// Notes that the device has the content of a file: it has seen the state behind it, and no more.
    ///
    /// - Parameter isReplaced: Returns whether the device has the file's version of a record, given its earlier one.
    func noteImport(
        of number: Int,
        _ isReplaced: (_ key: RecordKey, _ before: JSONObject?, _ given: JSONObject?) throws -> Bool
    ) throws {
        guard let heads = try rows("SELECT heads FROM gift WHERE number = ?", [number], { $0.text(0) }).first ?? nil
        else { throw damaged("gift", "\(number)") }
        for (key, offers) in try offers() {
            guard let offer = offers.last(where: { $0.number <= number }),
                try isReplaced(key, held(key)?.inStore(key, schema), offer.object)
            else { continue }
            try noteImport(of: offer, key, heads: heads)
        }
        try execute("DELETE FROM offered WHERE number <= ?", [number])
        try execute("DELETE FROM gift WHERE number <= ?", [number])
    }

    private func noteImport(of offer: Offer, _ key: RecordKey, heads: String) throws {
        let held = try held(key)
        if held == nil, offer.object != nil { try insertDeleted(key) }
        try setInStore(key, offer.object, shown: held?.resolved(key, schema))
        if offer.record == held?.record {
            try markApplied([key])
        } else {
            try setApplied(key, offer.record, heads: heads)
        }
    }

    /// Notes each record that the device has from a file, though nothing shows that it imported all of that file.
    ///
    /// All that the file changed of the record stands in the export, or both lack it, and the file's author had seen what
    /// the device had. So the device's edits are the differences from the file.
    ///
    /// - Parameters:
    ///   - canRemove: Returns whether the import of a file can have removed records of a collection.
    ///   - exported: Returns a record of the export.
    /// - Returns: Whether there is such a record.
    func noteImportedRecords(
        canRemove: (String) throws -> Bool,
        _ exported: (RecordKey) throws -> JSONObject?
    ) throws -> Bool {
        let gifts = try rows("SELECT number, heads FROM gift", [], { ($0.integer(0), $0.text(1) ?? "") })
        let seen = try gifts.map { number, text in
            guard let heads = Self.heads(text) else { throw damaged("gift", "\(number)") }
            return (number, VersionVector(heads.map(\.dot)))
        }
        let vectors = Dictionary(seen) { first, _ in first }
        let heads = Dictionary(gifts) { first, _ in first }
        var isAny = false
        for key in try keys("SELECT DISTINCT collection, key FROM offered") {
            let has = try exported(key)
            let had = try held(key)?.inStore(key, schema)
            guard has != had, try has != nil || canRemove(key.collection) else { continue }
            let known: [RecordVersion]
            switch try applied(key) {
            case .current: known = try held(key)?.record?.versions ?? []
            case .earlier(let earlier, _): known = earlier?.versions ?? []
            case .unknown: continue
            }
            var best: (offer: Offer, standing: Int)?
            for offer in try offers(of: key) where offer.object != had {
                guard let vector = vectors[offer.number], known.allSatisfy({ vector.covers($0.stamp.dot) }),
                    !lacksOwn(offer, key, had),
                    let standing = standing(offer.object, key, since: had, in: has), standing > best?.standing ?? 0
                else { continue }
                best = (offer, standing)
            }
            guard let offer = best?.offer, let heads = heads[offer.number] else { continue }
            try noteImport(of: offer, key, heads: heads)
            try execute(
                "DELETE FROM offered WHERE collection = ? AND key = ? AND number <= ?",
                [key.collection, key.key, offer.number]
            )
            isAny = true
        }
        return isAny
    }

    /// Returns whether a file lacks what the device made of a record, as the store rejects that: whoever has the file's
    /// version took it back.
    private func lacksOwn(_ offer: Offer, _ key: RecordKey, _ had: JSONObject?) -> Bool {
        guard let record = offer.record, let had, offer.object != had else { return false }
        return schema.resolved(key, record).object == had
    }

    /// Returns how much of what a file changed of a record stands in the export; nil where a part of it does not.
    private func standing(
        _ given: JSONObject?,
        _ key: RecordKey,
        since had: JSONObject?,
        in has: JSONObject?
    ) -> Int? {
        guard let given, let has else { return given == nil && has == nil ? .max : nil }
        // Two devices can make a record with the same natural key, with identifiers of their own.
        guard had != nil || has["id"] != nil && has["id"] == given["id"] else { return nil }
        let standing = schema.record(in: key.collection).standing(given, since: had, in: has)
        return given == has ? standing.map { $0 > 0 ? .max : 0 } : standing
    }

    /// Returns whether the last file has a record that the device's last export has otherwise.
    ///
    /// - Parameter isReplacing: Whether an import replaces all that the device has.
    func awaitsImport(isReplacing: Bool) throws -> Bool {
        let sql = "SELECT object FROM offered WHERE collection = ? AND key = ? ORDER BY number DESC LIMIT 1"
        return try keys("SELECT DISTINCT collection, key FROM offered").contains { key in
            let given = try rows(sql, [key.collection, key.key]) { try object($0.text(0), key) }.first ?? nil
            return try (given != nil || isReplacing) && given != held(key)?.inStore(key, schema)
        }
    }

    /// Keeps the files' versions of a record that the device is about to change: it may still import an older file.
    ///
    /// - Parameter before: The device's earlier record; nil where it had none.
    func keepOffered(_ key: RecordKey, _ before: JSONObject?) throws {
        let first = try count("SELECT coalesce(min(number), 0) FROM gift")
        guard first > 0 else { return }
        let record: RecordState?
        switch try applied(key) {
        case .current: record = try held(key)?.record
        case .earlier(let earlier, _): record = earlier
        case .unknown: return
        }
        try insert(Offer(number: first, object: before, record: record), key)
    }

    /// Renames a fork in the records of files.
    func renameOffered(_ fork: WriterFork, before: WriterHead?) throws {
        for (key, offers) in try offers() {
            for offer in offers {
                guard let renamed = offer.record.map(fork.renamed), renamed != offer.record else { continue }
                try execute(
                    "UPDATE offered SET line = ? WHERE collection = ? AND key = ? AND number = ?",
                    [renamed.encodedLine(key), key.collection, key.key, offer.number]
                )
            }
        }
        for (number, text) in try rows("SELECT number, heads FROM gift", [], { ($0.integer(0), $0.text(1) ?? "") }) {
            guard let heads = Self.renamed(text, fork, before: before) else { continue }
            try execute("UPDATE gift SET heads = ? WHERE number = ?", [heads, number])
        }
    }

    /// Returns the files' versions of records, in the order of the files.
    private func offers() throws -> [RecordKey: [Offer]] {
        let offers = try rows("\(Self.selection) ORDER BY number") { row in
            let key = RecordKey(row.text(3) ?? "", row.text(4) ?? "")
            return (key, try offer(row, key))
        }
        return Dictionary(grouping: offers, by: \.0).mapValues { $0.map(\.1) }
    }

    private func offers(of key: RecordKey) throws -> [Offer] {
        let sql = "\(Self.selection) WHERE collection = ? AND key = ? ORDER BY number"
        return try rows(sql, [key.collection, key.key]) { try offer($0, key) }
    }

    private static let selection = "SELECT number, object, line, collection, key FROM offered"

    private func offer(_ row: StoreStatement, _ key: RecordKey) throws -> Offer {
        Offer(
            number: row.integer(0),
            object: try object(row.text(1), key),
            record: try row.bytes(2).map { try decode($0, key) }
        )
    }

    private func object(_ text: String?, _ key: RecordKey) throws -> JSONObject? {
        try text.map { text in
            guard let object = try? JSONDocument(parsing: text).root.value.object else {
                throw damaged("offered", key.key)
            }
            return object
        }
    }

    private func insert(_ offer: Offer, _ key: RecordKey) throws {
        try execute(
            "INSERT OR IGNORE INTO offered (collection, key, number, object, line) VALUES (?, ?, ?, ?, ?)",
            [
                key.collection, key.key, offer.number, offer.object.map { JSONValue.object($0).text(.compact) },
                offer.record.map { $0.encodedLine(key) },
            ]
        )
    }
}
