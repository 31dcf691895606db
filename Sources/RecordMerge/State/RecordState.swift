/// The versions of a record that nobody has replaced, side by side.
///
/// With one version, all devices agree; several are concurrent, and ``ResolvedRecord`` makes one record of them. There
/// is at least one: a record without versions is deleted, and the state drops it.
public struct RecordState: Sendable, Hashable {
    /// The versions, ordered by dot.
    public private(set) var versions: [RecordVersion]

    /// Makes a record of versions; nil where there is none.
    public init?(_ versions: [RecordVersion]) {
        guard !versions.isEmpty else { return nil }
        self.versions = versions.sorted { $0.stamp.dot < $1.stamp.dot }
    }

    /// Makes a record of versions in order; nil where there is none.
    init?(ordered versions: [RecordVersion]) {
        guard !versions.isEmpty else { return nil }
        self.versions = versions
    }

    /// Makes a record of one version.
    public init(_ version: RecordVersion) { versions = [version] }

    /// True if somebody deleted the record without having seen one of these versions.
    public var isContested: Bool { versions.contains { $0.origins.contains(where: \.isDeleted) } }

    /// Returns the origins that somebody deleted, of versions that were not contested so in an earlier state.
    package func contestedOrigins(since earlier: RecordState?) -> [Dot] {
        func contests(_ record: RecordState?) -> [[Dot]] {
            (record?.versions ?? []).flatMap { version in
                version.origins.filter(\.isDeleted).map { [version.stamp.dot, $0.dot] }
            }
        }
        guard isContested else { return [] }
        let known = Set(contests(earlier))
        return contests(self).filter { !known.contains($0) }.map { $0[1] }
    }

    /// Returns whether a deletion of an origin concerns the record, and not a later one with its key.
    package func begins(with origin: Dot) -> Bool {
        versions.contains { version in
            version.stamp.dot == origin || version.origins.contains { $0.dot == origin }
        }
    }

    /// Merges what two replicas know of a record.
    ///
    /// The join is commutative, associative and idempotent. ``MergeState/join(_:)`` does it for all records of both
    /// sides.
    ///
    /// - Parameters:
    ///   - ours: The record on this side; nil where there is none.
    ///   - seen: The changes that this side has seen.
    ///   - theirs: The record on the other side; nil where there is none.
    ///   - others: The changes that the other side has seen.
    /// - Returns: The record; nil where it is deleted.
    public static func join(
        _ ours: RecordState?,
        seen: VersionVector,
        _ theirs: RecordState?,
        seen others: VersionVector
    ) -> RecordState? {
        if let ours, ours == theirs { return ours }
        let left = RecordView(versions: ours?.versions ?? [], seen: seen)
        let right = RecordView(versions: theirs?.versions ?? [], seen: others)
        return RecordState(RecordView.join(left, right))
    }

    /// The changes of the record that the authors of these versions had seen, with their own.
    var seen: VersionVector {
        var seen = VersionVector()
        for version in versions {
            seen.formUnion(version.seen)
            seen.insert(version.stamp.dot)
        }
        return seen
    }

    /// The origins of a version that replaces all of these.
    ///
    /// It inherits the origins that nobody has deleted. A contested version becomes an origin itself: a device that
    /// deletes the record again has seen that one.
    var inheritedOrigins: [Origin] {
        var dots: Set<Dot> = []
        for version in versions {
            let kept = version.origins.filter { !$0.isDeleted }
            dots.formUnion(kept.map(\.dot))
            if kept.count < version.origins.count { dots.insert(version.stamp.dot) }
        }
        return dots.sorted().map { Origin($0) }
    }
}

/// One side of a join: a record and the changes that the side has seen.
struct RecordView {
    /// The versions, ordered by dot; none for a missing record.
    let versions: [RecordVersion]
    /// The changes that this side has seen.
    let seen: VersionVector

    /// Returns whether this side knows that somebody deleted the record with that origin.
    ///
    /// A version inherits the origins of the versions that it replaces, or those versions become its origins. So an
    /// origin went with a deletion, if the side has seen it, and no version is or has it.
    func knowsDeletion(of origin: Dot) -> Bool {
        var isKept = false
        for version in versions {
            if version.stamp.dot == origin { isKept = true }
            for candidate in version.origins where candidate.dot == origin {
                if candidate.isDeleted { return true }
                isKept = true
            }
        }
        return !isKept && seen.covers(origin)
    }

    /// Returns the versions of both sides: those that both have, and those of one side that the other has not seen.
    ///
    /// Commutative, associative and idempotent.
    static func join(_ left: RecordView, _ right: RecordView) -> [RecordVersion] {
        var joined: [RecordVersion] = []
        var index = 0
        for version in left.versions {
            while index < right.versions.count, right.versions[index].stamp.dot < version.stamp.dot {
                if !left.seen.covers(right.versions[index].stamp.dot) { joined.append(right.versions[index]) }
                index += 1
            }
            if index < right.versions.count, right.versions[index].stamp.dot == version.stamp.dot {
                joined.append(version)
                index += 1
            } else if !right.seen.covers(version.stamp.dot) {
                joined.append(version)
            }
        }
        for version in right.versions[index...] where !left.seen.covers(version.stamp.dot) { joined.append(version) }
        for place in joined.indices {
            for origin in joined[place].origins.indices where !joined[place].origins[origin].isDeleted {
                let dot = joined[place].origins[origin].dot
                joined[place].origins[origin].isDeleted =
                    left.knowsDeletion(of: dot) || right.knowsDeletion(of: dot)
            }
        }
        return joined
    }
}
