internal import FormatKit
internal import ArgumentParser
internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

extension TrackerTool {
    struct Validate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "validate",
            abstract: "Check files of time logs, in any of the formats that import takes.",
            discussion: """
                JSON is held against the schema of the version that it is, XML against its RELAX NG schema; then come \
                identifiers, references and times. All faults are reported, not just the first. Ends with 0 where all files \
                are valid, 3 where there are warnings or rows that would be left out, 65 where a file is not valid, 66 where \
                one cannot be read.
                """
        )

        @OptionGroup var entries: EntryOptions
        @OptionGroup var output: FormatOption

        @Flag(help: "Report members that the format does not know.")
        var strict = false

        @Flag(help: "Count what import --repair would correct as a warning.")
        var repair = false

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["json", "csv", "xml", "ics", "zip"])
        )
        var files: [String]

        func run() throws {
            try InputPaths.check(files)
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            try ProgressLine().forEach(files, "Checking", "files") { file in
                let (report, version) = try check(file)
                reports.append(report)
                StandardError.write(report.text)
                switch output.format {
                case .text: try StandardOutput.shared.report(report.summary(version: version) + "\n")
                case .json: json.append(report.json(version: version))
                }
            }
            if output.format == .json {
                try StandardOutput.shared.write(JSONValue.object(["files": .array(json)]).encoded(.indented))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }

        private func check(_ file: String) throws -> (report: FileReport, version: Int?) {
            do {
                let input = try InputSource(log: file)
                switch try LogFormat.detect(input.source) {
                case .json: return try check(LogText(input))
                case .text(.study):
                    let study = try StudyInput(table: input, strict: strict, repair: repair)
                    return (FileReport(study.files.map(\.report)), study.files.first?.version)
                case .text(let format):
                    let log = LogFile(input, format: format, options: entries)
                    return (log.report(try log.read { _ in }), nil)
                }
            } catch {
                guard let report = FileReport(error, in: file) else { throw error }
                return (report, nil)
            }
        }

        private func check(_ json: LogText) -> (report: FileReport, version: Int?) {
            let reading = TrackerFormat.read(json.bytes, name: json.name, strict: strict, repair: repair)
            guard reading.identity == .study else {
                return (FileReport(reading, file: json.name), reading.version)
            }
            let study = StudyFormat.read(json.bytes, name: json.name, strict: strict, repair: repair)
            return (FileReport(study, file: json.name), study.version)
        }
    }
}
