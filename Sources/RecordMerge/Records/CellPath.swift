internal import StrictJSON

/// The smallest thing that merges by itself: a member, an element of a set, a member or the position of a list element.
///
/// A path names its kind, so that a device can show and keep a member that its own schema does not know.
public struct CellPath: Sendable, Hashable, Comparable {
    /// The kind of thing at a path.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// A whole member; for sets, lists and counters the part that is not an element.
        case member
        /// Members that only change together, as one object; named after the first of them.
        case group
        /// An element of a set; its name is the element's canonical text.
        case setElement
        /// One writer's contribution to a counter.
        case contribution
        /// The position of an element of a list.
        case position
        /// A whole element of a list that is not an object.
        case item
        /// A member of an element of a list.
        case itemMember
        /// Members of an element of a list that only change together.
        case itemGroup
        /// The position of the record in its collection.
        case place
    }

    /// The kind of thing at the path.
    public let kind: Kind
    /// The member of the record; empty for ``Kind/place``.
    public let field: String
    /// The element, or the writer of a contribution; empty where the kind has none.
    public let element: String
    /// The member of the element; empty where the kind has none.
    public let member: String

    /// Makes a path; it leaves out names that the kind does not have.
    public init(_ kind: Kind, _ field: String = "", _ element: String = "", _ member: String = "") {
        self.kind = kind
        self.field = field
        self.element = element
        self.member = member
    }

    /// The position of the record in its collection.
    static let place = CellPath(.place)

    /// Returns the number of names that a path of the kind has.
    static func nameCount(_ kind: Kind) -> Int {
        switch kind {
        case .place: 0
        case .member, .group: 1
        case .setElement, .contribution, .position, .item: 2
        case .itemMember, .itemGroup: 3
        }
    }

    /// The names that a path of its kind has.
    public var names: [String] { Array([field, element, member].prefix(Self.nameCount(kind))) }

    /// True if the path belongs to an element of a list.
    var isOfItem: Bool {
        switch kind {
        case .position, .item, .itemMember, .itemGroup: true
        default: false
        }
    }

    /// Returns whether both are the same path; names compare by code points.
    public static func == (left: CellPath, right: CellPath) -> Bool {
        left.kind == right.kind && isSame(left.field, right.field)
            && isSame(left.element, right.element) && isSame(left.member, right.member)
    }

    /// Feeds the path to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(ScalarKey(field))
        hasher.combine(ScalarKey(element))
        hasher.combine(ScalarKey(member))
    }

    /// Returns whether a path comes before another: by field, element, member, kind.
    public static func < (left: CellPath, right: CellPath) -> Bool { compare(left, right) < 0 }

    /// Compares two paths: below 0, 0 or above 0.
    static func compare(_ left: CellPath, _ right: CellPath) -> Int {
        var order = RecordMerge.compare(left.field, right.field)
        if order == 0 { order = RecordMerge.compare(left.element, right.element) }
        if order == 0 { order = RecordMerge.compare(left.member, right.member) }
        return order == 0 ? Int(left.kind.rawValue) - Int(right.kind.rawValue) : order
    }
}
