internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import TimeTracker

/// The activities that began and ended.
struct RunningReport {
    let change: TrackerRecords.Change

    init(_ change: TrackerRecords.Change) { self.change = change }

    func print(_ output: FormatOption) throws(CommandFailure) {
        let lines =
            [change.stopped.map { Self.line("Stopped", $0, until: $0.end?.moment) }]
            + [change.started.map { Self.line("Started", $0, until: nil) }]
        try output.print(
            lines.compactMap { $0.map { TerminalText.safe($0) + "\n" } }.joined(),
            [
                "stopped": change.stopped.map { Self.json($0, until: $0.end?.moment) } ?? .null,
                "started": change.started.map { Self.json($0, until: nil) } ?? .null,
            ]
        )
    }

    /// Returns an activity in a line, with its length up to a moment.
    static func line(_ what: String, _ activity: TrackerActivity, until end: Timestamp?) -> String {
        let seconds = end.map { $0.seconds - activity.start.moment.seconds }
        if let seconds, seconds < 0 { return Messages.beginsLater(activity.name, "\(activity.start)") }
        let length = seconds.map { ", \(Words.length($0))" } ?? ""
        return Messages.line(what, activity.name, "\(activity.start)", length)
    }

    /// Returns an activity for programs.
    static func json(_ activity: TrackerActivity, until end: Timestamp?) -> JSONValue {
        [
            "id": .string(activity.id),
            "name": .string(activity.name),
            "buttonId": activity.buttonID.map { .string($0) } ?? .null,
            "startTime": .string(activity.start.description),
            "endTime": activity.end.map { .string($0.description) } ?? .null,
            "seconds": end.map { .number(max(0, $0.seconds - activity.start.moment.seconds)) } ?? .null,
        ]
    }
}
