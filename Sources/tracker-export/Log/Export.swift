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

    /// Makes the format that a file's name asks for; nil where it does not tell.
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
            commandName: "export",
            abstract: "Write the store's log to a file.",
            discussion: """
                JSON and XML hold all of it, a table and a calendar the activities: notes name what a format has no place \
                for. The exit code is 3 where an older version of JSON leaves something out. A table has the same columns \
                whatever the data. A table or a calendar can be of a week, a month or other days, and has what begins on \
                them. The file takes its name in one step when it is complete; it replaces a log whose records are all \
                written again without a question, anything else only with consent, and a database never. Without --as \
                the name's ending decides: .json, .csv, .xml or .ics.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var when: DayOptions
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
            try output.check()
            guard kind == .tracker || format != .xml else {
                throw CommandFailure(.usage, Messages.studyFormats)
            }
            guard !when.isGiven || format == .csv || format == .ical else {
                throw CommandFailure(.usage, Messages.wholeLog)
            }
            let written = try kind == .study ? writeStudy(format, to: output) : writeTracker(format, to: output)
            let name = output.isStandardOutput ? nil : file
            let findings = written.findings(file: name)
            StandardError.write(DiagnosticRenderer().render(findings))
            if !output.isStandardOutput {
                let what = kind == .tracker ? "activity" : format == .json ? "record" : "part"
                let text = Messages.exported(written.records, what, file)
                try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
            }
            if findings.contains(where: { $0.severity != .note }) { throw ExitStatus.findings.exitCode }
        }

        private func chosenFormat() throws(CommandFailure) -> ExportFormat {
            let chosen = format ?? ExportFormat(path: file) ?? (file == "-" ? .json : nil)
            guard let chosen else {
                throw CommandFailure(.usage, Messages.unknownEnding(file))
            }
            guard chosen == .json || toVersion == TrackerFormat.currentVersion else {
                throw CommandFailure(.usage, Messages.versionOfJSON)
            }
            do throws(AppFormatError) {
                try TrackerFormat.versions.chain().check(toVersion)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
            return chosen
        }

        /// Returns the time in which exported activities begin; nil where no days were named.
        private func range(_ clock: LocalClock) throws(CommandFailure) -> Range<Timestamp>? {
            guard when.isGiven else { return nil }
            return try when.span(clock, echo: .text).moments(clock)
        }

        private func writer(_ format: ExportFormat, _ clock: LocalClock) throws(CommandFailure) -> LogWriter {
            let now = try when.now(clock)
            return LogWriter(format: format, version: toVersion, exportedAt: clock.text(of: now), stamp: now)
        }

        private func writeStudy(_ format: ExportFormat, to output: OutputFile) throws -> WrittenLog {
            let clock = try when.zone.clock()
            let (writer, range) = (try writer(format, clock), try range(clock))
            var log = try store.readingStudy().read { try $0.log(exportedAt: writer.exportedAt) }
            guard format != .json else {
                let written = try log.encoded(version: toVersion)
                try requireReplacing(output) { log.ids }
                try output.write(written.bytes)
                let count = log.sessions.count + log.events.count
                return WrittenLog(records: count, migration: (written.losses, written.notes))
            }
            if let range { log = log.sessions(startingIn: range) }
            try requireReplacing(output) { range == nil ? Set(log.activities.map(\.id)) : nil }
            return try write(to: output) { try writer.write(log, to: $0) }
        }

        private func writeTracker(_ format: ExportFormat, to output: OutputFile) throws -> WrittenLog {
            let store = try store.store.reading()
            let clock = try when.localClock(stored: try store.read { try $0.timeZone() })
            let range = try range(clock)
            try requireReplacing(output) {
                guard range == nil else { return nil }
                var ids: Set<String> = []
                try store.read { records in try records.forEachActivity { ids.insert($0.id) } }
                return ids
            }
            let writer = try writer(format, try when.zone.clock())
            return try write(to: output) { try writer.write(store, startingIn: range, to: $0) }
        }

        /// Asks before a file is replaced, unless it is a log whose records are all written again.
        ///
        /// - Parameter ids: The identifiers of the records; nil of those of some days, as a file of that name may have
        ///   others.
        private func requireReplacing(_ output: OutputFile, by ids: () throws -> Set<String>?) throws {
            guard output.exists, !confirmation.yes else { return }
            let ids = try ids()
            try confirmation.requireReplacing(output, unless: { ids.map(output.isLog(within:)) ?? false })
        }

        private func write(
            to output: OutputFile,
            _ body: (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> WrittenLog
        ) throws -> WrittenLog {
            guard !output.isStandardOutput else {
                let written = try body { try StandardOutput.shared.write(Array($0)) }
                try StandardOutput.shared.flush()
                return written
            }
            let pending = try PendingFile(in: output.folder, for: file)
            let written = try body { try pending.write($0) }
            try pending.commit(as: output)
            return written
        }
    }
}
