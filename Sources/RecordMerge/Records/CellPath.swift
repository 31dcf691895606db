internal import StrictJSON

/// The smallest place that can be changed by itself: a member of a record, an element of a set, a member or the position
/// of an element of a list.
///
/// A path says of what kind it is, so that a device can show and keep a member that its own schema does not know.
public struct CellPath: Sendable, Hashable, Comparable {
    /// What lies at a path.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// A member as a whole; for sets, lists and counters, what there is beside the elements.
        case member
        /// Members that only change together, as one object; named after the first of them.
        case group
        /// An element of a set; its name is the element's canonical text.
        case setElement
        /// What one writer has added to a counter.
        case contribution
        /// The position of an element of a list.
        case position
        /// An element of a list as a whole, where it is no object.
        case item
        /// A member of an element of a list.
        case itemMember
        /// Members of an element of a list that only change together.
        case itemGroup
        /// The position of the record in its collection.
        case place
    }

    /// What lies there.
    public let kind: Kind
    /// The member of the record; empty for ``Kind/place``.
    public let field: String
    /// The element, or the writer of a share; empty where the kind has none.
    public let element: String
    /// The member of the element; empty where the kind has none.
    public let member: String

    /// A path; names that the kind does not have are left out.
    public init(_ kind: Kind, _ field: String = "", _ element: String = "", _ member: String = "") {
        self.kind = kind
        self.field = field
        self.element = element
        self.member = member
    }

    /// The position of the record in its collection.
    static let place = CellPath(.place)

    /// The number of names that a path of the kind has.
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

    /// Whether it belongs to an element of a list.
    var isOfItem: Bool {
        switch kind {
        case .position, .item, .itemMember, .itemGroup: true
        default: false
        }
    }

    /// Whether both are the same place; names are compared by code points.
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

    /// Whether a path comes before another: by field, element, member, kind.
    public static func < (left: CellPath, right: CellPath) -> Bool { compare(left, right) < 0 }

    /// The order of two paths: below, 0 or above.
    static func compare(_ left: CellPath, _ right: CellPath) -> Int {
        var order = RecordMerge.compare(left.field, right.field)
        if order == 0 { order = RecordMerge.compare(left.element, right.element) }
        if order == 0 { order = RecordMerge.compare(left.member, right.member) }
        return order == 0 ? Int(left.kind.rawValue) - Int(right.kind.rawValue) : order
    }
}
