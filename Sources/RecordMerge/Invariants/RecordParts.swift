public import StrictJSON

/// Records that are parts of others, such as the events of a session.
///
/// An app deletes a whole with its parts. Who changes a whole writes its parts anew, without changing a member. So parts
/// stay that another device deletes concurrently together with the whole. Where only a part was deleted, it stays
/// deleted: nobody deleted the whole that was changed with it.
public struct RecordParts: Sendable {
    /// The collection of the parts.
    public let collection: String
    /// The member that holds the key of the whole.
    public let member: String
    /// The collection of the wholes.
    public let wholes: String
    /// The beginning of the text that names the parts of a whole; the whole's key follows.
    public let prefix: String

    /// The beginning of the text that names a whole that somebody deleted concurrently.
    private static let contested = "contested/"

    /// Describes the parts of records.
    public init(_ collection: String, _ member: String, of wholes: String, prefix: String) {
        self.collection = collection
        self.member = member
        self.wholes = wholes
        self.prefix = prefix
    }

    /// Returns the whole of a part; nil where it names none.
    public func whole(of object: JSONObject) -> RecordKey? { object[member]?.string.map { RecordKey(wholes, $0) } }

    /// Removes the parts that somebody deleted while others changed only the whole.
    ///
    /// A part that stays with its whole is no conflict: the whole is one.
    func enforce(_ set: inout ResolvedSet) {
        var quiet: Set<RecordKey> = []
        var deleted: Set<RecordKey> = []
        let keys = set.keys(collection)
        for key in keys {
            guard let part = set.shown[key], !part.contested.isEmpty else { continue }
            let whole = whole(of: part.object).flatMap { set.shown[$0] }
            let kept = Set((whole?.contested ?? []).map(\.dot))
            if part.contested.allSatisfy({ $0.isTouch && kept.contains($0.dot) }) {
                quiet.insert(key)
            } else if part.isOnlyContested, part.contested.allSatisfy({ $0.isAsCreated && !kept.contains($0.dot) }) {
                deleted.insert(key)
            }
        }
        set.conflicts.removeAll { conflict in
            deleted.contains(conflict.key) || conflict.kind == .deletedRecord && quiet.contains(conflict.key)
        }
        guard !deleted.isEmpty else { return }
        for key in deleted { set.records.objects[key] = nil }
        set.records.order[collection] = keys.filter { !deleted.contains($0) }.map(\.key)
    }

    /// Adds the links between parts and wholes that somebody deleted concurrently.
    func adding(to links: RecordLinks, _ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        let seen = shown.contested.map(\.text).joined(separator: " ")
        if key.collection == wholes {
            let name = RecordLinks.Name(Self.contested + key.key, seen: seen)
            return RecordLinks(names: links.names + [name], references: links.references)
        }
        guard key.collection == collection else { return links }
        let end = " \(seen) \(shown.isOnlyContested)"
        let names = links.names.map { RecordLinks.Name($0.text, seen: $0.seen + end) }
        let whole = whole(of: shown.object).map { [Self.contested + $0.key] } ?? []
        return RecordLinks(names: names, references: links.references + whole)
    }
}

extension MergeDomain {
    /// As ``MergeInvariants/parts``.
    public var parts: RecordParts? { invariants.parts }

    /// Returns the unchanged parts of changed wholes; they count as written.
    ///
    /// - Parameter facts: Wholes whose facts count as written though unchanged.
    package func partsToTouch(from base: RecordSet, to ours: RecordSet, _ facts: Set<RecordKey>) -> Set<RecordKey> {
        guard let parts else { return [] }
        var wholes: Set<RecordKey> = []
        for (key, object) in ours.objects where key.collection == parts.wholes {
            if let before = base.objects[key], before != object || facts.contains(key) { wholes.insert(key) }
        }
        guard !wholes.isEmpty else { return [] }
        var found: Set<RecordKey> = []
        for (key, object) in ours.objects where key.collection == parts.collection && base.objects[key] == object {
            if let whole = parts.whole(of: object), wholes.contains(whole) { found.insert(key) }
        }
        return found
    }
}
