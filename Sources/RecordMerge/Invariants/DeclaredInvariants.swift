public import StrictJSON

/// A reference of records to others, as an app declares it.
public struct RecordReference: Sendable, Hashable {
    /// What happens to a record that refers to one that is not there.
    public enum Action: Sendable, Hashable {
        /// The record is blocked until the other one is there again.
        case hold
        /// It loses the reference.
        case setNull
        /// Nothing: the store decides.
        case none
    }

    /// The collection of the records that refer.
    public let collection: String
    /// The member that has the key of the other record.
    public let member: String
    /// The collection of the other record.
    public let target: String
    /// Whether only a text is a key, and a number means something else.
    public let hasTextKey: Bool
    /// What happens to a record that refers to one that is not there.
    public let action: Action
    /// Whether the record means as much without the other one.
    public let isKept: Bool

    /// A reference.
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

    /// Returns the record that one refers to; nil where it refers to none.
    public func target(of object: JSONObject) -> RecordKey? {
        guard let value = object[member], !value.isNull else { return nil }
        if let text = value.string { return RecordKey(target, text) }
        return hasTextKey ? nil : KeyRule.name(value).map { RecordKey(target, $0) }
    }
}

/// Declared apps: records without those that they refer to.
public struct DeclaredInvariants: MergeInvariants {
    /// The references between the records.
    public let references: [Reference]
    private let declared: [RecordReference]

    /// The invariants of an app with these references.
    public init(_ declared: [RecordReference]) {
        self.declared = declared
        references = declared.map { reference in
            let loss: Reference.Loss =
                switch reference.action {
                case .hold: .waits
                case .setNull: .cleared
                case .none: reference.isKept ? .kept : .waits
                }
            return Reference(reference.collection, reference.member, to: reference.target, loss: loss)
        }
    }

    /// Holds back records that go with others that are not there, and clears references that lead nowhere.
    public func enforce(_ set: inout ResolvedSet) {
        // Others may refer to a blocked record as well.
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for reference in declared where reference.action == .hold {
                let keys = set.keys(reference.collection)
                for key in keys where Self.isLost(reference, of: key, set) {
                    set.records.objects[key] = nil
                    hasChanged = true
                }
            }
        }
        for collection in Set(declared.filter { $0.action == .hold }.map(\.collection)) {
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
        return set.records.objects[target] == nil
    }

    /// Who refers to a record sees whether it is there.
    public func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        var targets: [String] = []
        for reference in declared where reference.collection == key.collection && reference.action != .none {
            guard let target = reference.target(of: shown.object) else { continue }
            let text = "\(target.collection)/\(target.key)"
            if !targets.contains(text) { targets.append(text) }
        }
        let isTarget = declared.contains { $0.target == key.collection && $0.action != .none }
        return RecordLinks(
            names: isTarget ? [RecordLinks.Name("\(key.collection)/\(key.key)")] : [],
            references: targets
        )
    }

    /// A blocked record is missing to those that refer to it.
    public func isPassedOn(_ text: String) -> Bool { true }
}
