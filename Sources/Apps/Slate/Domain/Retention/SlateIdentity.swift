/// The tasks and habits of a database or a backup, by which backups of one database are told from those of another.
///
/// Days do not tell: all databases have the same.
public struct SlateIdentity: Sendable, Hashable {
    private var keys: Set<String>

    /// Makes the identity of what has tasks and habits with these identifiers.
    public init(_ keys: Set<String> = []) { self.keys = keys }

    /// True if there is no task and no habit, so that it can be of any database.
    public var isEmpty: Bool { keys.isEmpty }

    /// Tells whether both hold records and share hardly any: fewer than one in ten of those of the smaller one.
    ///
    /// A record that was restored from another person's backup makes no family of two databases.
    public func isForeign(to other: SlateIdentity) -> Bool {
        guard !isEmpty, !other.isEmpty else { return false }
        let (few, many) = keys.count < other.keys.count ? (keys, other.keys) : (other.keys, keys)
        return few.count(where: many.contains) * 10 < few.count
    }

    /// Adds the records of another backup of the same database: years later it may have none of them left.
    public mutating func formUnion(_ other: SlateIdentity) { keys.formUnion(other.keys) }
}
