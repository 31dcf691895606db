internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import StrictJSON

/// The time of an entry's start or end, as a table has it.
struct WrittenMoment {
    let resolved: ResolvedTime
    /// The offset that the text has itself.
    let offsetMinutes: Int?
    /// The number of seconds by which the text may differ from the truth: a minute where it has no seconds.
    let tolerance: Int
    /// The text in the table, and its place, for messages.
    let text: String
    let position: TextPosition

    /// Reads the cells of a row; nil where they are empty.
    ///
    /// - Throws: `entries.time` for what is no date and time, `entries.time-zone` where a zone is needed.
    init?(
        _ row: CSVRow,
        _ columns: EntryColumns.Moment,
        order: DateOrder?,
        clock: LocalClock?,
        daysLater: Int = 0
    ) throws(InterchangeError) {
        let field = row.fields[columns.date]
        let time = columns.time.map { row.fields[$0].text.trimmed } ?? ""
        text = [field.text.trimmed, time].filter { !$0.isEmpty }.joined(separator: " ")
        position = field.position
        guard !text.isEmpty else { return nil }
        if let exact = ZonedTimestamp(text.replacing(" ", with: "T", maxReplacements: 1)) {
            resolved = ResolvedTime(exact: exact.moment)
            offsetMinutes = exact.offsetMinutes
            tolerance = 1
            return
        }
        let (dateText, timeText) = Self.halves(text)
        guard let written = WrittenDate(dateText) else {
            throw Self.fault(row, text, "is no date and time; expected one such as 2026-03-01 17:30:00", position)
        }
        guard let day = written.day(order) else {
            let order = order.map { " in \($0.words)" } ?? ""
            throw Self.fault(row, String(dateText), "is no date\(order)", position)
        }
        guard let time = WrittenTime(timeText) else {
            let place = columns.time.map { row.fields[$0].position } ?? position
            throw Self.fault(
                row,
                String(timeText),
                "is no time of the day; expected one such as 17:30 or 5:30 PM",
                place
            )
        }
        guard let clock else {
            let message = "the times of the table have no time zone; name the one they are in with --time-zone"
            throw InterchangeError(.timeZone, message, at: position)
        }
        let local = LocalTime(day: day.adding(days: daysLater), seconds: time.seconds)
        resolved = ResolvedTime(local, nanoseconds: time.nanoseconds, in: clock)
        offsetMinutes = nil
        tolerance = time.hasSeconds ? 1 : 60
    }

    /// Returns the date that a cell holds, alone or before a time.
    static func date(in text: String) -> WrittenDate? { WrittenDate(halves(text.trimmed).date) }

    private static func halves(_ text: String) -> (date: Substring, time: Substring) {
        guard let end = text.firstIndex(where: { $0.isWhitespace || $0 == "T" || $0 == "," }) else {
            return (text[...], "")
        }
        return (text[..<end], text[text.index(after: end)...])
    }

    private static func fault(
        _ row: CSVRow,
        _ text: String,
        _ what: String,
        _ position: TextPosition
    ) -> InterchangeError {
        InterchangeError(.time, "row \(row.number): \(quoted(text)) \(what)", at: position)
    }
}
