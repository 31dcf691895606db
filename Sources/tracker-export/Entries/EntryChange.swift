internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import TimeTracker

/// A change of entries: checked, made and reported.
struct EntryChange {
    private let change: TrackerChange
    private let overlaps: [(entry: TrackerActivity, other: TrackerActivity)]
    private let handles: ActivityHandles
    private let clock: LocalClock

    /// Makes a change.
    ///
    /// - Throws: 64 where an end is before its start; `tracker.state` where two would run at once.
    static func make(
        _ what: String,
        _ steps: [(before: TrackerActivity?, after: TrackerActivity?)],
        _ records: TrackerRecords,
        _ clock: EntryClock.Clock
    ) throws -> EntryChange {
        let change = TrackerChange(
            what,
            activities: steps.map { TrackerChange.Step(before: $0.before, after: $0.after) }
        )
        let after = steps.compactMap(\.after)
        for entry in after {
            if let end = entry.end, end.moment < entry.start.moment {
                throw CommandFailure(
                    .usage,
                    Messages.endBeforeStart("\(end)", "\(entry.start)")
                )
            }
        }
        try records.make(change)
        for entry in after { try records.checkRunning(entry, now: clock.now) }
        return EntryChange(
            change: change,
            overlaps: try after.flatMap { entry in
                try records.overlaps(with: entry, now: clock.now).map { (entry, $0) }
            },
            handles: try records.handles(),
            clock: clock.local
        )
    }

    /// Makes a change that was undone.
    init(undone change: TrackerChange, _ records: TrackerRecords, _ clock: LocalClock) throws {
        self.init(change: change, overlaps: [], handles: try records.handles(), clock: clock)
    }

    /// Makes a change of buttons that was made.
    init(made change: TrackerChange) {
        self.init(change: change, overlaps: [], handles: ActivityHandles([]), clock: .utc)
    }

    private init(
        change: TrackerChange,
        overlaps: [(entry: TrackerActivity, other: TrackerActivity)],
        handles: ActivityHandles,
        clock: LocalClock
    ) {
        (self.change, self.overlaps, self.handles, self.clock) = (change, overlaps, handles, clock)
    }

    /// Says what was changed and how to take it back; what overlaps is a finding.
    func print(_ output: FormatOption, undone: Bool = false) throws {
        let findings = overlaps.map { entry, other in
            let message = Messages.overlap(
                EntryWords.line(entry, handles, clock),
                EntryWords.line(other, handles, clock)
            )
            return Diagnostic(.warning, code: "tracker.overlap", message: message)
        }
        StandardError.write(DiagnosticRenderer().render(findings))
        let lines =
            undone ? [Messages.undone(change.what)] + lines(change.reversed) : lines(change) + [TimeProgram.undoHint]
        try output.print(lines.map { TerminalText.safe($0) + "\n" }.joined(), json)
        if !findings.isEmpty { throw ExitStatus.findings.exitCode }
    }

    private func lines(_ change: TrackerChange) -> [String] {
        let entries = change.activities.map { step in
            switch (step.before, step.after) {
            case (nil, let after?): Messages.added(EntryWords.line(after, handles, clock))
            case (let before?, nil): Messages.deleted(EntryWords.line(before, handles, clock))
            case (let before?, let after?):
                Messages.changed(
                    EntryWords.line(after, handles, clock),
                    EntryWords.changes(from: before, to: after, clock)
                )
            case (nil, nil): ""
            }
        }
        return entries + change.buttons.map(ButtonWords.line)
    }

    private var json: JSONValue {
        [
            "what": .string(change.what),
            "entries": .array(
                change.activities.map { step in
                    [
                        "before": step.before.map { EntryWords.json($0, handles) } ?? .null,
                        "after": step.after.map { EntryWords.json($0, handles) } ?? .null,
                    ]
                }
            ),
            "buttons": .array(
                change.buttons.map { step in
                    ["before": step.before?.json ?? .null, "after": step.after?.json ?? .null]
                }
            ),
            "overlaps": .array(
                overlaps.map { ["entry": .string($0.entry.id), "other": .string($0.other.id)] }
            ),
        ]
    }
}

