internal import StrictJSON

/// Which column of a table of time entries holds what, by the names that Toggl and Clockify give them.
struct EntryColumns {
    /// Whether day and time stand in columns of their own or together.
    struct Moment {
        let date: Int
        let time: Int?

        /// The columns that a row must have.
        var last: Int { max(date, time ?? 0) }
    }

    let format: InterchangeFormat
    let start: Moment
    let end: Moment?
    let length: Int?
    let project: Int?
    let description: Int?
    let task: Int?
    let client: Int?
    /// What an activity has no place for: a name in the plural and the column.
    let details: [(name: String, column: Int)]

    init(_ heading: CSVHeading) throws(InterchangeError) {
        project = heading.column("project", "project name")
        description = heading.column("description", "time entry", "activity")
        task = heading.column("task", "task name")
        client = heading.column("client", "client name")
        length = heading.column("duration (h)", "time (h)", "duration", "duration (decimal)", "time (decimal)")
        guard
            let start = Self.moment(heading, date: ["start date"], time: ["start time"], both: ["start", "started at"])
        else { throw Self.missing("start", heading) }
        self.start = start
        end = Self.moment(
            heading,
            date: ["end date", "stop date"],
            time: ["end time", "stop time"],
            both: ["end", "stop", "ended at", "stopped at"]
        )
        guard end != nil || length != nil else { throw Self.missing("end", heading) }
        let isClockify = heading.column(where: { $0.hasSuffix("(h)") || $0.hasSuffix("(decimal)") }) != nil
        format = isClockify ? .clockify : .toggl
        details = [("tags", heading.column("tags", "tag")), ("notes", heading.column("notes", "note"))]
            .compactMap { name, column in column.map { (name, $0) } }
    }

    private static func moment(
        _ heading: CSVHeading,
        date: [String],
        time: [String],
        both: [String]
    ) -> Moment? {
        func first(_ names: [String]) -> Int? { names.lazy.compactMap { heading.column($0) }.first }
        if let date = first(date) { return Moment(date: date, time: first(time)) }
        return first(both + time).map { Moment(date: $0, time: nil) }
    }

    private static func missing(_ which: String, _ heading: CSVHeading) -> InterchangeError {
        let names = heading.names.prefix(20).map { quoted($0) }.joined(separator: ", ")
        let isSummary = heading.column(where: { $0.contains("duration") || $0.hasPrefix("time (") }) != nil
        let advice =
            isSummary ? "this looks like a summary; export the detailed report" : "check that it is the right file"
        let message = "no column has the \(which) of an entry, as \"\(which) date\" does; found \(names); \(advice)"
        return InterchangeError(.heading, message, at: heading.position)
    }

}

/// What becomes the name of an activity.
public enum EntryNaming: String, Sendable, Hashable, CaseIterable {
    /// The project; where there is none the description, the task or the client.
    case project
    /// The description; where there is none the project, the task or the client.
    case description
    /// Both, as `Project: Description`.
    case both
}

extension EntryColumns {
    /// The name of a row's entry, nil where nothing gives one, and the details that it leaves out.
    func name(of row: CSVRow, _ naming: EntryNaming) -> (name: String?, lost: [String]) {
        func cell(_ column: Int?) -> String? {
            guard let column, column < row.fields.count else { return nil }
            let text = row.fields[column].text.trimmed
            return text.isEmpty ? nil : text
        }
        let named = [
            ("projects", cell(project)), ("descriptions", cell(description)), ("tasks", cell(task)),
            ("clients", cell(client)),
        ]
        .compactMap { kind, text in text.map { (kind: kind, text: $0) } }
        let preferred = naming == .description ? "descriptions" : "projects"
        let chosen = named.first { $0.kind == preferred } ?? named.first
        var used = [chosen?.kind]
        var name = chosen?.text
        if naming == .both, chosen?.kind == "projects", let other = named.first(where: { $0.kind == "descriptions" }) {
            name = name.map { "\($0): \(other.text)" }
            used.append(other.kind)
        }
        let lost = named.filter { !used.contains($0.kind) && $0.text != name }.map(\.kind)
        return (name, lost + details.filter { cell($0.column) != nil }.map(\.name))
    }
}
