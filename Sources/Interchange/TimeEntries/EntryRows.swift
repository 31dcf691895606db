internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import StrictJSON
internal import TimeTracker

/// Makes entries of the rows of a table.
struct EntryRows {
    let columns: EntryColumns
    /// The members and columns that each row has a place for.
    private let places: SourcePlaces
    let options: TimeEntryTable.Options
    let order: DateOrder?
    /// The unit of a number alone, as far as the table's lengths show it.
    private let lengths: LengthEvidence
    var summary: EntrySummary
    private var clock: LocalClock? { options.clock }
    /// The end of the last entry of each day that has no times.
    private var taken: [CivilDay: Timestamp] = [:]
    /// The reason why none of the table can be read, found in a row.
    private(set) var tableFault: InterchangeError?
    /// The number of entries without times in a table that has them.
    private var laid = 0

    init(columns: EntryColumns, options: TimeEntryTable.Options, order: DateOrder?, lengths: LengthEvidence) {
        self.columns = columns
        places = columns.places
        self.options = options
        self.order = order
        self.lengths = lengths
        let program =
            switch columns.format {
            case .clockify: "Clockify"
            case .harvest: "Harvest"
            case .kimai: "Kimai"
            default: "Toggl"
            }
        summary = EntrySummary(source: "\(program) CSV")
        summary.dateOrder = order
    }

    /// Notes a row that ends before its table's last columns, as programs leave away what is empty.
    mutating func noteShort(_ row: CSVRow, _ heading: CSVHeading) {
        let missing = heading.names[row.fields.count...].map { quoted($0) }.joined(separator: ", ")
        let message = "row \(row.number) has no field for \(missing); it is read as if that were empty"
        summary.findings.add(.warning, .ragged, message, at: row.position)
    }

    /// Returns the entry of a row, which is as long as the heading at least.
    mutating func entry(_ row: CSVRow) throws(InterchangeError) -> TimeEntry {
        var entry: TimeEntry
        if columns.isUntimed {
            entry = try untimed(row)
        } else if columns.lacksTimes(row) {
            entry = try untimed(row)
            laid += 1
        } else {
            entry = try timed(row)
        }
        entry.places = places
        return entry
    }

    /// The entry of a row that has times.
    private mutating func timed(_ row: CSVRow) throws(InterchangeError) -> TimeEntry {
        guard let start = try WrittenMoment(row, columns.start, order: order, clock: clock) else {
            throw InterchangeError(.time, "row \(row.number) has no start", at: row.position)
        }
        let day = columns.start.date
        let end = try columns.end.flatMap { columns throws(InterchangeError) -> WrittenMoment? in
            // Start and end share the day's column: an empty time means a running entry.
            let isEmpty = columns.time.map { row.fields[$0].text.trimmed.isEmpty } ?? false
            if isEmpty, columns.date == day { return nil }
            return try WrittenMoment(row, columns, order: order, clock: clock)
        }
        var length = try end == nil ? length(row) : readableLength(row)
        var times = (start: start.resolved.moments[0], end: Timestamp?.none)
        if let end {
            var pair = ResolvedTime.pair(start.resolved, end.resolved, length: length)
            if pair.end < pair.start, let next = try nextDay(row, start, length) { pair = next }
            for other in columns.isLengthInHours ? [] : length?.alternatives ?? [] where !pair.isDecided {
                // Start and end tell the unit of a number alone.
                var found = ResolvedTime.pair(start.resolved, end.resolved, length: other)
                if pair.end < pair.start, let next = try nextDay(row, start, other) { found = next }
                if found.isDecided { (pair, length) = (found, other) }
            }
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
            // The end is the length after the start. An empty end without a length is that of a running entry.
            if columns.end == nil, length == nil { throw noLength(row) }
            if let length, length.seconds > 0 || columns.end == nil {
                try checkUnit(of: length, row)
                times.end = times.start.adding(seconds: length.seconds)
            }
            note(row, start, times.start, isDecided: false)
        }
        return TimeEntry(
            name: name(row),
            start: zoned(times.start, start),
            end: times.end.map { zoned($0, end ?? start) },
            preserved: preserved(of: row),
            place: EntryPlace(record: row.number, kind: "row", line: row.position?.line)
        )
    }

