internal import StrictJSON

/// What a record has to do with others, as far as repairs look at it: texts by which a database finds records.
///
/// A record *refers to* texts that others are *named* by. How a record is shown depends on those that it refers to, on
/// those that these refer to, and so on, and on nothing else.
public struct RecordLinks: Sendable, Hashable {
    /// A text by which others refer to a record, with what they see of it.
    public struct Name: Sendable, Hashable {
        /// The text.
        public let text: String
        /// What those see that refer to it: they are shown as before as long as this is the same.
        public let seen: String

        /// A name.
        public init(_ text: String, seen: String = "") {
            self.text = text
            self.seen = seen
        }
    }

    /// The texts by which others refer to it, each once.
    public let names: [Name]
    /// The texts that it refers to, each once.
    public let references: [String]

    /// Links; none for a record that is not there.
    public init(names: [Name] = [], references: [String] = []) {
        self.names = names
        self.references = references
    }

    /// The texts under which others see something else than before.
    public func changes(from before: RecordLinks) -> [String] {
        func differs(_ name: Name, _ others: [Name]) -> Bool {
            !others.contains { isSame($0.text, name.text) && isSame($0.seen, name.seen) }
        }
        return (names.filter { differs($0, before.names) } + before.names.filter { differs($0, names) }).map(\.text)
    }
}

/// Records with their links: what a database has to answer so that it need not show all records to show some.
public protocol LinkedRecords {
    /// The links of a record; nil where there is none of that key.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func links(_ key: RecordKey) throws -> RecordLinks?

    /// The records that refer to a text.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func keys(referringTo text: String) throws -> [RecordKey]

    /// The records that are named by a text.
    ///
    /// - Throws: An error of the database's own, when it cannot be read.
    func keys(named text: String) throws -> [RecordKey]
}

extension MergeDomain {
    /// As ``MergeInvariants/links(_:_:)``.
    public func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks { invariants.links(key, shown) }

    /// The records that have to be shown anew after a change, with all that they are shown by.
    ///
    /// A ``ResolvedSet`` of them shows each as one of all records does, and tells the same conflicts of it; all other
    /// records are shown as before.
    ///
    /// - Parameters:
    ///   - changed: The records that were changed, with their links before; of new ones, `RecordLinks()`.
    ///   - records: The records as they are now.
    /// - Returns: The keys of records that are there.
    /// - Throws: What `records` throws.
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
        // Those that see a record otherwise than before.
        while let text = pending.popLast() {
            guard texts.insert(ScalarKey(text)).inserted else { continue }
            for key in try records.keys(referringTo: text) where found.insert(key).inserted || isPassedOn(text) {
                guard isPassedOn(text), let links = try records.links(key) else { continue }
                pending += links.names.map(\.text).filter(isPassedOn)
            }
        }
        // Those that these are shown by.
        texts = []
        var open = Array(found)
        while let key = open.popLast() {
            for text in try records.links(key)?.references ?? [] where texts.insert(ScalarKey(text)).inserted {
                for named in try records.keys(named: text) where found.insert(named).inserted { open.append(named) }
            }
        }
        return found
    }

    /// Whether a record is shown as it is by itself, without a repair, whatever else there is.
    ///
    /// - Parameter isNamed: Whether there is a record that is named by a text.
    /// - Throws: The error of `isNamed`.
    public func isShownAlone(_ links: RecordLinks, _ isNamed: (String) throws -> Bool) rethrows -> Bool {
        try links.references.allSatisfy { try invariants.isOptional($0) && !isNamed($0) }
    }

    /// Whether those that refer to a text are seen otherwise where what it names is.
    private func isPassedOn(_ text: String) -> Bool { invariants.isPassedOn(text) }
}
