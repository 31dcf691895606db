internal import FormatKit
internal import Slate
internal import CivilTime
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension SlateBackup {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Check backups: hashes, schema, identifiers, references and circles.",
            discussion: """
                With --restore each is also brought into a database of its own in a temporary folder, exported from there \
                and compared byte by byte. A backup that is noted by "backup status" is noted anew; --store notes any \
                backup, as one of that database. All faults are reported, not just the first. Ends with 0 where all files are \
                valid, 3 where there are warnings or repairs, 65 where a file is not valid or does not come back as it is, 66 where \
                one cannot be read.
                """
        )

        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Option(
            help: ArgumentHelp("Note the files as good backups of this database.", valueName: "path"),
            completion: .file()
        )
        var store: String?

        @Flag(help: "Restore into a scratch database, export and compare.")
        var restore = false

        @Flag(help: "Count what import --repair would correct as a warning.")
        var repair = false

        @Flag(help: "Report members that the format does not know.")
        var strict = false

        @Option(
            help: ArgumentHelp("Check the newest backup of this folder.", valueName: "folder"),
            completion: .directory
        )
        var from: String?

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["json", "slatebackup", "zip"])
        )
        var files: [String] = []

        func run() throws {
            let (newest, warnings) = try newest()
            StandardError.write(DiagnosticRenderer().render(warnings))
            let files = files + newest
            guard !files.isEmpty else { throw CommandFailure(.usage, Messages.filesExpected) }
            try InputPaths.check(files)
            let localClock = try zone.clock()
            let now = localClock.text(of: try clock.moment(in: localClock))
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            try ProgressLine().forEach(files, "Checking", "backups") { file in
                var (report, input) = SlateInput.read(file, strict: strict, repair: repair)
                let restored = try restoreForTrial(input, &report)
                reports.append(report)
                if report.isUsable || report.status == .badData && !report.isNewer && !isMendable(input) {
                    let content = report.isUsable ? input?.reading.content : nil
                    BackupMemory.verified(file, content, at: now, of: store)
                }
                StandardError.write(report.text)
                switch output.format {
                case .text: try StandardOutput.shared.report(Self.text(report, input, restored))
                case .json: json.append(Self.json(report, input, restored))
                }
            }
            if output.format == .json {
                try StandardOutput.shared.write(JSONValue.object(["files": .array(json)]).encoded(.indented))
            }
            let worst = reports.worst
            if worst != .success { throw worst.exitCode }
            if !warnings.isEmpty { throw ExitStatus.findings.exitCode }
        }

        /// Returns whether `--repair` takes a file that was not valid; it is as good as it was when it was written.
        private func isMendable(_ input: SlateInput?) -> Bool { !repair && input?.isMendable == true }

        /// Returns the newest backup of the folder up to today, sound or not.
        private func newest() throws(CommandFailure) -> (files: [String], warnings: [Diagnostic]) {
            guard let from else { return ([], []) }
            let today = try clock.today(in: zone.clock())
            let (paths, warnings) = try BackupFolder(from).paths(until: today)
            return (Array(paths.prefix(1)), warnings)
        }

        /// Restores a file that can be used; what goes wrong is a finding.
        private func restoreForTrial(_ input: SlateInput?, _ report: inout FileReport) throws -> TrialRestore? {
            guard restore, report.isUsable, let content = input?.reading.content else { return nil }
            let trial = try TrialRestore(content)
            guard let fault = trial.fault else { return trial }
            report.diagnostics.append(Diagnostic(code: "slate.restore", message: fault, file: report.file))
            report.total += 1
            report.status = .badData
            return trial
        }

        private static func text(_ report: FileReport, _ input: SlateInput?, _ restored: TrialRestore?) -> String {
            var line = report.summary(version: input?.reading.version)
            if let restored, restored.fault == nil {
                line += Messages.restored(restored.rows, restored.byteCount)
            }
            return line + "\n"
        }

        private static func json(_ report: FileReport, _ input: SlateInput?, _ restored: TrialRestore?) -> JSONValue {
            var object = report.json(version: input?.reading.version).object ?? JSONObject()
            object["restored"] = restored.map { .bool($0.fault == nil) } ?? .null
            object["rows"] = input?.reading.content.map { .number($0.count) } ?? .null
            object.sort(first: ["file", "valid", "version", "rows", "restored"])
            return .object(object)
        }
    }
}
