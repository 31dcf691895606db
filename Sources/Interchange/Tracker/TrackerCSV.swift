internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import RecordStore
public import StrictJSON
public import TimeTracker

/// The activities of a tracker export as CSV, without loss: the table that a spreadsheet opens, and that can be read back.
///
/// The columns are always the same: `id`, `name`, `buttonId`, `startTime`, `endTime`, `durationSeconds`, `color`, `project`,
/// `client`, `task`, `description`, `tags`, `billable`, `amount` and `extra`, a JSON object with the other members that the
/// format does not know. An empty text stands between quotes, a member that is missing does not. The length follows from the
/// times and is read where a row has no end.
public enum TrackerCSV {
    static let columns = ["id", "name", "buttonId", "startTime", "endTime", "durationSeconds", "color", "extra"]

    /// Writes the activities.
    ///
    /// - Returns: What the table has no place for.
    package static func write(
        _ content: some TrackerSource,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> [InterchangeLoss] {
        var losses = LossCounter()
        losses.add("the buttons, except their name, colour and identifier", count: try content.buttons.count)
        losses.add("the time of the export", count: try content.exportedAt == nil ? 0 : 1)
        losses.add("the name of the time zone", count: try content.timeZone == nil ? 0 : 1)
        losses.add("unknown members of the whole export", count: try content.unknownMembers.count)
        let details = ActivityDetail.allCases
        try withoutActuallyEscaping(sink) { sink in
            var writer = CSVWriter(sink: sink)
            for column in columns where column != "extra" { writer.cell(column) }
            for detail in details { writer.cell(detail.rawValue) }
            writer.cell("extra")
            try writer.endRow()
            try content.forEachActivity { try write($0, details, to: &writer) }
            try writer.finish()
        }
        return losses.losses
    }

    private static func write(
        _ activity: TrackerActivity,
        _ details: [ActivityDetail],
        to writer: inout CSVWriter
    ) throws {
        let members = ActivityMembers(activity, details: details) { !$0.utf8.contains(0) }
        writer.cell(members.id)
        writer.cell(members.name)
        writer.cell(members.buttonID)
        writer.cell(members.start)
        writer.cell(members.end)
        writer.cell(activity.durationMilliseconds.map(seconds))
        writer.cell(members.color)
        for detail in details { writer.cell(members.details[detail]) }
        writer.cell(members.extra.isEmpty ? nil : JSONValue.object(members.extra).text(.compact))
        try writer.endRow()
    }

    /// Milliseconds as seconds with as many decimals as they need.
    private static func seconds(_ milliseconds: Int) -> String {
        let sign = milliseconds < 0 ? "-" : ""
        let size = milliseconds.magnitude
        let rest = size % 1000
        guard rest != 0 else { return "\(sign)\(size / 1000)" }
        let digits = String(rest)
        var decimals = Substring(String(repeating: "0", count: 3 - digits.count) + digits)
        while decimals.hasSuffix("0") { decimals = decimals.dropLast() }
        return "\(sign)\(size / 1000).\(decimals)"
    }

    /// Tells whether a table is one of these, by its heading.
    static func fits(_ heading: CSVHeading) -> Bool {
        heading.column("starttime") != nil && heading.column("name") != nil && heading.column("endtime") != nil
    }

    /// Reads the activities, in their order; a row that cannot be used is a finding, and the others are read.
    ///
    /// A row without an identifier, as somebody adds it in a spreadsheet, is handed on as an entry. Of a table that lacks
    /// columns, a heading comes first: it says which members the table does not speak of.
    ///
    /// - Parameter repair: Whether start and end are exchanged where a row ends before it begins.
    /// - Throws: `csv.…` and `text.…` for what is no such table; what the sink throws.
    public static func read(
        _ source: JSONByteSource,
        repair: Bool = false,
        sink: (TrackerItem) throws -> Void
    ) throws -> EntrySummary {
        let (source, encoding) = try Windows1252.decoding(source)
        var reader = CSVReader(source)
        guard let first = try reader.next() else { throw InterchangeError(.empty, "the table has no rows") }
        let heading = try CSVHeading(first)
        guard fits(heading) else {
            let message =
                "the heading is not that of a tracker's table, \(columns.joined(separator: ",")), in any order"
            throw InterchangeError(.heading, message, at: heading.position)
        }
        var summary = EntrySummary(source: "tracker CSV")
        summary.note(encoding)
        let table = Columns(heading)
        for (name, count) in table.unknown {
            let message = "the column \(quoted(name)) is not read (number \(count + 1))"
            summary.findings.add(.warning, .unknownColumn, message, at: heading.position)
        }
        if !table.isWhole { try sink(.heading(TrackerHeading(places: table.given))) }
        while let row = try reader.next() {
            switch Result(catching: { () throws(InterchangeError) in try table.item(row, heading) }) {
            case .success(var item):
                summary.entries += 1
                if repair, let repaired = item.exchangeTimes() {
                    let message = "row \(row.number): \(repaired)"
                    summary.findings.add(.warning, .endBeforeStart, message, at: table.endPosition(row))
                } else {
                    table.checkLength(of: item, row, &summary.findings)
                }
                try sink(item)
            case .failure(let error): summary.refuse(error)
            }
        }
        return summary
    }
}

extension TrackerCSV {
    /// The columns of a table, with which rows become activities.
    private struct Columns {
        let places: [String: Int]
        let unknown: [(String, Int)]
        /// The members that the table has columns for.
        let given: SourcePlaces
        /// True if the table has all columns that say something of an activity.
        let isWhole: Bool