/// Entries in words and for programs.
enum EntryWords {
    /// Returns times such as `Fri 6 Mar 2026 09:00–12:30`.
    static func span(_ entry: TrackerActivity, _ clock: LocalClock) -> String {
        let start = entry.start.moment
        let day = clock.day(of: start)
        let begin = "\(day.words) \(clock.time(of: start))"
        guard let end = entry.end?.moment else { return "\(begin)–running" }
        let last = clock.day(of: end)
        return last == day ? "\(begin)–\(clock.time(of: end))" : "\(begin)–\(last.words) \(clock.time(of: end))"
    }

    /// Returns the short name, the name and the times of an entry.
    static func line(_ entry: TrackerActivity, _ handles: ActivityHandles?, _ clock: LocalClock) -> String {
        let handle = handles.map { "\($0.handle(of: entry.id)) " } ?? ""
        return "\(handle)\"\(entry.name)\", \(span(entry, clock))"
    }

    /// Returns the differences between an entry and an earlier state of it: `; before: …; client: Big Company`.
    static func changes(from before: TrackerActivity, to after: TrackerActivity, _ clock: LocalClock) -> String {
        var parts: [String] = []
        if before.name != after.name || before.start != after.start || before.end != after.end {
            parts.append("before: \(line(before, nil, clock))")
        }
        for detail in ActivityDetail.allCases where before.detail(detail) != after.detail(detail) {
            let name = detail == .description ? "note" : detail.rawValue
            parts.append("\(name): \(after.detail(detail) ?? "none")")
        }
        return parts.map { "; \($0)" }.joined()
    }

    /// Returns an entry for programs.
    static func json(_ entry: TrackerActivity, _ handles: ActivityHandles) -> JSONValue {
        var object: JSONObject = [
            "id": .string(entry.id),
            "shortName": .string(handles.handle(of: entry.id)),
            "name": .string(entry.name),
            "buttonId": entry.buttonID.map { .string($0) } ?? .null,
            "startTime": .string(entry.start.description),
            "endTime": entry.end.map { .string($0.description) } ?? .null,
            "seconds": entry.durationMilliseconds.map { .seconds(.milliseconds($0)) } ?? .null,
        ]
        for detail in ActivityDetail.allCases { object[detail.rawValue] = entry.detail(detail).map(detail.value) }
        return .object(object)
    }
}

/// Entries in a list, for people and programs.
struct EntryListReport {
    let entries: [TrackerActivity]
    let handles: ActivityHandles
    let span: DaySpan
    let clock: LocalClock
    let now: Timestamp

    var text: String {
        guard !entries.isEmpty else {
            return Messages.noEntries(span.words)
        }
        let details = ActivityDetail.allCases.filter { detail in entries.contains { $0.detail(detail) != nil } }
        var columns: [TextTable.Column] = [
            .fixed("ENTRY"), .fixed("FROM"), .fixed("TO"), .right("TIME"), .left("ACTIVITY"),
        ]
        columns += details.map { .left(($0 == .description ? "note" : $0.title).uppercased()) }
        var table = TextTable(columns)
        for entry in entries {
            let (start, end) = (entry.start.moment, entry.end?.moment)
            let day = clock.day(of: start)
            let from = span.kind == .day && day == span.days.lowerBound ? "" : "\(day.words) "
            let last = end.map { clock.day(of: $0) }
            let to = end.map { (last == day ? "" : "\(last?.words ?? "") ") + clock.time(of: $0) } ?? "running"
            let length = Words.length(.nanoseconds((end ?? max(now, start)).nanoseconds(since: start)))
            let texts = [entry.name] + details.map { entry.detail($0) ?? "" }
            let cells = [handles.handle(of: entry.id), from + clock.time(of: start), to, length]
            table.add(cells + texts.map { TerminalText.cut($0, to: 40) })
        }
        return table.render()
    }

    var json: JSONValue {
        [
            "from": .string(span.days.lowerBound.description),
            "to": .string(span.days.upperBound.description),
            "entries": .array(entries.map { EntryWords.json($0, handles) }),
        ]
    }
}
