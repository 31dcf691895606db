internal import FormatKit
internal import RecordStore
internal import StrictJSON
internal import TimeTracker

/// The columns of a table of time entries, by the names that Toggl and Clockify give them.
struct EntryColumns {
    /// The columns of a time: one for day and time each, or one for both.
    struct Moment {
        let date: Int
        let time: Int?

        /// The columns that a row must have.
        var last: Int { max(date, time ?? 0) }
    }

    let format: InterchangeFormat
    let start: Moment
    /// True if the table has days and lengths, and no times.
    let isUntimed: Bool
    let end: Moment?
    let length: Int?
    /// True if the heading of the length says that it is in hours.
    let isLengthInHours: Bool
    let project: Int?
    let description: Int?
    let task: Int?
    let client: Int?
    private let tags: Int?
    private let billable: Int?
    /// The columns that an activity keeps under their own headings: amounts, rates, users and whatever else there is.
    private let others: [(name: String, column: Int)]

    /// The last column without which a row is no entry.
    var last: Int { max(start.last, end?.last ?? length ?? 0) }

    init(_ heading: CSVHeading) throws(InterchangeError) {
        project = heading.column("project", "project name")
        description = heading.column("description", "time entry", "notes", "note")
        task = heading.column("task", "task name", "activity")
        client = heading.column("client", "client name", "customer")
        tags = heading.column("tags", "tag")
        billable = heading.column("billable", "billable?")
        let lengths = ["duration (h)", "time (h)", "duration", "duration (decimal)", "time (decimal)", "hours"]
            .compactMap { heading.column($0) }
        length = lengths.first
        isLengthInHours = length != heading.column("duration")
        let day = heading.column("date")
        let timed = Self.moment(
            heading,
            date: ["start date"],
            time: ["start time", "time start", "starttime"],
            both: ["start", "started at", "from", "begin"],
            day
        )
        end = Self.moment(
            heading,
            date: ["end date", "stop date"],
            time: ["end time", "stop time", "time end", "time stop", "endtime"],
            both: ["end", "stop", "ended at", "stopped at", "to"],
            day
        )
        guard let start = timed ?? day.map({ Moment(date: $0, time: nil) }), timed != nil || length != nil else {
            throw Self.missing("start", heading)
        }
        self.start = start
        isUntimed = timed == nil
        guard end != nil || length != nil else { throw Self.missing("end", heading) }
        let isClockify = heading.column(where: { $0.hasSuffix("(h)") || $0.hasSuffix("(decimal)") }) != nil
        let isHarvest = heading.column("hours") != nil && day != nil
        format = isClockify ? .clockify : isHarvest ? .harvest : day != nil ? .kimai : .toggl
        let known = [project, description, task, client, tags, billable, start.date, start.time, end?.date, end?.time]
        let taken = Set(known.compactMap(\.self) + lengths)
        others = heading.names.enumerated().filter { !taken.contains($0.offset) }
            .map {
                (name: $0.element.trimmed.isEmpty ? "column \($0.offset + 1)" : $0.element.trimmed, column: $0.offset)
            }
    }

    private static func moment(
        _ heading: CSVHeading,
        date: [String],
        time: [String],
        both: [String],
        _ day: Int?
    ) -> Moment? {
        func first(_ names: [String]) -> Int? { names.lazy.compactMap { heading.column($0) }.first }
        if let date = first(date) { return Moment(date: date, time: first(time)) }
        if let day { return first(time + both).map { Moment(date: day, time: $0) } }
        return first(both + time).map { Moment(date: $0, time: nil) }
    }

    /// Tells whether a row of a table with times has a day and a length, but no times.
    func lacksTimes(_ row: CSVRow) -> Bool {
        func isEmpty(_ column: Int?) -> Bool { column.map { row.fields[$0].text.trimmed.isEmpty } ?? true }
        guard start.time != nil, isEmpty(start.time), length != nil, !isEmpty(length) else { return false }
        return isEmpty(end.map { $0.time ?? $0.date }) && WrittenDate(row.fields[start.date].text.trimmed) != nil
    }

    /// Returns the heading of a column whose meaning is not known and that has a time of the day in a row; nil for none.
    func unknownTime(in row: CSVRow) -> String? {
        others.first { $0.column < row.fields.count && WrittenTime(row.fields[$0.column].text.trimmed) != nil }?.name
    }

    private static func missing(_ which: String, _ heading: CSVHeading) -> InterchangeError {
        let names = heading.names.prefix(20).map { quoted($0) }.joined(separator: ", ")
        let isSummary = heading.column(where: { $0.contains("duration") || $0.hasPrefix("time (") }) != nil
        let advice =
            isSummary ? "this looks like a summary; export the detailed report" : "check that it is the right file"
        let message = "found no column for the \(which) of an entry, such as \"\(which) date\", but \(names); \(advice)"
        return InterchangeError(.heading, message, at: heading.position)
    }

}

/// The sources of an activity's name.
public enum EntryNaming: String, Sendable, Hashable, CaseIterable {
    /// The project; where there is none the description, the task or the client.
    case project
    /// The description; where there is none the project, the task or the client.
    case description
    /// Both, as `Project: Description`.
    case both
}

extension EntryColumns {
    /// Returns the name of a row's entry; nil where nothing gives one.
    func name(of row: CSVRow, _ naming: EntryNaming) -> String? {
        let (project, description) = (text(project, row), text(description, row))
        let other = text(task, row) ?? text(client, row)
        switch naming {
        case .project: return project ?? description ?? other
        case .description: return description ?? project ?? other
        case .both:
            guard let project, let description else { return project ?? description ?? other }
            return "\(project): \(description)"
        }
    }

    /// Returns the preserved members of the activity: all that a row says beside its times.
    func preserved(of row: CSVRow) -> JSONObject {
        var members = JSONObject()
        let details: [(ActivityDetail, Int?)] = [
            (.project, project), (.client, client), (.task, task), (.description, description),
        ]
        for (detail, column) in details { members[detail.rawValue] = text(column, row).map(JSONValue.string) }
        for (detail, column) in [(ActivityDetail.tags, tags), (.billable, billable)] {
            members[detail.rawValue] = text(column, row).map(detail.value)
        }
        var columns = JSONObject()
        for (name, column) in others { columns[name] = text(column, row).map(JSONValue.string) }
        if !columns.isEmpty { members["columns"] = .object(columns) }
        return members
    }

    /// The members and columns that the table has.
    var places: SourcePlaces {
        let details: [(ActivityDetail, Int?)] = [
            (.project, project), (.client, client), (.task, task), (.description, description), (.tags, tags),
            (.billable, billable),
        ]
        return SourcePlaces(
            members: Set(details.compactMap { $1 == nil ? nil : $0.rawValue }),
            columns: Set(others.map(\.name))
        )
    }

    /// Returns the text of a cell; nil for an empty one, and for the dash that Toggl writes there.
    private func text(_ column: Int?, _ row: CSVRow) -> String? {
        guard let column, column < row.fields.count else { return nil }
        let text = row.fields[column].text.trimmed
        return text.isEmpty || text == "-" && column != description ? nil : text
    }
}
