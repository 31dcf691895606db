internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

extension FolderSyncTool {
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Bring back one record, or all of a store, as of a time.",
            discussion: """
                Name a record by any part of its present title, or of the one it had then, that fits no other; or by its \
                key, or collection/key. What was deleted with it comes back with it. Without a name all records of the \
                store become what they were, but for entries of logs, and what only goes forward: a session that is over \
                stays over.

                These are edits like any others, on all devices: nothing is forgotten. The report names the command that takes them \
                back. --dry-run shows what would come and go, and each value as it is and as it would be.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var past: MomentOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Option(help: "Only the store of this app.")
        var app: AppID?

        @Flag(help: "Say what would come and go, and do nothing.")
        var dryRun = false

        @Argument(help: "The shared folder, and the record: its key, collection/key or title. Either may be left out.")
        var words: [String] = []

        func run() throws {
            let moment = try past.moment(now: clock, echo: output.format)
            let registry = try config.file().read()
            let (folders, name) = try registry.foldersAndRecord(words)
            let targets = try TargetOptions.targets(folders, app)
            let environment = try ThisDevice.environment(registry, now: clock.given())
            if name == nil, let word = words.first, let folder = folders.first {
                try checkFolder(word, folder, environment, moment)
            }
            let (target, replica, record) = try subject(name, targets, environment, moment)
            let key = record.map { RecordKey($0.collection, $0.key) }
            let differences = try moment.reading { try replica.differences(toMoment: moment.milliseconds, of: key) }
            let lost = try key.map { try replica.lostReferences(toMoment: moment.milliseconds, of: $0) } ?? []
            let report = DifferenceReport(
                differences: differences,
                target: target,
                moment: moment,
                record: record,
                lost: lost,
                staying: try replica.staying(toMoment: moment.milliseconds, of: key),
                decided: DifferenceReport.decided(try replica.conflicts(), by: differences)
            )
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            printer.show(report.text.split(separator: "\n").map(String.init))
            guard !dryRun, !differences.isEmpty else {
                return try printer.finish(Messages.nothingRestored, report.json())
            }
            let what = record.map { RecordWords.name($0) } ?? target.store.path
            try printer.require(Messages.restoreQuestion(what, "\(moment)"))
            let sync = SyncReport(try replica.restore(at: moment.milliseconds, of: key))
            let subject = record.map { RecordWords.name($0) } ?? target.app.title
            let undo = sync.outcome.undoMoment.map { " " + Self.undo(to: $0, record, app) } ?? ""
            let keys = Set(differences.map { RecordKey($0.name.collection, $0.name.key) })
            let rejected = sync.outcome.issues.filter { issue in
                issue.kind == .rejected
                    && issue.record.map { keys.contains(RecordKey($0.collection, $0.key)) } ?? false
            }
            let line =
                rejected.isEmpty
                ? Messages.restored(subject, "\(moment)", undo)
                : Messages.notRestored(
                    subject,
                    "\(moment)",
                    rejected.map(IssueWords.line).joined(separator: "; "),
                    undo
                )
            try printer.finish(line, report.json(sync))
            try sync.status.finish()
        }

        /// Checks that a word for a folder is not the name of a record too: all of a store in the place of one task would be a
        /// surprise.
        private func checkFolder(
            _ word: String,
            _ folder: JoinedFolder,
            _ environment: SyncEnvironment,
            _ moment: PastMoment
        ) throws {
            guard !word.contains("/") else { return }
            let text = NameText.folded(word)
            let isRecord = try TargetOptions.targets([folder], app).contains { target in
                let replica = try Replica(folder: folder.path, store: target.store.path, environment)
                return try moment.reading { try replica.pastRecords(at: moment.milliseconds) }.contains { record in
                    let names = [record.name.key, record.name.title, record.presentTitle].compactMap(\.self)
                    return names.contains { NameText.folded($0) == text }
                }
            }
            if isRecord { throw CommandFailure(.usage, Messages.folderOrRecord(word, folder.path)) }
        }

        /// Returns the store, and the record where one is named.
        private func subject(
            _ name: String?,
            _ targets: [Target],
            _ environment: SyncEnvironment,
            _ moment: PastMoment
        ) throws -> (target: Target, replica: Replica, record: RecordName?) {
            func open(_ target: Target) throws -> Replica {
                try Replica(folder: target.folder.path, store: target.store.path, environment)
            }
            guard let name else {
                let target = try TargetOptions.only(of: targets)
                return (target, try open(target), nil)
            }
            let results = try TargetResults(targets) { target in
                let replica = try open(target)
                let records = try moment.reading { try replica.pastRecords(at: moment.milliseconds) }
                return (replica: replica, records: records)
            }
            if results.values.isEmpty, case .failure(let failure)? = results.entries.first?.result { throw failure }
            do throws(CommandFailure) {
                let found = try RecordChoice(results.values, moment).find(name)
                return (found.target, found.replica, found.record.name)
            } catch {
                // It may be in a store that cannot be looked at.
                StandardError.write(results.errors)
                throw error
            }
        }

        /// Returns the command that takes a restore back.
        private static func undo(to milliseconds: Int, _ record: RecordName?, _ app: AppID?) -> String {
            let name = record.map { " " + ShellText.quoted("\($0.collection)/\($0.key)") } ?? ""
            let store = app.map { " --app \($0.rawValue)" } ?? ""
            let time = RecordWords.text(moment: milliseconds)
            return Messages.undoRestore("\(SyncProgram.name) restore\(name) --at \(time)\(store)")
        }
    }
}
