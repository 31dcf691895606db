public import StrictJSON

/// The references and invariants of an app, which a merge enforces where concurrent changes break them.
///
/// Invariants are functions of what is shown, never changes: a device that has seen as much shows as much. Each app hands
/// in its own.
public protocol MergeInvariants: Sendable {
    /// The references between the records.
    var references: [Reference] { get }
    /// The collection whose changes concern the facts of all records that refer to the text; nil where there is none.
    var sharedSource: (collection: String, text: String)? { get }

    /// The collection of which one record runs at a time, and the member that ends one; nil where there is none.
    var running: (collection: String, end: String)? { get }

    /// Enforces the invariants.
    func enforce(_ set: inout ResolvedSet)
    /// Returns what a record has to do with others.
    ///
    /// - Parameter shown: The record as it is shown by itself.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks
    /// Returns the record with facts that follow from a record; nil where there is none.
    ///
    /// Who changes a record writes these anew, as their store has them: so it shows where several devices changed what one
    /// fact follows from, without knowing of each other.
    ///
    /// - Parameter object: The record, as it is or was.
    func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey?
    /// Tells whether those that refer to a text are seen otherwise where what it names is.
    func isPassedOn(_ text: String) -> Bool
    /// Tells whether a reference matters only where something has that name.
    func isOptional(_ reference: String) -> Bool
}

extension MergeInvariants {
    /// No references.
    public var references: [Reference] { [] }
    /// None.
    public var sharedSource: (collection: String, text: String)? { nil }
    /// None.
    public var running: (collection: String, end: String)? { nil }
    /// Nothing follows from a record.
    public func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? { nil }
    /// Nothing is passed on.
    public func isPassedOn(_ text: String) -> Bool { false }
    /// Each reference matters.
    public func isOptional(_ reference: String) -> Bool { false }
}

/// A member that names a record of the same app.
public struct Reference: Sendable {
    /// What becomes of a record whose target was deleted.
    public enum Loss: Sendable, Hashable {
        /// The app clears the member.
        case cleared
        /// The record stays as it is, and waits.
        case waits
        /// The record means as much without its target.
        case kept
    }

    /// The collection of the record that refers.
    public let collection: String
    /// The member that holds the key of the target.
    public let member: String
    /// What becomes of a record whose target was deleted.
    public let loss: Loss
    /// The collections of the targets.
    public let targets: [String]
    private let choose: @Sendable (JSONObject) -> String?

    /// A reference.
    ///
    /// - Parameters:
    ///   - targets: The collections of the targets.
    ///   - choose: Gives the one of them that a record means; nil where there is but one.
    public init(
        _ collection: String,
        _ member: String,
        to targets: String...,
        loss: Loss = .waits,
        choose: (@Sendable (JSONObject) -> String)? = nil
    ) {
        self.collection = collection
        self.member = member
        self.loss = loss
        self.targets = targets
        self.choose = choose ?? { _ in targets.first }
    }

    /// Returns the record that an object names; nil where it names none.
    public func target(of object: JSONObject) -> RecordKey? {
        guard let name = object[member]?.string, let collection = choose(object) else { return nil }
        return RecordKey(collection, name)
    }
}

/// Invariants of an app that has none.
private struct NoInvariants: MergeInvariants {
    func enforce(_ set: inout ResolvedSet) {}
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks { RecordLinks() }
}

/// The invariants of an app, and what follows from them.
public struct MergeDomain: Sendable {
    /// A domain without invariants.
    public static let none = MergeDomain(NoInvariants())

    let invariants: any MergeInvariants

    /// A domain.
    public init(_ invariants: any MergeInvariants) { self.invariants = invariants }

    func enforce(_ set: inout ResolvedSet) { invariants.enforce(&set) }

    /// As ``MergeInvariants/facts(of:_:)``.
    public func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? { invariants.facts(of: key, object) }

    /// As ``MergeInvariants/sharedSource``.
    public var sharedSource: (collection: String, text: String)? { invariants.sharedSource }

    /// As ``MergeInvariants/running``.
    public var running: (collection: String, end: String)? { invariants.running }

    /// Returns the records that one refers to and makes no sense without.
    public func targets(_ key: RecordKey, _ object: JSONObject?) -> [RecordKey] {
        guard let object else { return [] }
        return invariants.references.filter { $0.collection == key.collection && $0.loss != .kept }
            .compactMap { $0.target(of: object) }
    }

    /// Collections whose records others refer to: of many records, these are written first and removed last.
    public var referredTo: [String] { Set(invariants.references.flatMap(\.targets)).sorted() }

    /// The records with facts that follow from what differs between two sets, and are in the second.
    func facts(from base: RecordSet, to ours: RecordSet) -> Set<RecordKey> {
        let changed = ours.objects.filter { base.objects[$0.key] != $0.value }
        let removed = base.objects.filter { ours.objects[$0.key] == nil }
        let found = (Array(changed) + Array(removed)).compactMap { facts(of: $0.key, $0.value) }
        return Set(found.filter { ours.objects[$0] != nil })
    }

    /// Returns the reference that a record lost, and the record that it named; nil where it lost none.
    ///
    /// Where that record is gone, the app only did what the invariant asks. It is no edit of the record: who deletes it
    /// without knowing of that is not contradicted, and if the other one comes back, so does the reference.
    public func lostReference(
        of key: RecordKey,
        from before: JSONObject,
        to now: JSONObject
    ) -> (member: String, target: RecordKey)? {
        for reference in invariants.references
        where reference.collection == key.collection && reference.loss == .cleared {
            if let target = reference.target(of: before), now[reference.member]?.isNull ?? true {
                return (reference.member, target)
            }
        }
        return nil
    }

    /// Gives records the references again that they lost because other records went.
    func restoreReferences(from base: RecordSet, to ours: inout RecordSet) {
        for (key, before) in base.objects {
            guard let now = ours.objects[key], let lost = lostReference(of: key, from: before, to: now),
                ours.objects[lost.target] == nil
            else { continue }
            ours.objects[key]?[lost.member] = before[lost.member]
        }
    }
}
