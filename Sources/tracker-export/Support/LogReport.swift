internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

extension FileReport {
    /// The reports on the parts of a log as one.
    init(_ parts: [FileReport]) {
        let name = parts.first?.file ?? ""
        self.init(file: name, diagnostics: parts.flatMap(\.diagnostics), total: parts.reduce(0) { $0 + $1.total })
        status = parts.worst
    }
}

extension OutputFile {
    /// Whether there is a log that has no more records than so many, which a new one may replace without a question.
    func isLog(of count: Int) -> Bool { exists && (logCount ?? .max) <= count }

    /// The number of activities, or of sessions and events, of the log that is there; nil where there is none.
    private var logCount: Int? {
        guard let input = try? InputSource(opening: path), let format = try? LogFormat.detect(input.source) else {
            return nil
        }
        switch format {
        case .json:
            guard let bytes = try? InputFile(reading: path).bytes else { return nil }
            return TrackerFormat.read(bytes).content?.count
                ?? StudyFormat.read(bytes).content.map { $0.sessions.count + $0.events.count }
        case .text(let format) where [.trackerXML, .trackerCSV, .calendar].contains(format):
            let log = LogFile(input, format: format, options: EntryOptions.none)
            var count = 0
            let summary = try? log.read { item in
                if case .activity = item { count += 1 }
            }
            return summary?.refused == 0 && summary?.entries ?? 0 > 0 ? count : nil
        case .text: return nil
        }
    }
}

extension EntryOptions {
    /// Nothing is known beyond the file.
    static var none: EntryOptions { (try? EntryOptions.parse([])) ?? EntryOptions() }
}
