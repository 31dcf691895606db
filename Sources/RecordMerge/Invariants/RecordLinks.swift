internal import StrictJSON

/// The dependencies of a record: texts by which a database finds the records that invariants concern.
///
/// A record *refers to* texts, and texts *name* records. The resolved form of a record depends on its targets, on their
/// targets, and so on, and on nothing else.
public struct RecordLinks: Sendable, Hashable {
    /// A text by which others refer to a record, with what they depend on.
    public struct Name: Sendable, Hashable {
        /// The text.
        public let text: String
        /// The part of the record that others depend on; while it stays the same, they stay the same.
        public let seen: String

        /// Makes a name.
        public init(_ text: String, seen: String = "") {
            self.text = text
            self.seen = seen
        }
    }

    /// The texts that name the record, each once.
    public let names: [Name]
    /// The texts that the record refers to, each once.
    public let references: [String]

    /// Makes links; a missing record has none.
    public init(names: [Name] = [], references: [String] = []) {
        self.names = names
        self.references = references
    }

    /// Returns the names by which other records see a difference.
    public func changes(from before: RecordLinks) -> [String] {
        if before.names.isEmpty { return names.map(\.text) }
        func differs(_ name: Name, _ others: [Name]) -> Bool {
            !others.contains { isSame($0.text, name.text) && isSame($0.seen, name.seen) }
        }
        return (names.filter { differs($0, before.names) } + before.names.filter { differs($0, names) }).map(\.text)
    }
}

/// A database of records and links, so that resolving a few records does not need all of them.
public protocol LinkedRecords {
    /// Returns the links of a record; nil for a missing record.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func links(_ key: RecordKey) throws -> RecordLinks?

    /// Returns the records that refer to a text.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func keys(referringTo text: String) throws -> [RecordKey]

    /// Returns the records that a text names.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func keys(named text: String) throws -> [RecordKey]
}

extension MergeDomain {
    /// Does the same as ``MergeInvariants/links(_:_:)``.
    public func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks { invariants.links(key, shown) }

    /// Returns the records that a change requires to be resolved again, with all that they depend on.
    ///
    /// A ``ResolvedSet`` of these gives each record and its conflicts as a set of all records would. All other records
    /// stay the same.
    ///
    /// - Parameters:
    ///   - changed: The changed records with their earlier links; `RecordLinks()` for a new record.
    ///   - records: The present records.
    /// - Returns: The keys of existing records.
    /// - Throws: The error of `records`.
    public func resolvedTogether(
        _ changed: [RecordKey: RecordLinks],
        in records: some LinkedRecords
    ) throws -> Set<RecordKey> {
        var found: Set<RecordKey> = []
        var texts: Set<ScalarKey> = []
        var pending: [String] = []
        for (key, before) in changed {
            let links = try records.links(key)
            if links != nil { found.insert(key) }
            pending += (links ?? RecordLinks()).changes(from: before)
        }
        // Records that depend on a changed record.
        while let text = pending.popLast() {
            guard texts.insert(ScalarKey(text)).inserted else { continue }
            for key in try records.keys(referringTo: text) where found.insert(key).inserted || isPassedOn(text) {
                guard isPassedOn(text), let links = try records.links(key) else { continue }
                pending += links.names.map(\.text).filter(isPassedOn)
            }
        }
        // Records that these depend on.
        texts = []
        var open = Array(found)
        while let key = open.popLast() {
            for text in try records.links(key)?.references ?? [] where texts.insert(ScalarKey(text)).inserted {
                for named in try records.keys(named: text) where found.insert(named).inserted { open.append(named) }
            }
        }
        return found
    }

    /// Returns whether no invariant can change a record, whatever other records there are.
    ///
    /// - Parameter isNamed: Returns whether a text names a record.
    /// - Throws: The error of `isNamed`.
    public func isShownAlone(_ links: RecordLinks, _ isNamed: (String) throws -> Bool) rethrows -> Bool {
        try links.references.allSatisfy { try invariants.isOptional($0) && !isNamed($0) }
    }

    /// Does the same as ``MergeInvariants/isPassedOn(_:)``.
    private func isPassedOn(_ text: String) -> Bool { invariants.isPassedOn(text) }
}
