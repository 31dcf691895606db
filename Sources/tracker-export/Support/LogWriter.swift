internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The result of writing a log.
struct WrittenLog {
    /// The number of activities, or of sessions and events.
    let records: Int
    /// The data that an older version does not show.
    var migration: (losses: [MigrationLoss], notes: [MigrationLoss]) = ([], [])
    /// The data for which the format has no place.
    var losses: [InterchangeLoss] = []

    /// Returns the losses as lines.
    func findings(file: String?) -> [Diagnostic] {
        func diagnostic(_ severity: Diagnostic.Severity, _ code: String, _ loss: MigrationLoss) -> Diagnostic {
            Diagnostic(severity, code: code, message: loss.text, file: file, pointer: loss.pointer)
        }
        return losses.map { $0.diagnostic(file: file) }
            + migration.losses.map { diagnostic(.warning, "migration.loss", $0) }
            + migration.notes.map { diagnostic(.note, "migration.note", $0) }
    }
}

/// Writes a store's log in one of the formats.
struct LogWriter {
    let format: ExportFormat
    let version: Int
    /// The moment of the export, RFC 3339.
    let exportedAt: String
    /// The same moment.
    let stamp: Timestamp

    /// Writes a store's activities, or those that begin in a stretch of time.
    func write(
        _ store: TrackerStore,
        startingIn range: Range<Timestamp>?,
        to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> WrittenLog {
        let progress = ProgressLine()
        defer { progress.end() }
        guard format != .json else {
            let count = try store.read { try $0.count() }
            let outcome = try store.export(
                exportedAt: exportedAt,
                version: version,
                progress: { progress.show("Writing, activities:", done: $0, of: count) },
                to: sink
            )
            return WrittenLog(records: outcome.activities, migration: (outcome.losses, outcome.notes))
        }
        progress.show("Writing")
        return try store.withSource(exportedAt: exportedAt, startingIn: range) { source, count in
            WrittenLog(records: count, losses: try write(source, to: sink))
        }
    }

    /// Writes the stretches of study sessions as activities.
    func write(
        _ log: StudyLog,
        to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> WrittenLog {
        let study = StudyExport(log)
        let losses = try write(study.content, to: sink) + study.losses
        return WrittenLog(records: study.content.activities.count, losses: losses)
    }

    private func write(
        _ source: some TrackerSource,
        to sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> [InterchangeLoss] {
        switch format {
        case .csv: try TrackerCSV.write(source, to: sink)
        case .xml: try TrackerXML.write(source, to: sink)
        case .ical, .json:
            try TrackerCalendar.write(
                source,
                stamp: stamp,
                generator: "tracker-export \(SatchelVersion.current)",
                to: sink
            )
        }
    }
}
