internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import RecordStore
internal import StrictJSON

extension Bzpack {
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Bring back everything from a backup, or one session.",
            discussion: """
                Without a name the backup takes the place of everything in the store. With a name, or any part of one that \
                fits, it brings back that session, saved activity or preset alone, in the place of the store's \
                version, which has its identifier; the rest stays, and others of its name are listed. The file is \
                checked first, and the change is made as a whole. What the store held before is written to a file \
                beside it, which "bzpack restore" takes to undo this.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "A file that bzpack backup wrote; - is the standard input.", completion: .file())
        var file: String

        @Argument(help: ArgumentHelp("The session, activity or preset; without it everything.", valueName: "name|id"))
        var name: String?

        func run() throws {
            let backup = try Backups.read(file, isForAll: name == nil)
            let record = try name.map { name in
                try NameChoice(
                    "session, activity or preset",
                    plural: "sessions, activities or presets",
                    backup.records,
                    id: \.id,
                    name: \.name,
                    details: { "\(Backups.noun($0.collection)), \($0.id)" }
                )(name)
            }
            let now = try clock.moment()
            let (before, isShared) = try held(now)
            let plan = RestorePlan(backup: backup, record: record, before: before, isShared: isShared, now: now)
            guard plan.isChange, !dryRun else {
                let path = try store.resolvedPath()
                let lines = plan.isChange ? plan.losses(of: path) + plan.namesakes + [plan.wouldDo] : [plan.nothing]
                return try StandardOutput.shared.write(lines.map { TerminalText.safe($0) + "\n" }.joined())
            }
            let path = try store.resolvedPath()
            if before != nil {
                let lines = plan.losses(of: path) + plan.namesakes + ["\(plan.question(path))?"]
                try confirmation.require(lines.joined(separator: " "))
            }
            let earlier = try before.map { try Backups.checked($0, file: path) }
            let opened = try store.writing(mustExist: false)
            let safety = try earlier.map { try SafetyFile.write($0, beside: path, at: now) }
            var added: [String] = []
            try opened.write { records in
                guard let record else { return try backup.restore(to: records) }
                try backup.restore(record, to: records)
                if let session = try records.sessions().first(where: { $0.id == record.id }) {
                    added = try SessionCategories.add(of: session, records.settings(), records)
                }
            }
            var lines = [plan.done(path)] + plan.namesakes + added.map(Messages.addedCategory)
            if let safety { lines.append(Messages.undo(safety)) }
            try StandardOutput.shared.write(lines.map { TerminalText.safe($0) + "\n" }.joined())
        }

        /// Returns what the store holds, and whether other devices share it; nil where there is no store.
        private func held(_ now: Timestamp) throws -> (backup: TimerBackup?, isShared: Bool) {
            guard let opened = try store.readingIfPresent() else { return (nil, false) }
            let held = try opened.read { records in
                let backup = try TimerBackup(records, createdAt: now.description, generator: Backups.generator)
                return (backup, try records.isLinked)
            }
            try Backups.checkComplete(opened)
            return held
        }
    }

    struct Find: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "find",
            abstract: "Find a session in backups and the store.",
            discussion: """
                Looks into the store, and into the backups of --in: what "bzpack backup" wrote, and copies of the store. Saved \
                activities and presets are found as well. bzpack restore brings one back: bzpack find leg --in ~/Backups
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var options: FindOptions
        @OptionGroup var keys: DecryptionOptions

        @Argument(help: "A part of the name.")
        var text: String

        func run() throws {
            try options.check(text)
            let path = try store.resolvedPath()
            let opened = try options.places.isEmpty ? store.reading() : store.readingIfPresent()
            var search = RecordSearch<FoundTimerRecord>(text: text, way: Messages.restoreOne)
            if let opened {
                let held = try opened.read { try TimerBackup($0, createdAt: nil, generator: Backups.generator) }
                search.add(held.records.map(FoundTimerRecord.init), of: path, asOf: nil, isStore: true)
            }
            let files = try SearchedFiles(options.places)
            let skipped = try files.forEach(
                besides: opened == nil ? nil : path,
                code: "bztimer.unusable-backup",
                app: "BZ Timer"
            ) { file, _ in
                let backup = try Backups.read(file, isForAll: false)
                let asOf = backup.json["createdAt"]?.string
                search.add(backup.records.map(FoundTimerRecord.init), of: file, asOf: asOf, isStore: false)
            }
            try options.report(search, store: opened == nil ? nil : path, skipped)
        }
    }
}

/// A session, saved activity or preset in a search.
private struct FoundTimerRecord: SearchedRecord {
    private let record: TimerBackup.Record

    init(_ record: TimerBackup.Record) { self.record = record }

