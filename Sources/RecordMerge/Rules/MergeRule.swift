public import StrictJSON

/// How concurrent changes of a member come together: the schema keyword `x-merge`.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// One value; the later of concurrent ones is shown, the others are a conflict. The rule of a member that names none.
    case register
    /// An array whose order means nothing: elements are added and removed one by one, and adding wins.
    case set
    /// An array whose order means something: elements are known by a key, and are added, removed, moved and changed one
    /// by one.
    case list
    /// An array, or a collection of records, to which is only ever added.
    case log
    /// The greatest of all values; a smaller one is no change.
    case max
    /// The smallest of all values; a greater one is no change.
    case min
    /// An integer to which each device adds; what they add is summed up.
    case counter
    /// A text in which concurrent changes of different words come together.
    case text
    /// What followed from other records when it was written: sent as written, and worked out from them where several devices
    /// wrote it without knowing of each other.
    case fact
    /// Worked out from other members: never sent.
    case derived
    /// Of this device alone: never sent.
    case local
    /// An array of records without order; of the document's own members only.
    case records
    /// An object that is one record; of the document's own members only.
    case record
}

/// What a schema says about a member.
public struct MemberRule: Sendable, Hashable {
    /// The member's name.
    public let name: String
    /// How concurrent changes come together.
    public let rule: MergeRule
    /// The first member of those with which it changes together (`x-group`); nil for none.
    public internal(set) var group: String?
    /// For ``MergeRule/max`` and ``MergeRule/min`` of words: their ranks from the smallest (`x-order`).
    public let order: [[JSONValue]]
    /// Whether it is a member of the document itself.
    let isOfDocument: Bool
    /// For lists and collections: what is known of an element.
    public let elements: ElementRules?

    /// Whether it never leaves the device.
    var isUnsent: Bool { rule == .derived || rule == .local }
}

/// What a schema says about the members of an object.
public struct RecordRules: Sendable, Hashable {
    /// The members, in the order of the schema.
    public internal(set) var members: [MemberRule]
    private var index: [String: Int] = [:]
    /// The places of the members, ordered by the bytes of their names.
    let byName: [Int]

    init(_ members: [MemberRule]) {
        self.members = members
        for (position, member) in members.enumerated() { index[member.name] = position }
        byName = members.indices.sorted { precedes(members[$0].name, members[$1].name) }
    }

    /// The rule of a member; nil where the schema does not name it.
    public subscript(name: String) -> MemberRule? { index[name].map { members[$0] } }

    /// The place of a member among those of the schema; nil where it does not name it.
    func place(of name: String) -> Int? { index[name] }

    /// The members that change together, by the name of their group: that of the first of them.
    func members(ofGroup group: String) -> [String] { members.filter { $0.group == group }.map(\.name) }
}

/// What a schema says about the elements of an array.
public struct ElementRules: Sendable, Hashable {
    /// By what an element is known.
    public let key: KeyRule
    /// The members of an element.
    public let record: RecordRules
}

/// By what an element of an array, or a record of a collection, is known: the schema keyword `x-key`.
public struct KeyRule: Sendable, Hashable {
    /// The members that are its key.
    public let members: [String]
    /// Where not empty: the key is that only of elements with these values, when they are first seen; others, and later
    /// on these too, are known by ``identifier``.
    public let condition: JSONObject
    /// The member that identifies elements to which the condition does not apply.
    public let identifier: String

    /// Elements are known by one member.
    init(_ member: String) { self.init([member], condition: [:], identifier: member) }

    init(_ members: [String], condition: JSONObject, identifier: String) {
        self.members = members
        self.condition = condition
        self.identifier = identifier
    }

    /// Whether the key depends on more than an identifier.
    var isNatural: Bool { members != [identifier] }
}
