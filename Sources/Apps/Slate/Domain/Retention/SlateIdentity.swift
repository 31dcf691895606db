/// The tasks and habits of a database or a backup, by which backups of one database are told from those of another.
///
/// Days do not tell: all databases have the same.
public struct SlateIdentity: Sendable, Hashable {
    private var keys: Set<String>

    /// The fewest records of which a backup tells whose it is: a short list may turn over within a day.
    private static let fewest = 4
    /// The records of `init --sample`, which any database may begin with.
    private static let sample = Set((1...5).map { "task-\($0)" } + (1...3).map { "habit-\($0)" })

    /// Makes the identity of what has tasks and habits with these identifiers.
    public init(_ keys: Set<String> = []) { self.keys = keys.subtracting(Self.sample) }

    /// True if there is no task and no habit, but for those of the sample, so that it can be of any database.
    public var isEmpty: Bool { keys.isEmpty }

    /// Tells whether both hold several records and share hardly any: fewer than one in ten of those of the smaller one.
    ///
    /// From eleven records on, one that was restored from another person's backup makes no family of two databases.
    public func isForeign(to other: SlateIdentity) -> Bool {
        guard min(keys.count, other.keys.count) >= Self.fewest else { return false }
        let (few, many) = keys.count < other.keys.count ? (keys, other.keys) : (other.keys, keys)
        return few.count(where: many.contains) * 10 < few.count
    }

    /// Adds the records of another backup of the same database: years later it may have none of them left.
    public mutating func formUnion(_ other: SlateIdentity) { keys.formUnion(other.keys) }
}
