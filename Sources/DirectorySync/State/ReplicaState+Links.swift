internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The links between records, by which invariants find dependent records.
extension ReplicaState: LinkedRecords {
    /// Returns the links of a record; nil where there is no such record.
    func links(_ key: RecordKey) throws -> RecordLinks? {
        guard try queries.exists(.isThere, key) else { return try packedLinks(key) }
        let kept = try linkRows(key)
        return try kept == RecordLinks() ? ownLinks(key) : kept
    }

    /// Returns the links of a record that the store has and that is still to be looked at, so that none are kept.
    private func ownLinks(_ key: RecordKey) throws -> RecordLinks {
        guard try queries.exists(.isOwn, key), let held = try held(key), held.isInStore,
            let record = held.record
        else { return RecordLinks() }
        return domain.links(key, schema.resolved(key, record))
    }

    /// Returns the records as ``ownLinks(_:)`` that a text names, which ends with their key.
    private func ownKeys(named text: String) throws -> [RecordKey] {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return [] }
        let rest = String(text[text.utf8.index(after: slash)...])
        return try schema.document.members.map { RecordKey($0.name, rest) }.filter { key in
            try ownLinks(key).names.contains { $0.text.hasSameScalars(as: text) }
        }
    }

    /// Returns the kept links of a record; none for a missing record.
    func keptLinks(_ key: RecordKey) throws -> RecordLinks {
        let kept = try linkRows(key)
        return try kept == RecordLinks() ? packedLinks(key) ?? kept : kept
    }

    /// Returns the kept links of a record with a row.
    func linkRows(_ key: RecordKey) throws -> RecordLinks {
        var names: [RecordLinks.Name] = []
        var references: [String] = []
        try queries.read(.links, key) { row in
            while try row.step() {
                guard row.integer(3) == 1, let target = row.text(1), let seen = row.text(2) else {
                    throw damaged("link", key.key)
                }
                if row.integer(0) != 0 {
                    names.append(RecordLinks.Name(target, seen: seen))
                } else {
                    references.append(target)
                }
            }
        }
        return RecordLinks(names: names, references: references)
    }

    /// Returns whether a record and all others resolve independently of each other.
    ///
    /// - Parameters:
    ///   - links: Its links now.
    ///   - before: Its links at the last write of the store.
    func isAlone(_ links: RecordLinks, before: RecordLinks) throws -> Bool {
        guard takesShortcuts, try domain.isShownAlone(links, { try isLinked($0, asName: true) }) else { return false }
        // In most stores nothing refers to anything.
        guard try mayRefer || packed.mayRefer else { return true }
        return try links.changes(from: before).allSatisfy { try !isLinked($0, asName: false) }
    }

    /// Returns whether a record refers to a text, or is named by it.
    private func isLinked(_ text: String, asName isName: Bool) throws -> Bool {
        try (isName || mayRefer) && queries.exists(isName ? .isName : .isReferredTo, text)
            || !packedKeys(linkedTo: text, asName: isName, most: 1).isEmpty
    }

    /// Finds out whether any record with a row refers to another, before many records are looked at.
    func lookForReferences() throws {
        mayRefer = try count("SELECT EXISTS (SELECT 1 FROM link WHERE is_name = 0)") > 0
    }

    /// Stores the links of a record in place of its earlier ones.
    func setLinks(_ key: RecordKey, _ links: RecordLinks, before: RecordLinks) throws {
        guard links != before else { return }
        if before != RecordLinks() {
            try queries.run(.deleteLinks, key)
        }
        for name in links.names { try insertLink(key, isName: true, name.text, name.seen) }
        for reference in links.references { try insertLink(key, isName: false, reference, "") }
    }

    private func insertLink(_ key: RecordKey, isName: Bool, _ target: String, _ seen: String) throws {
        if !isName { mayRefer = true }
        try queries.run(.insertLink, key) { statement in
            try statement.bind(3, isName ? 1 : 0)
            try statement.bind(4, text: target)
            try statement.bind(5, text: seen)
        }
    }

    /// Computes all links anew by changed rules, and marks the records that refer or referred to others, as they may
    /// resolve differently now.
    ///
    /// - Parameters:
    ///   - changed: The collections with other references than before.
    ///   - earlier: What held before; nil where that is unknown.
    func relink(_ changed: Set<String>, from earlier: MergeDomain?) throws {
        for collection in schema.document.members.map(\.name) {
            var differing: [(key: RecordKey, links: RecordLinks, refers: Bool)] = []
            try forEachRecord(in: collection) { key, held in
                guard let record = held.record, held.isInStore else { return }
                let shown = schema.resolved(key, record)
                let links = domain.links(key, shown)
                let before = earlier?.links(key, shown)
                let isReferring = !links.references.isEmpty || before?.references.isEmpty == false
                let refers = isReferring && changed.contains(collection)
                if refers || links != before { differing.append((key, links, refers)) }
            }
            for (key, links, refers) in differing {
                if refers { try markOwn(key) }
                if try queries.exists(.hasRow, key) { try setLinks(key, links, before: linkRows(key)) }
            }
        }
        try relinkPacked()
    }

    func keys(referringTo text: String) throws -> [RecordKey] { try keys(linkedTo: text, asName: false) }

    func keys(named text: String) throws -> [RecordKey] {
        let kept = try keys(linkedTo: text, asName: true)
        return try kept.isEmpty ? ownKeys(named: text) : kept
    }

    private func keys(linkedTo text: String, asName isName: Bool) throws -> [RecordKey] {
        try keys("SELECT collection, key FROM link WHERE target = ? AND is_name = ?", [text, isName])
            + packedKeys(linkedTo: text, asName: isName)
    }
}
