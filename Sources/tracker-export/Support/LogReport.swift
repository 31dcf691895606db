internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import Interchange
internal import StrictJSON

extension FileReport {
    /// A tracker export as JSON.
    init(_ reading: TrackerReading, file: String) {
        self.init(file: file, diagnostics: reading.diagnostics, total: reading.findingCount)
        if !reading.isValid { status = .badData }
    }
}

extension FileReport {
    /// The reports on the parts of a log as one.
    init(_ parts: [FileReport]) {
        let name = parts.first?.file ?? ""
        self.init(file: name, diagnostics: parts.flatMap(\.diagnostics), total: parts.reduce(0) { $0 + $1.total })
        status = parts.worst
    }
}

extension LogFormat {
    /// Whether there is a log at that path, which a new one may replace without a question.
    static func isLog(_ output: OutputFile) -> Bool {
        guard let input = try? InputSource(opening: output.path), let format = try? detect(input.source) else {
            return false
        }
        switch format {
        case .json:
            guard let bytes = try? InputFile(reading: output.path).bytes else { return false }
            return TrackerReader.read(bytes).isValid || StudyReader.read(bytes).isValid
        case .text(.trackerXML), .text(.trackerCSV), .text(.calendar):
            let log = LogFile(input, path: output.path, format: format, options: EntryOptions.none)
            return (try? log.read { _ in }).map { $0.refused == 0 } ?? false
        case .text, .archive: return false
        }
    }
}

extension EntryOptions {
    /// Nothing is known beyond the file.
    static var none: EntryOptions { (try? EntryOptions.parse([])) ?? EntryOptions() }
}
