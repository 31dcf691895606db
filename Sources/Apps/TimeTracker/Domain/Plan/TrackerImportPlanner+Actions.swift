import CivilTime
import FormatKit

extension TrackerImportPlanner {
    /// Refuses what cannot be an activity.
    ///
    /// - Returns: Whether it was refused.
    func refuse(_ activity: TrackerActivity, at place: TrackerImportAction.Place) throws -> Bool {
        if activity.name.isBlank {
            try add(.refuse, activity, id: nil, "it has no name", at: place)
            return true
        }
        if let color = activity.color, !ActivityButton.isColor(color) {
            try add(
                .refuse,
                activity,
                id: nil,
                "its colour is \"\(color.prefix(40))\", which is none such as #3366CC",
                at: place
            )
            return true
        }
        guard let end = activity.end, end.moment < activity.start.moment else { return false }
        try add(.refuse, activity, id: nil, "it ends at \(end), before its start \(activity.start)", at: place)
        return true
    }

    func add(
        _ verb: TrackerImportAction.Verb,
        _ activity: TrackerActivity,
        id: String?,
        _ reason: String,
        at place: TrackerImportAction.Place
    ) throws {
        try recorder.add(action(verb, activity, id: id, reason, at: place))
    }

    func skip(
        _ activity: TrackerActivity,
        id: String,
        _ reason: @autoclosure () -> String,
        at place: TrackerImportAction.Place
    ) throws {
        try recorder.add(.skip, .activity) { action(.skip, activity, id: id, reason(), at: place) }
    }

    func action(
        _ verb: TrackerImportAction.Verb,
        _ activity: TrackerActivity,
        id: String?,
        _ reason: String,
        at place: TrackerImportAction.Place
    ) -> TrackerImportAction {
        TrackerImportAction(
            verb: verb,
            subject: .activity,
            name: activity.name,
            id: id,
            start: activity.start,
            reason: reason,
            place: place
        )
    }

    /// Returns what is appended to the reason of an update: the names of what changes and of what goes.
    static func words(_ differences: (changed: [String], removed: [String])) -> String {
        [("changed", differences.changed), ("removed", differences.removed)].map { what, names in
            names.isEmpty ? "" : "; \(what): \(names.joined(separator: ", "))"
        }.joined()
    }

    /// Returns what is appended to the reason of a conflict: the names of what differs.
    static func words(differing differences: (changed: [String], removed: [String])) -> String {
        let names = differences.changed + differences.removed
        return names.isEmpty ? "" : "; differing: \(names.joined(separator: ", "))"
    }

    static func length(_ activity: TrackerActivity) -> String {
        guard let duration = activity.durationMilliseconds else { return "it is running" }
        let seconds = duration / 1000
        let length = DurationText.words(seconds: seconds)
        return seconds > 86_400 ? "\(length), more than a day" : length
    }

    /// Returns the action of an activity that is added to a store that has none.
    package static func creation(
        of activity: TrackerActivity,
        at place: TrackerImportAction.Place
    ) -> TrackerImportAction {
        TrackerImportAction(
            verb: .create,
            subject: .activity,
            name: activity.name,
            id: activity.id,
            start: activity.start,
            reason: length(activity),
            place: place
        )
    }
}
