internal import ArgumentParser
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

extension TrackerTool {
    struct Migrate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Convert a tracker export, or a log of Study Timer, to another version.",
            discussion: """
                What an older version cannot hold is kept under "x-preserved", and a newer one gets it back. Ends with 3 where \
                there are warnings, or something that a reader of the older version will not see.
                """
        )

        @Option(help: ArgumentHelp("The version to write: \(TrackerFormat.versions.list).", valueName: "version"))
        var to: Int

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["json"]))
        var file: String

        func run() throws {
            do throws(AppFormatError) {
                try TrackerFormat.versions.chain().check(to)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
            let input = try LogText(InputSource(log: file))
            let target = OutputFile(output)
            try target.check()
            let reading = TrackerFormat.read(input.bytes, name: input.name)
            if reading.identity == .study { return try migrateStudy(input, to: target) }
            let report = FileReport(reading, file: input.name)
            StandardError.write(report.text)
            guard let content = reading.content else { throw CommandFailure(report.status, diagnostics: []) }
            try confirmation.requireReplacing(target)
            let outcome = try write(content, to: target)
            try finish(WrittenLog(records: outcome.activities, migration: (outcome.losses, outcome.notes)), report)
        }

        private func migrateStudy(_ input: LogText, to target: OutputFile) throws {
            let reading = StudyFormat.read(input.bytes, name: input.name)
            let report = FileReport(reading, file: input.name)
            StandardError.write(report.text)
            guard let log = reading.content else { throw CommandFailure(report.status, diagnostics: []) }
            let written = try log.encoded(version: to)
            try confirmation.requireReplacing(target)
            try target.write(written.bytes)
            try finish(WrittenLog(records: 0, migration: (written.losses, written.notes)), report)
        }

        private func finish(_ written: WrittenLog, _ report: FileReport) throws {
            try OutputFile(output).reportWritten()
            StandardError.write(DiagnosticRenderer().render(written.findings(file: report.file)))
            if !written.migration.losses.isEmpty || report.status != .success { throw ExitStatus.findings.exitCode }
        }

        private func write(_ content: TrackerContent, to target: OutputFile) throws -> TrackerWriter.Outcome {
            guard !target.isStandardOutput else {
                let outcome = try content.write(version: to, to: { try StandardOutput.shared.write(Array($0)) })
                try StandardOutput.shared.flush()
                return outcome
            }
            let pending = try PendingFile(in: target.folder, for: output)
            let outcome = try content.write(version: to, to: { try pending.write($0) })
            try pending.commit(as: target)
            return outcome
        }
    }
}
