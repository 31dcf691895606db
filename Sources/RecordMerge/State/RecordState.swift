/// What is known of a record: its versions that nobody has replaced, side by side.
///
/// One version is a record on which all agree; several are concurrent, and are shown as one by ``shown``. There is always
/// at least one: a record without versions is deleted, and is not kept.
public struct RecordState: Sendable, Hashable {
    /// The versions, ordered by dot.
    public private(set) var versions: [RecordVersion]

    /// A record with versions, or nil where there is none.
    public init?(_ versions: [RecordVersion]) {
        guard !versions.isEmpty else { return nil }
        self.versions = versions.sorted { $0.stamp.dot < $1.stamp.dot }
    }

    /// A record with versions that are in order; nil where there is none.
    init?(ordered versions: [RecordVersion]) {
        guard !versions.isEmpty else { return nil }
        self.versions = versions
    }

    /// A record with one version.
    public init(_ version: RecordVersion) { versions = [version] }

    /// Whether somebody has deleted the record without knowing of a version that is here.
    public var isContested: Bool { versions.contains { $0.origins.contains(where: \.isDeleted) } }

    /// Takes in what another replica knows of a record, as a checkpoint has it.
    ///
    /// Commutative, associative and idempotent; ``MergeState/join(_:)`` does it for all records that either side has.
    ///
    /// - Parameters:
    ///   - ours: The record as this side knows it; nil where it is not there.
    ///   - seen: What this side has seen.
    ///   - theirs: The record as the other side knows it; nil where it is not there.
    ///   - others: What the other side has seen.
    /// - Returns: The record, or nil where it is deleted.
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

    /// All changes of the record that the authors of these versions had seen, their own included.
    var seen: VersionVector {
        var seen = VersionVector()
        for version in versions {
            seen.formUnion(version.seen)
            seen.insert(version.stamp.dot)
        }
        return seen
    }

    /// The origins of a new version that replaces all of these.
    ///
    /// It inherits the origins that nobody has deleted. A contested version becomes an origin itself: who deletes the record
    /// again has seen that one.
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

/// One side of a join: a record as somebody knows it, and what they have seen.
struct RecordView {
    /// The versions, ordered by dot; none where the record is not there.
    let versions: [RecordVersion]
    /// The changes that this side has seen.
    let seen: VersionVector

    /// Whether this side knows that the record with that origin was deleted.
    ///
    /// A version inherits the origins of those that it replaces, or them. So an origin that was seen, is in no version and is
    /// no version went with a deletion.
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

    /// Both sides together: a version stays where both have it, and where one has it and the other has not seen it.
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
