public import CivilTime
internal import FormatKit
public import StrictJSON
public import TimeTracker

/// Reads the detailed reports that Toggl, Clockify, Kimai and Harvest export as CSV.
///
/// Columns are found by their names, in any order and case. Times stand without a zone in these tables, so one must be given.
public enum TimeEntryTable {
    /// The options for what the table does not say itself.
    public struct Options: Sendable {
        /// The zone of the times; without one a table with naive times is refused.
        public var clock: LocalClock?
        /// The order of day and month; nil lets the dates decide it where they can.
        public var dateOrder: DateOrder?
        /// The source of an activity's name.
        public var naming = EntryNaming.project
        /// The start of a day's first entry where the table has days and lengths only, in seconds after midnight.
        ///
        /// The others follow it. Without it such a table is refused.
        public var dayStart: Int?

        /// Makes the options.
        public init(
            clock: LocalClock? = nil,
            dateOrder: DateOrder? = nil,
            naming: EntryNaming = .project,
            dayStart: Int? = nil
        ) {
            self.clock = clock
            self.dateOrder = dateOrder
            self.naming = naming
            self.dayStart = dayStart
        }
    }

    /// Reads a table and hands its entries on in its order; a row that cannot be used is a finding, and the others are read.
    ///
    /// The source is read twice where the order of day and month, or the unit of lengths, is to be found out.
    ///
    /// - Throws: `csv.…` and `text.…` for what is no such table, `entries.time-zone`, `entries.date-order`; what the sink
    ///   throws.
    public static func read(
        _ source: JSONByteSource,
        options: Options,
        sink: (TimeEntry) throws -> Void
    ) throws -> EntrySummary {
        let (source, encoding) = try Windows1252.decoding(source)
        let evidence = try evidence(source)
        let order = try options.dateOrder ?? evidence.dates.order()
        try source.rewind()
        var reader = CSVReader(source)
        let heading = try heading(&reader)
        let columns = try EntryColumns(heading)
        var rows = EntryRows(columns: columns, options: options, order: order, lengths: evidence.lengths)
        rows.summary.note(encoding)
        while var row = try reader.next() {
            if row.fault == nil, row.fields.count > columns.last, row.fields.count < heading.count {
                rows.noteShort(row, heading)
                row.pad(to: heading.count)
            }
            if let fault = heading.fault(in: row) {
                rows.summary.refuse(fault)
                continue
            }
            switch Result(catching: { () throws(InterchangeError) in try rows.entry(row) }) {
            case .success(let entry):
                rows.summary.entries += 1
                try sink(entry)
            case .failure(let error):
                guard error.code != .timeZone, error.code != .timeOfDay, rows.tableFault == nil else { throw error }
                rows.summary.refuse(error)
            }
        }
        return rows.finished()
    }

    private static func heading(_ reader: inout CSVReader) throws -> CSVHeading {
        guard let row = try reader.next() else { throw InterchangeError(.empty, "the table has no rows") }
        return try CSVHeading(row)
    }

    /// Looks through all dates and lengths of a table.
    private static func evidence(_ source: JSONByteSource) throws -> (dates: DateEvidence, lengths: LengthEvidence) {
        var reader = CSVReader(source)
        let columns = try EntryColumns(try heading(&reader))
        var (evidence, lengths) = (DateEvidence(), LengthEvidence())
        let dates = [columns.start.date, columns.end?.date].compactMap { $0 }
        while let row = try reader.next() {
            for column in dates where column < row.fields.count {
                let field = row.fields[column]
                guard let date = WrittenMoment.date(in: field.text) else { continue }
                evidence.add(field.text, date, row: row.number, at: field.position)
            }
            if !columns.isLengthInHours { lengths.add(row, columns) }
        }
        return (evidence, lengths)
    }
}
