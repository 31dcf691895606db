internal import AppFormats
internal import StrictJSON

/// Makes entries of the rows of a table.
struct EntryRows {
    let columns: EntryColumns
    let clock: LocalClock?
    let order: DateOrder?
    let naming: EntryNaming
    var summary: EntrySummary
    private var lost: [String: Int] = [:]

    init(columns: EntryColumns, clock: LocalClock?, order: DateOrder?, naming: EntryNaming) {
        self.columns = columns
        self.clock = clock
        self.order = order
        self.naming = naming
        summary = EntrySummary(source: columns.format == .clockify ? "Clockify CSV" : "Toggl CSV")
        summary.dateOrder = order
    }

    /// The entry of a row, which is as long as the heading at least.
    mutating func entry(_ row: CSVRow) throws(InterchangeError) -> TimeEntry {
        guard let start = try WrittenMoment(row, columns.start, order: order, clock: clock) else {
            throw InterchangeError(.time, "row \(row.number) has no start", at: row.position)
        }
        let end = try columns.end.flatMap { columns throws(InterchangeError) in
            try WrittenMoment(row, columns, order: order, clock: clock)
        }
        let length = try length(row)
        var times = (start: start.resolved.moments[0], end: Timestamp?.none)
        if let end {
            let pair = ResolvedTime.pair(start.resolved, end.resolved, length: length)
            guard pair.end >= pair.start else {
                let message =
                    "row \(row.number): the end, \(quoted(end.text)), is before the start, \(quoted(start.text))"
                throw InterchangeError(.endBeforeStart, message, at: end.position)
            }
            times = (pair.start, pair.end)
            check(row, start, end, length, took: pair.end.seconds - pair.start.seconds)
            note(row, start, pair.start, isDecided: pair.isDecided)
            note(row, end, pair.end, isDecided: pair.isDecided)
        } else {
            // Without a column for it, the end is the length after the start; without anything in it, the entry is running.
            if columns.end == nil { times.end = length.map { times.start.adding(seconds: $0.seconds) } }
            note(row, start, times.start, isDecided: false)
        }
        let name = columns.name(of: row, naming)
        for detail in name.lost { lost[detail, default: 0] += 1 }
        if name.name == nil {
            let message = "row \(row.number) has neither project nor description; it is called \"\(Self.unnamed)\""
            summary.findings.add(.warning, .unnamed, message, at: row.position)
        }
        return TimeEntry(
            name: name.name ?? Self.unnamed,
            start: zoned(times.start, start),
            end: times.end.map { zoned($0, end ?? start) },
            place: EntryPlace(record: row.number, kind: "row", line: row.position?.line)
        )
    }

    static let unnamed = "Untitled"

    private func zoned(_ moment: Timestamp, _ written: WrittenMoment) -> ZonedTimestamp {
        if let offset = written.offsetMinutes { return ZonedTimestamp(moment, offsetMinutes: offset) }
        return clock?.zoned(moment) ?? ZonedTimestamp(moment)
    }

    private func length(_ row: CSVRow) throws(InterchangeError) -> WrittenLength? {
        guard let column = columns.length else { return nil }
        let field = row.fields[column]
        guard !field.text.trimmed.isEmpty else { return nil }
        guard let length = WrittenLength(field.text) else {
            let message = "row \(row.number): \(quoted(field.text)) is no length; expected one such as 1:30:00"
            throw InterchangeError(.duration, message, at: field.position)
        }
        return length
    }

    /// Holds the length that is written against the time from start to end.
    private mutating func check(
        _ row: CSVRow,
        _ start: WrittenMoment,
        _ end: WrittenMoment,
        _ length: WrittenLength?,
        took: Int
    ) {
        guard let length, let column = columns.length else { return }
        let tolerance = max(length.tolerance, start.tolerance, end.tolerance)
        guard abs(length.seconds - took) > tolerance else { return }
        let field = row.fields[column]
        let message =
            "row \(row.number): the length is \(quoted(field.text)), but from start to end it is \(clockText(took)); "
            + "start and end are taken"
        summary.findings.add(.warning, .duration, message, at: field.position)
    }

    /// Notes what had to be decided about a time.
    private mutating func note(_ row: CSVRow, _ written: WrittenMoment, _ taken: Timestamp, isDecided: Bool) {
        let result = zoned(taken, written)
        switch written.resolved.kind {
        case .exact: return
        case .fold:
            summary.folds += 1
            let which = taken == written.resolved.moments[0] ? "earlier" : "later"
            let reason = isDecided ? ", as the length says" : ""
            let message =
                "row \(row.number): the clocks showed \(quoted(written.text)) twice; the \(which) is taken\(reason), \(result)"
            summary.findings.add(isDecided ? .note : .warning, .fold, message, at: written.position)
        case .gap:
            summary.gaps += 1
            let message =
                "row \(row.number): the clocks skipped \(quoted(written.text)); it is shifted behind the gap, \(result)"
            summary.findings.add(.warning, .gap, message, at: written.position)
        }
    }

    /// The summary with what was left out of the entries.
    consuming func finished() -> EntrySummary {
        summary.noteNotCarried(lost)
        return summary
    }
}

/// Seconds as `h:mm:ss`.
func clockText(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
}
