/// A JSON object as an ordered collection of members with distinct names.
///
/// Names are compared by code points. Looking a name up costs a few comparisons in a small object and one hash in a
/// large one.
public struct JSONObject: Sendable {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
        /// The member's name, unescaped.
        public let name: String
        /// The member's value.
        public var value: JSONValue

        /// Makes a member.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Tells whether name (by code points) and value are equal.
        public static func == (left: Member, right: Member) -> Bool {
            left.name.hasSameScalars(as: right.name) && left.value == right.value
        }

        /// Feeds name and value to a hasher, consistently with `==`.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ScalarKey(name))
            hasher.combine(value)
        }
    }

    /// The members, in order.
    public private(set) var members: [Member] = []
    /// Positions by name; built only where a linear search would be slow.
    private var index: [ScalarKey: Int] = [:]

    private static let largestUnindexed = 16

    /// Makes an object without members.
    public init() {}

    /// Makes an object without members, with room for some.
    package init(capacity: Int) { members.reserveCapacity(capacity) }

    /// Makes room for that many members.
    package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// Appends a member whose name is known to be absent, as after reading a document without duplicate names.
    package mutating func append(unique name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
        if !index.isEmpty {
            index[ScalarKey(name)] = members.count - 1
        } else if members.count > Self.largestUnindexed {
            reindex()
        }
    }

    /// The value of a member; setting keeps the member's place or appends it, setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            if let position = position(of: name) {
                if let newValue {
                    members[position].value = newValue
                } else {
                    members.remove(at: position)
                    reindex()
                }
            } else if let newValue {
                append(unique: name, newValue)
            }
        }
    }

    /// The names, in order.
    public var names: [String] { members.map(\.name) }
    /// The number of members.
    public var count: Int { members.count }
    /// True if the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// Removes a member and returns its value.
    @discardableResult
    public mutating func removeValue(forName name: String) -> JSONValue? {
        defer { self[name] = nil }
        return self[name]
    }

    /// Puts the named members first, in the order given, and the others after them in the order they had.
    public mutating func sort(first names: [String]) {
        var sorted: [Member] = []
        sorted.reserveCapacity(members.count)
        var taken: Set<ScalarKey> = []
        for name in names where taken.insert(ScalarKey(name)).inserted {
            if let position = position(of: name) { sorted.append(members[position]) }
        }
        sorted += members.filter { !taken.contains(ScalarKey($0.name)) }
        members = sorted
        reindex()
    }

    /// Sets a member; returns whether there was none of that name.
    package mutating func set(_ name: String, _ value: JSONValue) -> Bool {
        if let position = position(of: name) {
            members[position].value = value
            return false
        }
        append(unique: name, value)
        return true
    }

    /// Orders the members by the rank that is given for each name, and those of one rank by the bytes of their names.
    package mutating func arrange(_ rank: (String) -> Int) {
        let ranks = members.map { rank($0.name) }
        func isBefore(_ left: Int, _ right: Int) -> Bool {
            if ranks[left] != ranks[right] { return ranks[left] < ranks[right] }
            return members[left].name.utf8.lexicographicallyPrecedes(members[right].name.utf8)
        }
        // Mostly they are in order.
        guard members.indices.dropFirst().contains(where: { isBefore($0, $0 - 1) }) else { return }
        members = members.indices.sorted(by: isBefore).map { members[$0] }
        reindex()
    }

    private func position(of name: String) -> Int? {
        guard index.isEmpty else { return index[ScalarKey(name)] }
        // `firstIndex` would copy each value.
        for position in members.indices where members[position].name.hasSameScalars(as: name) { return position }
        return nil
    }

    private mutating func reindex() {
        index.removeAll(keepingCapacity: true)
        guard members.count > Self.largestUnindexed else { return }
        for (position, member) in members.enumerated() { index[ScalarKey(member.name)] = position }
    }
}

extension JSONObject: Sequence {
    /// Returns the members, in order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: Hashable {
    /// Tells whether both have the same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        for (place, member) in left.members.enumerated() {
            // Objects of one kind have their members in one order, mostly.
            let other = right.members[place]
            let isSame =
                other.name.hasSameScalars(as: member.name)
                ? other.value == member.value : right[member.name] == member.value
            if !isSame { return false }
        }
        return true
    }

    /// Feeds the members to a hasher without regard to their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.reduce(0) { $0 ^ $1.hashValue })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of members with the same name the last one stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}