        init(_ heading: CSVHeading) {
            var places: [String: Int] = [:]
            for name in columns + ActivityDetail.allCases.map(\.rawValue) {
                places[name] = heading.column(name.lowercased())
            }
            self.places = places
            let members = ["buttonId", "color"] + ActivityDetail.allCases.map(\.rawValue)
            let named = members.filter { places[$0] != nil }
            given = SourcePlaces(members: Set(named), hasOthers: places["extra"] != nil)
            isWhole = named.count == members.count && given.hasOthers
            unknown = heading.names.enumerated().filter { !$0.element.isEmpty && !places.values.contains($0.offset) }
                .map { ($0.element, $0.offset) }
        }

        private func field(_ name: String, _ row: CSVRow) -> CSVRow.Field? {
            places[name].flatMap { $0 < row.fields.count ? row.fields[$0] : nil }
        }

        private func text(_ name: String, _ row: CSVRow) -> String? {
            field(name, row).flatMap { $0.text.isEmpty && !$0.isQuoted ? nil : FormulaGuard.unguarded($0.text) }
        }

        func item(_ row: CSVRow, _ heading: CSVHeading) throws(InterchangeError) -> TrackerItem {
            if let fault = heading.fault(in: row) { throw fault }
            var members = ActivityMembers()
            members.id = text("id", row)
            members.name = text("name", row)
            members.buttonID = text("buttonId", row)
            members.start = text("startTime", row).flatMap { $0.isEmpty ? nil : $0 }
            members.end = text("endTime", row).flatMap { $0.isEmpty ? nil : $0 }
            if members.end == nil { members.end = try impliedEnd(members.start, row) }
            members.color = text("color", row).flatMap { $0.isEmpty ? nil : $0 }
            for detail in ActivityDetail.allCases {
                members.details[detail] = text(detail.rawValue, row).flatMap { $0.isEmpty ? nil : $0 }
            }
            if let extra = text("extra", row), !extra.isEmpty {
                guard let object = jsonObject(extra) else {
                    let message = "row \(row.number): \(quoted(extra)) is no JSON object"
                    throw InterchangeError(.cell, message, at: field("extra", row)?.position)
                }
                members.extra = object
            }
            // An empty cell removes the amount. An empty member hides the report's column in `extra`.
            if places["amount"] != nil, members.details[.amount] == nil, members.extra["amount"] == nil,
                let amount = ActivityDetail.amount(inColumnsOf: members.extra), !amount.utf8.contains(0)
            {
                members.extra["amount"] = ""
            }
            let place = EntryPlace(record: row.number, kind: "row", line: row.position?.line)
            do throws(ActivityMembers.Fault) {
                let item = try members.item(place)
                guard case .entry(var entry) = item else { return item }
                entry.places.members = given.members
                return .entry(entry)
            } catch {
                let message = "row \(row.number): \(error.message)"
                throw InterchangeError(.cell, message, at: field(error.member, row)?.position ?? row.position)
            }
        }

        /// Returns the end of a row that has a start and a length alone; nil where it has no length either.
        private func impliedEnd(_ start: String?, _ row: CSVRow) throws(InterchangeError) -> String? {
            guard let start = start.flatMap({ ZonedTimestamp($0) }), let field = field("durationSeconds", row) else {
                return nil
            }
            let text = FormulaGuard.unguarded(field.text).trimmed
            guard !text.isEmpty else { return nil }
            let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
            guard parts.count <= 2, let seconds = decimal(parts[0].utf8),
                let nanoseconds = parts.count == 1 ? 0 : decimal((parts[1] + "00000000").utf8.prefix(9)),
                // Three digits may be thousands.
                parts.count == 1 || !parts[1].isEmpty && parts[1].utf8.count != 3
            else {
                let message =
                    "row \(row.number) has no end, and its length is \(quoted(field.text)); expected seconds such as 3600"
                throw InterchangeError(.duration, message, at: field.position)
            }
            let sum = start.moment.nanoseconds + nanoseconds
            let end = Timestamp(
                seconds: start.moment.adding(seconds: seconds + sum / 1_000_000_000).seconds,
                nanoseconds: sum % 1_000_000_000
            )
            return ZonedTimestamp(end, offsetMinutes: start.offsetMinutes).description
        }

        /// The place of a row's end.
        func endPosition(_ row: CSVRow) -> TextPosition? { field("endTime", row)?.position ?? row.position }

        /// The times count; but where somebody changed them, or the length, it is worth a look.
        func checkLength(of item: TrackerItem, _ row: CSVRow, _ findings: inout Findings) {
            guard case .activity(let activity, _) = item, let field = field("durationSeconds", row),
                !field.text.isEmpty,
                let end = text("endTime", row), !end.isEmpty, let expected = activity.durationMilliseconds.map(seconds),
                FormulaGuard.unguarded(field.text) != expected
            else { return }
            let message =
                "row \(row.number): the length is \(quoted(field.text)), but from start to end it is \(expected) s; "
                + "start and end are taken"
            findings.add(.warning, .duration, message, at: field.position)
        }
    }
}
