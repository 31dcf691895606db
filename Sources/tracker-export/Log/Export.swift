internal import StudyTimer
internal import CivilTime
internal import ArgumentParser
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import TimeTracker

/// The formats in which a log is written.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
    case json, csv, xml, ical

    /// The format that a file's name asks for, nil where it says nothing.
    init?(path: String) {
        switch path.split(separator: "/").last?.split(separator: ".").last?.lowercased() {
        case "json": self = .json
        case "csv": self = .csv
        case "xml": self = .xml
        case "ics", "ical": self = .ical
        default: return nil
        }
    }
}

extension TrackerTool {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all of the store's log to a file.",
            discussion: """
                JSON and XML hold all of it, a table and a calendar the activities: what a format has no place for is said, \
                and the exit code is 3. The file takes its name in one step when it is complete; it replaces a log that has no \
                more records without a question, anything else only with consent, and a database never. Without --as the name's \
                ending decides: .json, .csv, .xml or .ics.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var confirmation: ConfirmationOption

        @Option(name: .customLong("as"), help: "The format.")
        var format: ExportFormat?

        @Option(help: ArgumentHelp("Write this version of the JSON, for older apps.", valueName: "version"))
        var toVersion = TrackerFormat.currentVersion

        @Argument(
            help: "The file to write; - is the standard output.",
            completion: .file(extensions: ["json", "csv", "xml", "ics"])
        )
        var file: String

        func run() throws {
            let format = try chosenFormat()
            let kind = try store.kind()
            let output = OutputFile(file)
            try output.checkTarget()
            guard kind == .tracker || format == .json else {
                throw CommandFailure(.usage, "the log of Study Timer is written as JSON")
            }
            let written = try kind == .study ? writeStudy(to: output) : writeTracker(format, to: output)
            let name = output.isStandardOutput ? nil : file
            let findings = written.findings(file: name)
            StandardError.write(DiagnosticRenderer().render(findings))
            if !output.isStandardOutput {
                let what = kind == .tracker ? "activity" : "record"
                let text = "Exported \(Words.count(written.records, what)) to \(file)."
                try StandardOutput.shared.write(TerminalText.safe(text) + "\n")
            }
            if findings.contains(where: { $0.severity != .note }) { throw ExitStatus.findings.exitCode }
        }

        private func chosenFormat() throws(CommandFailure) -> ExportFormat {
            let chosen = format ?? ExportFormat(path: file) ?? (file == "-" ? .json : nil)
            guard let chosen else {
                let endings = ".json, .csv, .xml or .ics"
                throw CommandFailure(.usage, "\(file) does not end in \(endings): say which format with --as")
            }
            guard chosen == .json || toVersion == TrackerFormat.currentVersion else {
                throw CommandFailure(.usage, "--to-version is for JSON")
            }
            do throws(AppFormatError) {
                try TrackerFormat.versions.chain().check(toVersion)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
            return chosen
        }

        private func writeStudy(to output: OutputFile) throws -> WrittenLog {
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let exportedAt = localClock.text(of: now)
            let log = try store.readingStudy().read { try $0.log(exportedAt: exportedAt) }
            let written = try log.encoded(version: toVersion)
            let count = log.sessions.count + log.events.count
            try confirmation.requireReplacing(output, unless: { output.isLog(of: count) })
            try output.write(written.bytes)
            return WrittenLog(
                records: count,
                migration: (written.losses, written.notes)
            )
        }

        private func writeTracker(_ format: ExportFormat, to output: OutputFile) throws -> WrittenLog {
            let store = try store.store.reading()
            let count = try store.read { try $0.count() }
            try confirmation.requireReplacing(output, unless: { output.isLog(of: count) })
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let exportedAt = localClock.text(of: now)
            let writer = LogWriter(
                format: format,
                version: toVersion,
                exportedAt: exportedAt,
                stamp: now
            )
            guard !output.isStandardOutput else {
                let written = try writer.write(store) { try StandardOutput.shared.write(Array($0)) }
                try StandardOutput.shared.flush()
                return written
            }
            let pending = try PendingFile(in: output.folder, for: file)
            let written = try writer.write(store) { try pending.write($0) }
            try pending.commit(as: output)
            return written
        }
    }
}
