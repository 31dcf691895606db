public import StrictJSON

/// The references and invariants of an app, which a merge enforces where concurrent changes break them.
///
/// Invariants are functions of the resolved records and never changes: devices that have seen the same show the same.
/// Each app provides its own.
public protocol MergeInvariants: Sendable {
    /// The references between the records.
    var references: [Reference] { get }
    /// The collection whose changes affect the facts of all records that refer to the text; nil where there is none.
    var sharedSource: (collection: String, text: String)? { get }

    /// The collection with at most one running record, and the member that ends one; nil where there is none.
    var running: (collection: String, end: String)? { get }

    /// The collections of records in which ``enforce(_:)`` leaves out elements of sets.
    var thinned: Set<String> { get }
    /// Returns the elements of sets that ``enforce(_:)`` leaves out of a record, by member.
    ///
    /// A change that removes the one that is shown removes them too, so that none comes in its place.
    ///
    /// - Parameter object: The resolved record, without other records.
    func leftOut(of key: RecordKey, _ object: JSONObject) -> [(member: String, elements: [JSONValue])]

    /// Returns the members of a record that do not go together as they stand, so that ``enforce(_:)`` shows others.
    ///
    /// A person who changes one of them has seen the values that are shown, so the change writes all of them.
    ///
    /// - Parameter alone: The resolved record, without other records.
    func crossed(_ key: RecordKey, _ alone: ResolvedRecord) -> [String]

    /// Enforces the invariants.
    func enforce(_ set: inout ResolvedSet)
    /// Returns how a record depends on others.
    ///
    /// - Parameter shown: The resolved record, without other records.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks
    /// Returns the record whose facts follow from a record; nil where there is none.
    ///
    /// A device that changes a record writes these facts again, as its store has them. So sync notices when several
    /// devices changed what one fact follows from.
    ///
    /// - Parameter object: The record, now or before.
    func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey?
    /// Names what a conflict of values at a field path asks a person; nil where no other conflict asks the same.
    ///
    /// A decision on one conflict decides the others with that name, between the same values.
    ///
    /// - Parameter path: The names from the record to the field path.
    func question(_ key: RecordKey, _ object: JSONObject, at path: [String]) -> String?
    /// Returns a deleted record as a restore brings it back at a moment, in milliseconds since 1970.
    func returning(_ key: RecordKey, _ object: JSONObject, at milliseconds: Int) -> JSONObject
    /// Returns whether a difference in the record that a text names makes a difference in the records that refer to it.
    func isPassedOn(_ text: String) -> Bool
    /// Tells whether a reference matters only where something has that name.
    func isOptional(_ reference: String) -> Bool
}

extension MergeInvariants {
    /// No references.
    public var references: [Reference] { [] }
    /// Nil: there is none.
    public var sharedSource: (collection: String, text: String)? { nil }
    /// Nil: there is none.
    public var running: (collection: String, end: String)? { nil }
    /// None: it leaves out nothing.
    public var thinned: Set<String> { [] }
    /// Returns none: it leaves out nothing.
    public func leftOut(of key: RecordKey, _ object: JSONObject) -> [(member: String, elements: [JSONValue])] { [] }
    /// Returns none: all members go together.
    public func crossed(_ key: RecordKey, _ alone: ResolvedRecord) -> [String] { [] }
    /// Returns nil: nothing follows from a record.
    public func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? { nil }
    /// Returns nil: no two conflicts ask the same.
    public func question(_ key: RecordKey, _ object: JSONObject, at path: [String]) -> String? { nil }
    /// Returns the record as it was.
    public func returning(_ key: RecordKey, _ object: JSONObject, at milliseconds: Int) -> JSONObject { object }
    /// Returns false: nothing is passed on.
    public func isPassedOn(_ text: String) -> Bool { false }
    /// Returns false: each reference matters.
    public func isOptional(_ reference: String) -> Bool { false }
}

/// A member that names a record of the same app.
public struct Reference: Sendable {
    /// The effect of a target's deletion on the record.
    public enum Loss: Sendable, Hashable {
        /// The app clears the member.
        case cleared
        /// The record stays unchanged and waits.
        case waits
        /// The record makes sense without its target.
        case kept
    }

    /// The collection of the record that refers.
    public let collection: String
    /// The member that holds the key of the target.
    public let member: String
    /// The effect of a target's deletion on the record.
    public let loss: Loss
    /// The collections of the targets.
    public let targets: [String]
    private let takesNumbers: Bool
    private let choose: @Sendable (JSONObject) -> String?

    /// Makes a reference.
    ///
    /// - Parameters:
    ///   - targets: The collections of the targets.
    ///   - takesNumbers: Whether a number is a key as well.
    ///   - choose: Returns the collection that a record means; nil where there is only one.
    public init(
        _ collection: String,
        _ member: String,
        to targets: String...,
        loss: Loss = .waits,
        takesNumbers: Bool = false,
        choose: (@Sendable (JSONObject) -> String)? = nil
    ) {
        self.collection = collection
        self.member = member
        self.loss = loss
        self.targets = targets
        self.takesNumbers = takesNumbers
        self.choose = choose ?? { _ in targets.first }
    }

