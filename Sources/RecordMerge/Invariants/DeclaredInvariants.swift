public import StrictJSON

/// A reference of records to others, as an app declares it.
public struct RecordReference: Sendable, Hashable {
    /// The action for a record whose target is missing.
    public enum Action: Sendable, Hashable {
        /// The record is blocked until its target is there again.
        case block
        /// Sync clears the reference.
        case setNull
        /// The store decides.
        case none
    }

    /// The collection of the records that refer.
    public let collection: String
    /// The member that holds the target's key.
    public let member: String
    /// The collection of the target.
    public let target: String
    /// True if only a text is a key; a number means something else.
    public let hasTextKey: Bool
    /// The action for a record whose target is missing.
    public let action: Action
    /// True if the record makes sense without its target.
    public let isKept: Bool

    /// Makes a reference.
    public init(
        _ collection: String,
        _ member: String,
        to target: String,
        hasTextKey: Bool,
        _ action: Action,
        isKept: Bool = false
    ) {
        self.isKept = isKept
        self.collection = collection
        self.member = member
        self.target = target
        self.hasTextKey = hasTextKey
        self.action = action
    }

    /// Returns the target of a record; nil where it has none.
    public func target(of object: JSONObject) -> RecordKey? {
        guard let value = object[member], !value.isNull else { return nil }
        if value.string == nil, hasTextKey { return nil }
        return KeyRule.name(value).map { RecordKey(target, $0) }
    }
}

/// The invariants of a declared app: what happens to records whose targets are missing.
public struct DeclaredInvariants: MergeInvariants {
    /// The references between the records.
    public let references: [Reference]
    private let declared: [RecordReference]

    /// Makes the invariants of an app with these references.
    public init(_ declared: [RecordReference]) {
        self.declared = declared
        references = declared.map { reference in
            let loss: Reference.Loss =
                switch reference.action {
                case .block: .waits
                case .setNull: .cleared
                case .none: reference.isKept ? .kept : .waits
                }
            return Reference(
                reference.collection,
                reference.member,
                to: reference.target,
                loss: loss,
                takesNumbers: !reference.hasTextKey
            )
        }
    }

    /// Blocks records whose targets are missing, and clears references that lead nowhere.
    public func enforce(_ set: inout ResolvedSet) {
        // Others may refer to a blocked record as well.
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for reference in declared where reference.action == .block {
                let keys = set.keys(reference.collection)
                for key in keys where Self.isLost(reference, of: key, set) {
                    set.records.objects[key] = nil
                    hasChanged = true
                }
            }
        }
        for collection in Set(declared.filter { $0.action == .block }.map(\.collection)) {
            set.records.order[collection]?.removeAll { set.records.objects[RecordKey(collection, $0)] == nil }
        }
        for reference in declared where reference.action == .setNull {
            for key in set.keys(reference.collection) where Self.isLost(reference, of: key, set) {
                set.records.objects[key]?[reference.member] = .null
            }
        }
    }

    private static func isLost(_ reference: RecordReference, of key: RecordKey, _ set: ResolvedSet) -> Bool {
        guard let target = set.records.objects[key].flatMap(reference.target) else { return false }
        return !set.exists(target)
    }

    /// Returns the links of a record; a record that refers to it depends on whether it is there.
    ///
    /// That depends in turn on the records that it goes with.
    public func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        var targets: [String] = []
        var blocking: [String] = []
        for reference in declared where reference.collection == key.collection && reference.action != .none {
            guard let target = reference.target(of: shown.object) else { continue }
            let text = "\(target.collection)/\(target.key)"
            if !targets.contains(text) { targets.append(text) }
            if reference.action == .block { blocking.append(text) }
        }
        let isTarget = declared.contains { $0.target == key.collection && $0.action != .none }
        return RecordLinks(
            names: isTarget
                ? [RecordLinks.Name("\(key.collection)/\(key.key)", seen: blocking.joined(separator: "\n"))] : [],
            references: targets
        )
    }

    /// Returns true: a blocked record is missing for those that refer to it.
    public func isPassedOn(_ text: String) -> Bool { true }
}
