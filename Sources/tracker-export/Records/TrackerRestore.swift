internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import StrictJSON
internal import TimeTracker

extension TrackerTool {
    struct Find: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "find",
            abstract: "Find an activity in backups and the store.",
            discussion: """
                Looks into the store, and into the backups of --in: JSON and XML of "export", of any version, also in \
                archives, and copies of the store. tracker-export find work --in ~/Backups. Entries that the store does not \
                have are listed one by one where they are few. tracker-export restore brings them back.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var search: LogFindOptions

        func run() throws {
            let path = try store.trackerPath()
            let opened = try store.readingIfPresent()
            let local = try zone.clock(stored: try opened?.read { try $0.timeZone() })
            let stored = try search.stored(opened != nil) { try LogBackup.tracker(path) }
            let known = Set((stored?.activities ?? []).map { $0.json.text(.compact) })
            try search.run(store: stored == nil ? nil : path, way: Messages.restoreOne) { file in
                let log = try file.map(LogBackup.tracker) ?? stored ?? TrackerExport()
                let isLost = { (entry: TrackerActivity) in !known.contains(entry.json.text(.compact)) }
                // Lists single entries of the store, too, if the text is in their details.
                let single = log.activities.map { ($0, $0.record(local)) }.filter { entry, record in
                    record.has(search.text) && (record.hasInDetails(search.text) || file != nil && isLost(entry))
                }.map(\.1)
                let few =
                    single.count <= FoundLogRecord.mostSingle
                    ? single : Array(single.filter { $0.hasInDetails(search.text) }.suffix(FoundLogRecord.mostSingle))
                return (NamedActivity.all(log).map { $0.record(local) } + few, log.exportedAt)
            }
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Bring one activity back from a backup.",
            discussion: """
                Brings back the button and the entries of that name which the store does not have as they were; the rest \
                stays. Any part of the name that fits one activity will do, and the id of an entry brings back that entry \
                alone. tracker-export undo takes it back.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "The backup, or a copy of the store.", completion: .file())
        var file: String

        @Argument(help: ArgumentHelp("The activity, or the id of an entry.", valueName: "name|id"))
        var name: String

        func run() throws {
            let log = try LogBackup.tracker(file)
            let wanted = try Self.wanted(name, in: log)
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            let opened = try dryRun ? store.reading() : store.writing(mustExist: true)
            let plan = { (records: TrackerRecords) throws in
                let local = try zone.clock(stored: try records.timeZone())
                var held = TrackerExport(buttons: try records.buttons())
                try records.forEachActivity { held.activities.append($0) }
                let plan = TrackerRestoration(wanted, of: log.activities, into: held)
                let asOf = log.exportedAt.map { " (\($0))" } ?? ""
                printer.show(["activity \"\(wanted.name)\", as it was in \(file)\(asOf):"] + plan.lines(local))
                return plan
            }
            let done: TrackerRestoration
            var overlaps: [Diagnostic] = []
            if dryRun {
                done = try opened.read { try plan($0) }
            } else {
                done = try opened.write { records in
                    let plan = try plan(records)
                    guard !plan.isEmpty else { return plan }
                    try printer.require("Bring back \(plan.words) of \"\(wanted.name)\"?")
                    try records.make(plan.change)
                    overlaps = try Self.overlaps(plan, records, zone.clock(stored: try records.timeZone()), clock)
                    return plan
                }
            }
            StandardError.write(DiagnosticRenderer().render(overlaps))
            try finish(done, wanted, log.exportedAt, printer)
            if !overlaps.isEmpty { throw ExitStatus.findings.exitCode }
        }

        /// Returns warnings of restored entries whose time others have too, which counts twice in their activities.
        private static func overlaps(
            _ plan: TrackerRestoration,
            _ records: TrackerRecords,
            _ local: LocalClock,
            _ clock: NowOption
        ) throws -> [Diagnostic] {
            let (now, handles) = (try clock.moment(in: local), try records.handles())
            return try plan.change.activities.compactMap(\.after).flatMap { entry in
                try records.overlaps(with: entry, now: now).map { other in
                    let lines = [entry, other].map { EntryWords.line($0, handles, local) }
                    return Diagnostic(.warning, code: "tracker.overlap", message: Messages.overlap(lines[0], lines[1]))
                }
            }
        }

        /// Returns the activity that is meant, or one entry of it.
        private static func wanted(_ name: String, in log: TrackerExport) throws -> NamedActivity {
            let all = NamedActivity.all(log)
            if let entry = log.activities.first(where: { $0.id == name }) {
                let button = all.first { CategoryKey($0.name) == CategoryKey(entry.name) }?.button
                return NamedActivity(name: entry.name, button: button, entries: [entry])
            }
            return try NameChoice("activity", all, id: { $0.button?.id ?? $0.name }, name: \.name)(name)
        }

        private func finish(
            _ plan: TrackerRestoration,
            _ wanted: NamedActivity,
            _ asOf: String?,
            _ printer: PlanPrinter
        ) throws {
            var line = Messages.same(wanted.name)
            if !plan.isEmpty {
                line =
                    dryRun
                    ? Messages.broughtBack(plan.words, isDryRun: true)
                    : "\(Messages.broughtBack(plan.words, isDryRun: false)) \(TimeProgram.undoHint)"
            }
            try printer.finish(
                line,
                [
                    "dryRun": .bool(dryRun), "file": .string(file), "asOf": asOf.map { .string($0) } ?? .null,
                    "name": .string(wanted.name), "changed": .bool(!plan.isEmpty && !dryRun),
                    "buttons": .number(plan.change.buttons.count),
                    "entries": .number(plan.change.activities.count),
                    "same": .number(plan.same), "leftOut": .number(plan.running),
                ]
            )
        }
    }
}

/// The options of `find` for time logs.
struct LogFindOptions: ParsableArguments {
    @OptionGroup var options: FindOptions

    @Argument(help: "A part of the name, or of what entries have beside it.")
    var text: String

    /// Returns the log of the store; nil if there is no store and other files are searched.
    func stored<Log>(_ exists: Bool, _ read: () throws -> Log) throws -> Log? {
        try options.check(text)
        guard exists || options.places.isEmpty else { return nil }
        return try read()
    }

    /// Searches the store and the files.
    ///
    /// - Parameters:
    ///   - store: The path of the store; nil where there is none.
    ///   - way: How a record is brought back.
    ///   - records: The records of a file, of the store where the file is nil, and when they were so.
    func run(
        store: String?,
        way: String,
        _ records: (String?) throws -> (records: [FoundLogRecord], asOf: String?)
    ) throws {
        var search = RecordSearch<FoundLogRecord>(text: text, way: way)
        if let store { search.add(try records(nil).records, of: store, asOf: nil, isStore: true) }
        let skipped = try SearchedFiles(options.places).forEach(
            besides: store,
            code: "tracker.unusable-backup",
            app: "this app"
        ) { file, _ in
            let found = try records(file)
            search.add(found.records, of: file, asOf: found.asOf, isStore: false)
        }
        try options.report(search, store: store, skipped)
    }
}
