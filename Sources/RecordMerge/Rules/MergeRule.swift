public import StrictJSON

/// The rule by which concurrent changes of a member merge: the schema keyword `x-merge`.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// One value. Of concurrent ones the latest is the resolved value, and the others are a conflict. A member without
    /// a rule has this one.
    case register
    /// An array without an order: elements are added and removed one by one, and adding wins.
    case set
    /// An array with an order: elements have a key, and are added, removed, moved and changed one by one.
    case list
    /// An array, or a collection of records, that only grows.
    case log
    /// The greatest of all values; a smaller one is no change.
    case max
    /// The smallest of all values; a greater one is no change.
    case min
    /// An integer to which each device adds; sync sums up the contributions.
    case counter
    /// A text: concurrent changes of different words merge.
    case text
    /// A value that followed from other records when somebody wrote it.
    ///
    /// It is sent as written. Where several devices wrote it concurrently, sync derives it from the records again.
    case fact
    /// Derived from other members; never sent.
    case derived
    /// This device's own value; never sent.
    case local
    /// An array of records without an order; only the document itself has it.
    case records
    /// An object that is one record; only the document itself has it.
    case record
}

/// The rules of a member, as a schema gives them.
public struct MemberRule: Sendable, Hashable {
    /// The member's name.
    public let name: String
    /// The rule by which concurrent changes merge.
    public let rule: MergeRule
    /// The first member of those with which it changes together (`x-group`); nil for none.
    public internal(set) var group: String?
    /// The ranks of words from the smallest (`x-order`), for ``MergeRule/max`` and ``MergeRule/min``.
    public let order: [[JSONValue]]
    /// True if it is a moment (`format: date-time`): texts of one moment with different offsets are equal.
    let isMoment: Bool
    /// True if it is a member of the document itself.
    let isOfDocument: Bool
    /// The rules of the elements, for lists and collections.
    public let elements: ElementRules?

    /// True if the member never leaves the device.
    var isUnsent: Bool { rule == .derived || rule == .local }
}

/// The rules of an object's members, as a schema gives them.
public struct RecordRules: Sendable, Hashable {
    /// The members, in the order of the schema.
    public internal(set) var members: [MemberRule]
    private var index: [String: Int] = [:]
    /// The indices of the members, ordered by the bytes of their names.
    let byName: [Int]

    init(_ members: [MemberRule]) {
        self.members = members
        for (position, member) in members.enumerated() { index[member.name] = position }
        byName = members.indices.sorted { precedes(members[$0].name, members[$1].name) }
    }

    /// The rule of a member; nil for a member that the schema does not name.
    public subscript(name: String) -> MemberRule? { index[name].map { members[$0] } }

    /// Returns the index of a member in the schema; nil for a member that it does not name.
    func place(of name: String) -> Int? { index[name] }

    /// Returns the members of a group, which is named after the first of them.
    func members(ofGroup group: String) -> [String] { members.filter { $0.group == group }.map(\.name) }
}

/// The rules of an array's elements, as a schema gives them.
public struct ElementRules: Sendable, Hashable {
    /// The key of an element.
    public let key: KeyRule
    /// The members of an element.
    public let record: RecordRules

    /// True if an element is a fact that its key names, such as a habit done on a day, with an identifier beside it.
    ///
    /// An app deletes such an element and makes it again under the same key. Then its moment is that of the new one.
    var namesFacts: Bool {
        key.members.count > 1 && key.condition.isEmpty && record[KeyRule.rowIdentifier]?.rule == .min
    }
}

/// The key of an array's elements or a collection's records: the schema keyword `x-key`.
public struct KeyRule: Sendable, Hashable {
    /// The member that holds the identifier of a row, where the key is made of others.
    static let rowIdentifier = "id"

    /// The members that form the key.
    public let members: [String]
    /// The values of an element's members for which ``members`` are its key; empty for all elements.
    ///
    /// The values count when the element is first seen. All other elements are known by ``identifier``.
    public let condition: JSONObject
    /// The member that identifies elements without those values.
    public let identifier: String

    /// Makes a key of one member.
    init(_ member: String) { self.init([member], condition: [:], identifier: member) }

    init(_ members: [String], condition: JSONObject, identifier: String) {
        self.members = members
        self.condition = condition
        self.identifier = identifier
    }

    /// True if the key depends on more than an identifier.
    var isNatural: Bool { members != [identifier] }

    /// True if some elements go by other members than their identifier, so that two may have the same one.
    package var isConditional: Bool { isNatural && !condition.isEmpty }
}
