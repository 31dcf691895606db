internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import RecordStore
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// A file that records are brought back from: an export that holds everything, or a store.
enum LogBackup {
    /// Returns whether a file is an SQLite database.
    static func isDatabase(_ path: String) -> Bool {
        guard path != "-", let head = try? InputFile.head(of: path) else { return false }
        return head.starts(with: "SQLite format 3".utf8)
    }

    /// Returns all content of a backup of Time Tracker.
    ///
    /// - Throws: 65 or 66 where the file cannot be used.
    static func tracker(_ path: String) throws -> TrackerExport {
        guard !isDatabase(path) else {
            return try TrackerStore(path: path, for: .reading).read { records in
                var export = TrackerExport(buttons: try records.buttons())
                try records.forEachActivity { export.activities.append($0) }
                return export
            }
        }
        let input = try InputSource(log: path)
        switch try LogFormat.detect(input.source) {
        case .json:
            let reading = TrackerFormat.read(try LogText(input).bytes, name: input.name)
            guard let content = reading.content else { throw unusable(FileReport(reading, file: input.name)) }
            return content.export
        case .text(.trackerXML):
            var items: [TrackerItem] = []
            let summary = try TrackerXML.read(input.source) { items.append($0) }
            guard summary.refused == 0 else { throw CommandFailure(.badData, Messages.unusable(path)) }
            return TrackerExport(items)
        case .text:
            throw CommandFailure(.badData, Messages.notWhole(path))
        }
    }

    /// Returns all content of a backup of Study Timer.
    ///
    /// - Throws: 65 or 66 where the file cannot be used.
    static func study(_ path: String) throws -> StudyLog {
        guard !isDatabase(path) else { return try StudyStore(path: path, for: .reading).read { try $0.log() } }
        let input = try InputSource(log: path)
        let reading = StudyFormat.read(try LogText(input).bytes, name: input.name)
        guard let log = reading.content else { throw unusable(FileReport(reading, file: input.name)) }
        return log
    }

    private static func unusable(_ report: FileReport) -> CommandFailure {
        CommandFailure(
            report.status,
            "\(report.file) cannot be used; nothing was changed",
            diagnostics: report.diagnostics
        )
    }
}

/// A record of a time log that `find` lists.
struct FoundLogRecord: SearchedRecord {
    let kind: String
    let id: String
    let title: String
    let state: String
    let json: JSONValue
    /// The other texts to search.
    var details: [String] = []

    var text: [UInt8] { json.encoded(.compact) }

    func has(_ text: String) -> Bool { NameText.contains(title, text) || hasInDetails(text) }

    /// Tells whether one of the other texts has a text in it.
    func hasInDetails(_ text: String) -> Bool { details.contains { NameText.contains($0, text) } }

    /// The most single records that are listed of one file; more are named by their activity or subject alone.
    static let mostSingle = 10
}
