internal import StrictJSON

/// A preserved member of an activity that people look for: tables have a column for it where an activity has it.
public enum ActivityDetail: String, Sendable, Hashable, CaseIterable {
    case project, client, task, description

    /// Names the detail in the heading of a table: `Client`.
    public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension TrackerActivity {
    /// The text of a detail; nil where the activity has none, an empty one, or a value that is no text.
    public func detail(_ detail: ActivityDetail) -> String? {
        guard let text = unknownMembers[detail.rawValue]?.string, !text.isBlank else { return nil }
        return text
    }
}

extension DaySummary {
    /// The details that parts of the day have beside the names of their activities.
    public var details: [ActivityDetail] {
        ActivityDetail.allCases.filter { detail in
            pieces.contains { $0.activity.detail(detail).map { [name = $0.activity.name] in $0 != name } ?? false }
        }
    }
}
