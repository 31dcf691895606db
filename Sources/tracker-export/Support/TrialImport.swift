internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import RecordStore
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// A log that was brought into a store of its own, exported, and once more.
struct TrialImport {
    private(set) var report: FileReport
    private(set) var version: Int?
    /// The number of activities, or of sessions and events.
    private(set) var records = 0
    /// The length of the export that came back the same.
    private(set) var byteCount: Int?

    /// The moment that both exports name.
    private static let exportedAt = "2000-01-01T00:00:00Z"

    /// Makes the trial of a log that could not be read.
    init(failed report: FileReport) { self.report = report }

    /// Rehearses a file.
    init(of input: InputSource, _ entries: EntryOptions) throws {
        let detected = try LogFormat.detect(input.source)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try TrackerStore(path: folder.database("first.db"), for: .writing(mustExist: false))
        if case .text(let format) = detected {
            let log = LogFile(input, format: format, options: entries)
            var summary: EntrySummary?
            let result = try store.importing(itemsOf: format.rawValue) { take in summary = try log.read(take) }
            report = summary.map(log.report) ?? FileReport(file: log.name, diagnostics: [], total: 0)
            records = result.plan.count(.create, .activity)
            let lost = result.plan.count(.refuse, .activity) + result.plan.count(.conflict, .activity)
            if lost > 0 {
                fail(Messages.lost(lost))
            } else if report.isUsable {
                try compare(store, folder)
            }
            return
        }
        let file = try LogText(input)
        let reading = TrackerFormat.read(file.bytes, name: file.name)
        report = FileReport(reading, file: file.name)
        version = reading.version
        guard let content = reading.content else { return }
        records = try store.importing(content).plan.count(.create, .activity)
        if records != content.count {
            fail(Messages.missing("activity", records, of: content.count))
        } else {
            try compare(store, folder)
        }
    }

    /// Rehearses a store.
    init(of store: TrackerStore) throws {
        report = FileReport(file: store.path, diagnostics: [], total: 0)
        records = try store.read { try $0.count() }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try compare(store, folder)
    }

    /// Rehearses a log of Study Timer.
    init(ofStudy source: InputSource) throws {
        let isJSON = try LogFormat.detect(source.source) == .json
        let input =
            try isJSON ? StudyInput(json: LogText(source)) : StudyInput(table: source)
        report = FileReport(input.files.map(\.report))
        version = input.files.first?.version
        guard let log = input.log else { return }
        let store = try StudyStore(path: source.name, for: .nothing)
        _ = try store.importing(log)
        try compare(store, log.sessions.count + log.events.count)
    }

    /// Rehearses a store of Study Timer.
    init(of store: StudyStore) throws {
        report = FileReport(file: store.path, diagnostics: [], total: 0)
        let counts = try store.read { try $0.counts() }
        try compare(store, counts.sessions + counts.events)
    }

    private mutating func compare(_ store: StudyStore, _ expected: Int) throws {
        let log = try store.read { try $0.log(exportedAt: Self.exportedAt) }
        records = log.sessions.count + log.events.count
        guard records == expected else {
            return fail(Messages.missing("record", records, of: expected))
        }
        let first = try log.encoded().bytes
        guard let read = StudyFormat.read(first).content else { return fail(Messages.invalidExport) }
        let second = try StudyStore(path: store.path, for: .nothing)
        _ = try second.importing(read)
        let again = try second.read { try $0.log(exportedAt: Self.exportedAt) }.encoded().bytes
        guard again == first else { return fail(Messages.differs) }
        byteCount = first.count
    }

    /// Exports a store, imports that into another one, and exports it again.
    private mutating func compare(_ store: TrackerStore, _ folder: TemporaryFolder) throws {
        let first = try Self.export(store)
        let reading = TrackerFormat.read(first, name: "the export of \(report.file)")
        guard let content = reading.content else {
            report.diagnostics += reading.diagnostics
            return fail(Messages.invalidExport)
        }
        let second = try TrackerStore(path: folder.database("second.db"), for: .writing(mustExist: false))
        _ = try second.importing(content)
        guard try Self.export(second) == first else { return fail(Messages.differs) }
        byteCount = first.count
    }

    private static func export(_ store: TrackerStore) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            _ = try store.export(exportedAt: exportedAt, to: sink)
        }
        return bytes
    }

    private mutating func fail(_ message: String) {
        report.diagnostics.append(Diagnostic(code: "tracker.restore", message: message, file: report.file))
        report.total += 1
        report.status = .badData
    }

    /// The result in a line.
    var summary: String {
        let line = report.summary(version: version)
        guard let byteCount else { return line }
        return line + Messages.restored(records, byteCount)
    }

    var json: JSONValue {
        var object = report.json(version: version).object ?? JSONObject()
        object["restored"] = .bool(byteCount != nil)
        object["records"] = .number(records)
        return .object(object)
    }
}
