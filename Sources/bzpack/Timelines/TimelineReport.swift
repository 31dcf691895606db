internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import GymPulse
internal import StrictJSON

extension LocalClock {
    /// Returns a moment by these clocks, with its offset; `Z` where there is none.
    fileprivate func exact(_ moment: Timestamp) -> String {
        let zoned = zoned(moment)
        return zoned.offsetMinutes == 0 ? moment.description : zoned.description
    }
}

/// A timeline for people and programs.
struct TimelineReport {
    let timeline: Timeline
    let start: Timestamp?
    let clock: LocalClock
    let cues: [TimelineCue]
    /// The second that is asked for.
    var at: Int?

    init(_ timeline: Timeline, start: Timestamp?, _ clock: LocalClock, cues: [TimelineCue]) {
        self.timeline = timeline
        self.start = start
        self.clock = clock
        self.cues = cues
    }

    /// The cues as a table.
    var cueText: String {
        guard !cues.isEmpty else { return TerminalText.safe("\(timeline.name) has no cues.") + "\n" }
        var table = TextTable([.right("AT"), .left("CUE")])
        for cue in cues { table.add([Words.position(cue.second), cue.kind == .voice ? "\"\(cue.text)\"" : cue.text]) }
        return TerminalText.safe("\(timeline.name): \(Words.length(timeline.total))") + "\n\n" + table.render()
    }

    /// The place at the second that the person asks for.
    var placeText: String {
        let second = at ?? 0
        guard let place = timeline.place(at: second) else {
            let end = Words.position(timeline.total)
            let line = "At \(Words.position(second)): \(timeline.name) is over; it ends at \(end)."
            return TerminalText.safe(line) + "\n"
        }
        let entry = place.entry
        var what = timeline.isPreset ? timeline.title(of: entry) : "\"\(entry.label)\""
        if !timeline.isPreset, place.occurrences > 1 { what += " (\(place.occurrence) of \(place.occurrences))" }
        let number = "\(timeline.isPreset ? "phase" : "block") \(place.number) of \(timeline.entries.count)"
        let rest = "\(Words.length(place.remaining)) left, \(Words.length(timeline.total - second)) in all"
        let next = place.next.map { ", then \(timeline.isPreset ? timeline.title(of: $0) : "\"\($0.label)\"")" } ?? ""
        return TerminalText.safe("At \(Words.position(second)): \(number), \(what), \(rest)\(next).") + "\n"
    }

    var text: String {
        let beginning = start.map { ", from \(clock.exact($0))" } ?? ""
        var columns: [TextTable.Column] = [.right("#"), .right("START"), .right("LENGTH")]
        if start != nil { columns.insert(.fixed("TIME"), at: 1) }
        columns +=
            timeline.isPreset ? [.fixed("PHASE"), .right("SET"), .right("ROUND")] : [.fixed("PHASE"), .left("LABEL")]
        var table = TextTable(columns)
        for (index, entry) in timeline.entries.enumerated() {
            var cells = ["\(index + 1)", Words.position(entry.start), Words.length(entry.duration)]
            if let start { cells.insert(clock.exact(start.adding(seconds: entry.start)), at: 1) }
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
            "totalSeconds": .number(timeline.total),
            "start": start.map { .string($0.description) } ?? .null,
            "end": start.map { .string($0.adding(seconds: timeline.total).description) } ?? .null,
        ]
        object["entries"] = .array(timeline.entries.map(entry))
        object["cues"] = .array(
            cues.map { ["second": .number($0.second), "kind": .string($0.kind.rawValue), "text": .string($0.text)] }
        )
        if let at { object["at"] = place(at) }
        return .object(object)
    }

    private func place(_ second: Int) -> JSONValue {
        var object: JSONObject = [
            "second": .number(second), "remainingSeconds": .number(max(0, timeline.total - second)),
        ]
        let place = timeline.place(at: second)
        object["number"] = place.map { .number($0.number) } ?? .null
        object["entry"] = place.map { entry($0.entry) } ?? .null
        object["occurrence"] = place.map { .number($0.occurrence) } ?? .null
        object["occurrences"] = place.map { .number($0.occurrences) } ?? .null
        object["entryRemainingSeconds"] = place.map { .number($0.remaining) } ?? .null
        object["next"] = place?.next.map { entry($0) } ?? .null
        return .object(object)
    }

    private func entry(_ entry: Timeline.Entry) -> JSONValue {
        var object: JSONObject = [
            "phase": .string(entry.phase.rawValue),
            "label": .string(entry.label),
            "set": entry.set.map { .number($0) } ?? .null,
            "round": entry.round.map { .number($0) } ?? .null,
            "startSeconds": .number(entry.start),
            "durationSeconds": .number(entry.duration),
        ]
        if let start { object["start"] = .string(start.adding(seconds: entry.start).description) }
        return .object(object)
    }
}
