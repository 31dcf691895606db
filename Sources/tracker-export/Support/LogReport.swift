internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

extension FileReport {
    /// Makes the reports on the parts of a log as one.
    init(_ parts: [FileReport]) {
        let name = parts.first?.file ?? ""
        self.init(file: name, diagnostics: parts.flatMap(\.diagnostics), total: parts.reduce(0) { $0 + $1.total })
        status = parts.worst
    }
}

extension OutputFile {
    /// Tells whether there is a log whose records are all among those that replace it.
    ///
    /// - Parameter ids: The identifiers of the records that are to be written.
    func isLog(within ids: Set<String>) -> Bool { logIDs?.isSubset(of: ids) ?? false }

    /// The identifiers of the log's activities, or sessions and events; nil where there is no log, or one with records
    /// of other programs.
    private var logIDs: Set<String>? {
        guard let input = try? InputSource(opening: path), let format = try? LogFormat.detect(input.source) else {
            return nil
        }
        switch format {
        case .json:
            guard let bytes = try? InputFile(reading: path).bytes else { return nil }
            if let content = TrackerFormat.read(bytes).content {
                var ids: Set<String> = []
                content.forEachActivity { ids.insert($0.id) }
                return ids
            }
            return StudyFormat.read(bytes).content.map(\.ids)
        case .text(let format) where [.trackerXML, .trackerCSV, .calendar].contains(format):
            let log = LogFile(input, format: format, options: EntryOptions.none)
            var ids: Set<String> = []
            var isOwn = true
            let summary = try? log.read { item in
                switch item {
                case .activity(let activity, _): ids.insert(activity.id)
                case .entry: isOwn = false
                case .heading, .button: break
                }
            }
            return isOwn && summary?.refused == 0 && summary?.entries ?? 0 > 0 ? ids : nil
        case .text: return nil
        }
    }
}

extension StudyLog {
    /// The identifiers of the sessions and events.
    var ids: Set<String> { Set(sessions.map(\.id) + events.map(\.id)) }
}

extension EntryOptions {
    /// Nothing is known beyond the file.
    static var none: EntryOptions { (try? EntryOptions.parse([])) ?? EntryOptions() }
}
