internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import GymPulse
internal import StrictJSON

/// A timeline for people and programs.
struct TimelineReport {
    let timeline: Timeline
    let start: Timestamp?

    init(_ timeline: Timeline, start: Timestamp?) {
        self.timeline = timeline
        self.start = start
    }

    var text: String {
        let beginning = start.map { ", from \($0)" } ?? ""
        var columns: [TextTable.Column] = [.right("#"), .right("START"), .right("LENGTH")]
        if start != nil { columns.insert(.left("TIME"), at: 1) }
        columns +=
            timeline.isPreset ? [.left("PHASE"), .right("SET"), .right("ROUND")] : [.left("PHASE"), .left("LABEL")]
        var table = TextTable(columns)
        for (index, entry) in timeline.entries.enumerated() {
            var cells = ["\(index + 1)", Words.length(entry.start), Words.length(entry.duration)]
            if let start { cells.insert(start.adding(seconds: entry.start).description, at: 1) }
            cells +=
                timeline.isPreset
                ? [entry.label, entry.set.map(String.init) ?? "", entry.round.map(String.init) ?? ""]
                : [entry.phase.rawValue, entry.label]
            table.add(cells)
        }
        let heading = "\(timeline.name): \(Words.length(timeline.total))\(beginning)"
        return TerminalText.safe(heading) + "\n" + (table.isEmpty ? "" : "\n" + table.render())
    }

    var json: JSONValue {
        var object: JSONObject = [
            "kind": timeline.isPreset ? "preset" : "session",
            "id": .string(timeline.id),
            "name": .string(timeline.name),
            "totalSeconds": number(timeline.total),
            "start": start.map { .string($0.description) } ?? .null,
            "end": start.map { .string($0.adding(seconds: timeline.total).description) } ?? .null,
        ]
        object["entries"] = .array(timeline.entries.map(entry))
        return .object(object)
    }

    private func entry(_ entry: Timeline.Entry) -> JSONValue {
        var object: JSONObject = [
            "phase": .string(entry.phase.rawValue),
            "label": .string(entry.label),
            "set": entry.set.map(number) ?? .null,
            "round": entry.round.map(number) ?? .null,
            "startSeconds": number(entry.start),
            "durationSeconds": number(entry.duration),
        ]
        if let start { object["start"] = .string(start.adding(seconds: entry.start).description) }
        return .object(object)
    }

    private func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}
