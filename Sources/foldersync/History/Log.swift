internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

extension FolderSyncTool {
    struct Log: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "log",
            abstract: "Show who changed what, and when, the latest first.",
            discussion:
                """
                Each member is shown as it was and as it became. The time is that at which the device that made the edit \
                noticed it, by its own clock, but after all changes that it had taken in, also where the clock of their \
                device was ahead by up to a day. A change dated days after now is marked, and stands right after what \
                its device had seen. It reaches back as far as the files of the folder do.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        @Option(help: "How many changes of each store at most.")
        var limit = 50

        @Option(help: ArgumentHelp("Only changes of this record: its collection and key.", valueName: "collection/key"))
        var record: String?

        func validate() throws {
            guard limit > 0 else { throw ValidationError(Messages.badLimit(limit)) }
        }

        func run() throws {
            let record = try self.record.map(Self.key)
            let registry = try options.config.file().read()
            let environment = try ThisDevice.environment(registry)
            let clock = try zone.clock()
            let results = try TargetResults(targets(of: registry)) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                let changes = try replica.log(limit: limit, record: record)
                if let record, changes.isEmpty, try !replica.knows(collection: record.collection, key: record.key) {
                    return [SyncedChange]?.none
                }
                return changes
            }
            let isSure = results.values.count == results.entries.count
            if let record, isSure, results.values.allSatisfy({ $0.value == nil }) {
                throw CommandFailure(
                    .noInput,
                    Messages.unknownRecord(record.collection, record.key)
                )
            }
            StandardError.write(results.errors)
            // Each store's are the latest first; of several stores they stand between each other.
            let all = results.values.flatMap { target, changes in Self.placed(changes ?? []).map { (target, $0, $1) } }
            var words: [String: ValueWords] = [:]
            for (target, _) in results.values { words[target.store.path] = ValueWords(target, clock) }
            let lines = all.enumerated().sorted {
                ($1.element.2, $0.offset) < ($0.element.2, $1.offset)
            }.map { _, element in
                let (target, change, _) = element
                let moment = RecordWords.moment(change.milliseconds, clock)
                let device = RecordWords.device(change.device)
                let list = RecordWords.list(change, values: words[target.store.path])
                let isAhead = change.milliseconds - environment.now() > 86_400_000
                return "\(moment)  \(target.app.title)  \(device): \(list)\(isAhead ? Messages.clockAhead : "")"
            }
            try output.print(
                lines.isEmpty ? Messages.noChanges : lines.map { TerminalText.safe($0) + "\n" }.joined(),
                ["stores": results.json { ["changes": .array(($0 ?? []).map(SyncReport.json))] }]
            )
            try results.status { _ in .success }.finish()
        }

        /// Returns a store's changes with the times of their places: one dated after those above stands below them.
        private static func placed(_ changes: [SyncedChange]) -> [(SyncedChange, Int)] {
            var last = Int.max
            return changes.map { change in
                last = min(last, change.milliseconds)
                return (change, last)
            }
        }

        /// Returns the stores that are meant; a word that is no folder may be meant for a record.
        private func targets(of registry: Registry) throws(CommandFailure) -> [Target] {
            do throws(CommandFailure) {
                return try options.targets(of: registry)
            } catch {
                guard let word = options.folder.folder, !FolderListing.isFolder(word), let message = error.message
                else {
                    throw error
                }
                throw CommandFailure(error.status, message + Messages.recordOption)
            }
        }

        private static func key(_ text: String) throws(CommandFailure) -> (collection: String, key: String) {
            // By bytes: a slash and an accent that a key begins with are one character.
            guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
                throw CommandFailure(.usage, Messages.keyExpected(found: text))
            }
            return (String(text[..<slash]), String(text[text.utf8.index(after: slash)...]))
        }
    }
}
