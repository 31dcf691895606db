internal import CivilTime
internal import FormatKit
internal import StrictJSON

/// The sum of a period's activities that have something in common, such as their client.
public struct GroupTotal: Sendable, Hashable {
    /// The name that they have in common; nil for those that have no such detail.
    public var name: String?
    /// The sum of their lengths, time that overlaps counted in each.
    public var duration: Duration
    /// The part of it that is billed; nil where no activity says whether it is.
    public var billable: Duration?
    /// The amounts of those that begin in the period.
    public var amounts: MoneySum
    /// The number of activities; one that goes on over midnight is one.
    public var count: Int
}

/// The details by which activities are added up.
public enum Grouping: String, Sendable, Hashable, CaseIterable {
    case activity, client, project, task, tags

    /// Returns the groups of an activity; tags make several.
    fileprivate func names(of activity: TrackerActivity) -> [String?] {
        switch self {
        case .activity: return [activity.name]
        case .client: return [activity.detail(.client)]
        case .project: return [activity.detail(.project)]
        case .task: return [activity.detail(.task)]
        case .tags:
            let tags = activity.detail(.tags).flatMap { ActivityDetail.tags.value(of: $0).array } ?? []
            return tags.isEmpty ? [nil] : tags.map(\.string)
        }
    }
}

extension PeriodSummary {
    /// Returns the sums by a detail, the longest first and those without it last; empty where no activity has the detail.
    public func totals(by grouping: Grouping) -> [GroupTotal] {
        var totals: [String?: GroupTotal] = [:]
        for (piece, isFirst) in pieces {
            for name in grouping.names(of: piece.activity) {
                totals[name, default: GroupTotal(name)].add(piece, isNew: isFirst)
            }
        }
        guard totals.keys.contains(where: { $0 != nil }) else { return [] }
        return totals.values.sorted { left, right in
            guard let name = left.name, let other = right.name else { return left.name != nil }
            return left.duration == right.duration ? NaturalOrder.precedes(name, other) : left.duration > right.duration
        }
    }
}

extension GroupTotal {
    fileprivate init(_ name: String?) {
        self.init(name: name, duration: .zero, billable: nil, amounts: MoneySum(), count: 0)
    }

    fileprivate mutating func add(_ piece: DaySummary.Piece, isNew: Bool) {
        duration += piece.duration
        if isNew { count += 1 }
        if let isBillable = piece.activity.isBillable {
            billable = (billable ?? .zero) + (isBillable ? piece.duration : .zero)
        }
        if let amount = piece.detail(.amount) { amounts.add(amount) }
    }
}

extension DaySummary {
    /// The amounts of the activities that begin on the day.
    public var amounts: MoneySum {
        pieces.reduce(into: MoneySum()) { sum, piece in
            if let amount = piece.detail(.amount) { sum.add(amount) }
        }
    }
}
