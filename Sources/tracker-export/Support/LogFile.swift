internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import TimeTracker

/// A file of a time log that is read piece by piece: any but JSON.
struct LogFile {
    /// The file as the person named it.
    let name: String
    let format: InterchangeFormat
    private let source: JSONByteSource
    private let options: EntryOptions
    private let repair: Bool

    /// - Parameters:
    ///   - input: Must be kept while this is used.
    ///   - repair: Whether swapped times are corrected.
    init(_ input: InputSource, format: InterchangeFormat, options: EntryOptions, repair: Bool = false) {
        name = input.name
        self.format = format
        source = input.source
        self.options = options
        self.repair = repair
    }

    /// Hands on what the file holds; rows that cannot be used are among the findings of the summary.
    ///
    /// - Throws: 65 for what is no such file; what the sink throws.
    func read(_ sink: @escaping (TrackerItem) throws -> Void) throws -> EntrySummary {
        let clock = try options.clock()
        try source.rewind()
        switch format {
        case .trackerXML: return try TrackerXML.read(source, repair: repair, sink: sink)
        case .trackerCSV: return try TrackerCSV.read(source, repair: repair, sink: sink)
        case .calendar:
            return try TrackerCalendar.read(source, options: TrackerCalendar.ReadOptions(clock: clock), sink: sink)
        case .toggl, .clockify, .kimai, .harvest:
            let options = TimeEntryTable.Options(
                clock: clock,
                dateOrder: options.dateOrder,
                naming: options.nameFrom,
                dayStart: try options.dayStartSeconds()
            )
            return try TimeEntryTable.read(source, options: options) { try sink(.entry($0)) }
        case .appleHealth:
            return try AppleHealth.read(source, options: AppleHealth.Options(naming: options.workouts)) {
                try sink(.entry($0))
            }
        case .study:
            throw CommandFailure(.badData, Messages.studyTable(name))
        }
    }

    /// Returns the report on the file: the findings, and whether it can be used.
    ///
    /// A row of another program that cannot be used is left out, and the rest counts; an export of the tracker's own as XML is
    /// good or bad as a whole.
    func report(_ summary: EntrySummary) -> FileReport {
        let findings = summary.findings.diagnostics.map { finding in
            var finding = finding
            finding.file = name
            return finding
        }
        var report = FileReport(file: name, diagnostics: findings, total: summary.findings.total)
        let isUsable = summary.refused == 0 || format != .trackerXML && summary.entries > 0
        let noun =
            switch format {
            case .trackerCSV, .toggl, .clockify, .kimai, .harvest: "row"
            case .calendar: "event"
            case .trackerXML, .appleHealth, .study: "record"
            }
        report.leftOut = (summary.refused, noun)
        report.status = !isUsable ? .badData : findings.contains { $0.severity != .note } ? .findings : .success
        return report
    }
}