    /// Refuses a number alone whose unit nothing tells.
    ///
    /// In a table with ends, a length may be of seconds, minutes or hours: the row is refused, unless other rows show
    /// that the column is in hours. Without ends, a number counts as hours. One that would be more than a day has shows
    /// that all of the table has another unit.
    private mutating func checkUnit(of length: WrittenLength, _ row: CSVRow) throws(InterchangeError) {
        guard let number = length.bareNumber, number > 0, !columns.isLengthInHours, let column = columns.length
        else { return }
        let field = row.fields[column]
        guard columns.end == nil else {
            if lengths.areHours, number <= 24 { return }
            let message =
                "row \(row.number) has no end, and its length \(quoted(field.text)) no unit; "
                + "expected one such as 1:30:00"
            throw InterchangeError(.duration, message, at: field.position)
        }
        guard number > 24 else { return }
        let message =
            "row \(row.number): the length \(quoted(field.text)) would be \(number) hours; expected lengths "
            + "such as 1:30:00, or 1.5 in a column \"Duration (h)\""
        let error = InterchangeError(.duration, message, at: field.position)
        tableFault = error
        throw error
    }

    private func noLength(_ row: CSVRow) -> InterchangeError {
        InterchangeError(.duration, "row \(row.number) has no length", at: row.position)
    }

    private mutating func name(_ row: CSVRow) -> String {
        if let name = columns.name(of: row, options.naming) { return name }
        let message = "row \(row.number) has neither project nor description; it is called \"\(Self.unnamed)\""
        summary.findings.add(.warning, .unnamed, message, at: row.position)
        return Self.unnamed
    }

    /// Returns the members of a row beside its times, and reports doubtful amounts.
    private mutating func preserved(of row: CSVRow) -> JSONObject {
        let members = columns.preserved(of: row)
        let amounts = ActivityDetail.amounts(inColumnsOf: members)
        func warn(_ message: String) {
            summary.findings.add(.warning, .amount, "row \(row.number)\(message)", at: row.position)
        }
        guard let first = amounts.first else {
            if let text = ActivityDetail.amountWithoutNumber(inColumnsOf: members) {
                warn(": the amount \(quoted(text)) has no number; the entry is taken without an amount")
            }
            return members
        }
        var sum = MoneySum()
        sum.add(first)
        if sum.unreadable > 0 {
            let reason =
                MoneySum.isAmbiguous(first)
                ? "can be read in two ways" : "cannot be read; expected one such as 12.50 EUR or -12.50"
            warn(": the amount \(quoted(first)) \(reason); sums count it apart")
        } else if let unit = ActivityDetail.otherCurrency(inColumnsOf: members) {
            warn(": the amount \(quoted(first)) names another currency than its column, \(unit); it counts as written")
        }
        if let other = amounts.first(where: { $0 != first }) {
            warn(" has two amounts, \(quoted(first)) and \(quoted(other)); the first is taken")
        }
        return members
    }

    /// Returns the times of an entry that ends on the day after; nil where it does not.
    ///
    /// The table has one day for both times then, and the length shows the next day.
    private func nextDay(
        _ row: CSVRow,
        _ start: WrittenMoment,
        _ length: WrittenLength?
    ) throws(InterchangeError) -> (start: Timestamp, end: Timestamp, isDecided: Bool)? {
        guard let column = columns.end, column.date == columns.start.date, let length,
            let end = try WrittenMoment(row, column, order: order, clock: clock, daysLater: 1)
        else { return nil }
        let pair = ResolvedTime.pair(start.resolved, end.resolved, length: length)
        return pair.isDecided ? pair : nil
    }