    /// Returns the target of an object; nil where it has none.
    public func target(of object: JSONObject) -> RecordKey? {
        guard let value = object[member], !value.isNull, let collection = choose(object) else { return nil }
        return value.string != nil || takesNumbers ? KeyRule.name(value).map { RecordKey(collection, $0) } : nil
    }
}

/// The invariants of an app without any.
private struct NoInvariants: MergeInvariants {
    func enforce(_ set: inout ResolvedSet) {}
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks { RecordLinks() }
}

/// The invariants of an app, and what follows from them.
public struct MergeDomain: Sendable {
    /// A domain without invariants.
    public static let none = MergeDomain(NoInvariants())

    let invariants: any MergeInvariants

    /// Makes a domain.
    public init(_ invariants: any MergeInvariants) { self.invariants = invariants }

    func enforce(_ set: inout ResolvedSet) { invariants.enforce(&set) }

    /// Does the same as ``MergeInvariants/facts(of:_:)``.
    public func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? { invariants.facts(of: key, object) }

    /// Does the same as ``MergeInvariants/question(_:_:at:)``.
    public func question(_ key: RecordKey, _ object: JSONObject, at path: [String]) -> String? {
        invariants.question(key, object, at: path)
    }

    /// Does the same as ``MergeInvariants/returning(_:_:at:)``.
    public func returning(_ key: RecordKey, _ object: JSONObject, at milliseconds: Int) -> JSONObject {
        invariants.returning(key, object, at: milliseconds)
    }

    /// The same as ``MergeInvariants/thinned``.
    public var thinned: Set<String> { invariants.thinned }

    /// Does the same as ``MergeInvariants/leftOut(of:_:)``.
    public func leftOut(of key: RecordKey, _ object: JSONObject) -> [(member: String, elements: [JSONValue])] {
        invariants.leftOut(of: key, object)
    }

    /// Does the same as ``MergeInvariants/crossed(_:_:)``.
    public func crossed(_ key: RecordKey, _ alone: ResolvedRecord) -> [String] { invariants.crossed(key, alone) }

    /// The same as ``MergeInvariants/sharedSource``.
    public var sharedSource: (collection: String, text: String)? { invariants.sharedSource }

    /// The same as ``MergeInvariants/running``.
    public var running: (collection: String, end: String)? { invariants.running }

    /// Returns the targets that a record makes no sense without.
    public func targets(_ key: RecordKey, _ object: JSONObject?) -> [RecordKey] {
        guard let object else { return [] }
        return invariants.references.filter { $0.collection == key.collection && $0.loss != .kept }
            .compactMap { $0.target(of: object) }
    }

    /// Returns the targets of a record, each with the effect of its deletion on the record.
    public func references(_ key: RecordKey, _ object: JSONObject) -> [(target: RecordKey, loss: Reference.Loss)] {
        invariants.references.filter { $0.collection == key.collection }
            .compactMap { reference in reference.target(of: object).map { ($0, reference.loss) } }
    }

    /// Returns the record to which a record refers if a member has a value; nil where that refers to none.
    public func target(
        of key: RecordKey,
        _ object: JSONObject,
        having value: JSONValue,
        as member: String
    ) -> RecordKey? {
        let reference = invariants.references.first { $0.collection == key.collection && $0.member == member }
        guard let reference else { return nil }
        var object = object
        object[member] = value
        return reference.target(of: object)
    }

    /// Returns the members that refer to a collection's records, with the collections that have them.
    package func references(to collection: String) -> [(collection: String, member: String)] {
        invariants.references.filter { $0.targets.contains(collection) }.map { ($0.collection, $0.member) }
    }

    /// The collections that others refer to; sync writes their records first and removes them last.
    public var referredTo: [String] { Set(invariants.references.flatMap(\.targets)).sorted() }

    /// Returns the records of `ours` whose facts follow from a difference between the two sets.
    func facts(from base: RecordSet, to ours: RecordSet) -> Set<RecordKey> {
        let changed = ours.objects.filter { base.objects[$0.key] != $0.value }
        let removed = base.objects.filter { ours.objects[$0.key] == nil }
        let found = (Array(changed) + Array(removed)).compactMap { facts(of: $0.key, $0.value) }
        return Set(found.filter { ours.objects[$0] != nil })
    }

    /// Returns the reference that a record lost with its former target; nil where it lost none.
    ///
    /// If the target is gone, the app only did what the invariant asks. That is not an edit: it does not conflict with
    /// a delete of the record, and the reference returns with the target.
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

    /// Restores the references that records lost because their targets were deleted.
    func restoreReferences(from base: RecordSet, to ours: inout RecordSet) {
        for (key, before) in base.objects {
            guard let now = ours.objects[key], let lost = lostReference(of: key, from: before, to: now),
                ours.objects[lost.target] == nil
            else { continue }
            ours.objects[key]?[lost.member] = before[lost.member]
        }
    }
}