    var kind: String { Backups.noun(record.collection) }
    var id: String { record.id }
    var title: String { record.name }
    var json: JSONValue { record.json }
    var text: [UInt8] { record.json.encoded(.compact) }

    var state: String {
        switch record.collection {
        case "sessions": Words.count(record.json["items"]?.array?.count ?? 0, "block")
        case "activities": record.json["category"]?.string ?? "no category"
        default: Words.count(record.json["rounds"]?.int ?? 0, "round")
        }
    }

    func has(_ text: String) -> Bool { NameText.contains(title, text) }
}

/// The plan of a restore.
private struct RestorePlan {
    let backup: TimerBackup
    /// The record that is brought back alone.
    let record: TimerBackup.Record?
    let before: TimerBackup?
    /// True if other devices share the store.
    let isShared: Bool
    let now: Timestamp

    private var title: String { record.map { "\(Backups.noun($0.collection)) \"\($0.name)\"" } ?? "everything" }

    /// The store's version of the record.
    private var stored: TimerBackup.Record? {
        before?.records.first { $0.collection == record?.collection && $0.id == record?.id }
    }

    /// True if the store has another record.
    var isChange: Bool { record == nil || stored?.json != record?.json }

    var wouldDo: String { "Would \(what). Nothing was changed." }

    /// A line on records of the store that have the name of the one that is brought back, as they stay beside it; none
    /// where there are none.
    var namesakes: [String] {
        guard let record, stored == nil, let before else { return [] }
        let others = before.records.filter { other in
            other.collection == record.collection && Categories.areSame(other.name, record.name)
        }
        return others.isEmpty ? [] : [Messages.namesakes(others.map(\.id), Backups.noun(record.collection))]
    }

    /// Returns the lines that say what a restore of everything takes from the store at a path; none where nothing is lost.
    func losses(of path: String) -> [String] {
        guard record == nil, let before else { return [] }
        let records = before.records
        let others = Dictionary(backup.records.map { ([$0.collection, $0.id], $0) }) { first, _ in first }
        let gone = records.filter { others[[$0.collection, $0.id]] == nil }
        let changed = records.filter { record in others[[record.collection, record.id]].map { $0 != record } ?? false }
        let kept = Set(backup.json["history"]?.array ?? [])
        let entries = (before.json["history"]?.array ?? []).filter { !kept.contains($0) }
        let settings = (try? TimerSettings(json: backup.json["settings"] ?? .object([:]))) ?? TimerSettings()
        // Other devices keep the entries that the restored settings no longer keep here.
        let ended = entries.compactMap { try? SessionHistoryEntry(json: $0) }
        let split = HistoryRetention.split(ended, settings.historyRetention, plan: settings.plan, now: now)
        let (all, old) = (entries.count, isShared ? split.removed.count : 0)
        var lines: [String] = []
        if !gone.isEmpty { lines.append(Messages.goAway(Self.names(gone))) }
        if all > old { lines.append(Messages.goAway(Words.count(all - old, Backups.noun("history")))) }
        if isShared, !lines.isEmpty { lines.append(SharedStore.removedEverywhere) }
        if old > 0 { lines.append(Messages.goesHereOnly(old, settings)) }
        if !changed.isEmpty { lines.append(Messages.goBack(Self.names(changed))) }
        guard !lines.isEmpty, let made = backup.json["createdAt"]?.string, let moment = Timestamp(made),
            let modified = (try? FileStatus(path))?.modified, modified / 1_000_000_000 > moment.seconds
        else { return lines }
        return lines + [Messages.storeIsNewer(Timestamp(seconds: modified / 1_000_000_000).description, made)]
    }

    /// Returns up to 10 records by their names, and how many more there are.
    private static func names(_ records: [TimerBackup.Record]) -> String {
        let names = records.prefix(10)
            .map { "\(Backups.noun($0.collection)) \"\(TerminalText.cut($0.name, to: Words.nameColumns))\"" }
        let more = records.count > names.count ? " and \(records.count - names.count) more" : ""
        return names.joined(separator: ", ") + more
    }

    var nothing: String { "The store has \(title) as it was. Nothing was changed." }

    /// The plan in words: `replace 1 session by 2 sessions`.
    var what: String {
        guard record == nil else { return stored == nil ? "bring back \(title)" : "replace \(title) by the backup's" }
        return "replace \(before.map(Backups.words) ?? "nothing") by \(Backups.words(backup))"
    }

    func question(_ path: String) -> String {
        guard record == nil else { return "\(what.prefix(1).uppercased())\(what.dropFirst()) in \(path)" }
        return "Replace \(before.map(Backups.words) ?? "nothing") in \(path) by \(Backups.words(backup))"
    }

    func done(_ path: String) -> String {
        record == nil ? "Restored \(Backups.words(backup)) to \(path)." : "Brought back \(title)."
    }
}