    /// Returns the entry of a row that has a day and a length: it follows the one of the same day before it.
    private mutating func untimed(_ row: CSVRow) throws(InterchangeError) -> TimeEntry {
        let field = row.fields[columns.start.date]
        guard let first = options.dayStart else {
            let missing = "--day-start, such as 09:00," + (self.clock == nil ? " and --time-zone" : "")
            guard columns.isUntimed else {
                let message = "row \(row.number) has a day and a length, but no times; name \(missing) to begin it then"
                throw InterchangeError(.time, message, at: field.position)
            }
            let times = columns.unknownTime(in: row).map {
                "the column \(quoted($0)) has times: call it \"Start time\" or \"End time\", or "
            }
            let message =
                "the table says on which day and how long, but not when; \(times ?? "")name \(missing) to have each day's "
                + "entries one after the other from then on"
            throw InterchangeError(.timeOfDay, message, at: field.position)
        }
        guard let clock else {
            let message = "the days of the table have no time zone; name the one they are in with --time-zone"
            throw InterchangeError(.timeZone, message, at: field.position)
        }
        guard let day = WrittenDate(field.text.trimmed)?.day(order) else {
            throw InterchangeError(.time, "row \(row.number): \(quoted(field.text)) is no date", at: field.position)
        }
        guard let length = try length(row) else { throw noLength(row) }
        try checkUnit(of: length, row)
        let start = taken[day] ?? ResolvedTime(LocalTime(day: day, seconds: first), in: clock).moments[0]
        // A day has 23 to 25 hours.
        guard length.seconds <= 25 * 3_600,
            start.adding(seconds: length.seconds) <= clock.startOfDay(day.adding(days: 1))
        else {
            let message =
                "row \(row.number): the day has no room for it; "
                + (first > 0 ? "an earlier --day-start, or 00:00, gives more" : "correct the lengths of its rows")
            throw InterchangeError(.duration, message, at: row.position)
        }
        let end = start.adding(seconds: length.seconds)
        taken[day] = end
        let name = name(row)
        let preserved = preserved(of: row)
        // Amounts and whether it was invoiced change later; the entry stays the same.
        let details = ActivityDetail.words.map { preserved[$0.rawValue]?.string ?? "" }
        let content = [day.description, name, "\(length.seconds)"] + details
        var untimed = TimeEntry.Untimed(
            source: columns.format.rawValue,
            day: LocalClock.utc.startOfDay(day),
            words: content
        )
        untimed.zonedDay = clock.startOfDay(day)
        return TimeEntry(
            name: name,
            start: clock.zoned(start),
            end: clock.zoned(end),
            untimed: untimed,
            preserved: preserved,
            place: EntryPlace(record: row.number, kind: "row", line: row.position?.line)
        )
    }

    /// Returns the summary, with the findings on the table as a whole.
    consuming func finished() -> EntrySummary {
        if columns.isUntimed, summary.entries > 0, let first = options.dayStart {
            let message =
                "the table has no times: each day's entries are laid one after the other from "
                + "\(clockText(first).dropLast(3)) on"
            summary.findings.add(.warning, .timeOfDay, message, at: nil)
        } else if laid > 0, let first = options.dayStart {
            let message =
                "without times: \(counted(laid, "row")), laid one after the other from \(clockText(first).dropLast(3)) on; "
                + "other entries of these days may overlap"
            summary.findings.add(.warning, .timeOfDay, message, at: nil)
        }
        return summary
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

    /// Returns the length of a row that has start and end, which count; nil, with a warning, for one that cannot be read.
    private mutating func readableLength(_ row: CSVRow) -> WrittenLength? {
        do throws(InterchangeError) {
            return try length(row)
        } catch {
            summary.findings.add(.warning, .duration, "\(error.message); start and end are taken", at: error.position)
            return nil
        }
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
            let place = taken == written.resolved.moments[0] ? "behind" : "in front of"
            let reason = isDecided && place != "behind" ? ", as the length says" : ""
            let message =
                "row \(row.number): the clocks skipped \(quoted(written.text)); it is shifted \(place) the gap\(reason), \(result)"
            summary.findings.add(.warning, .gap, message, at: written.position)
        }
    }
}

/// Seconds as `h:mm:ss`.
func clockText(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
}
