internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import StrictJSON
internal import StudyTimer

struct StudyFind: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find a subject in backups and the store.",
        discussion: """
            Looks into the store, and into the backups of --in: logs that "export" wrote, of any version, also in archives, \
            and copies of the store. study find algebra --in ~/Backups. Sessions that the store does not have are listed one \
            by one where they are few. study restore brings them back.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var search: LogFindOptions

    func run() throws {
        let path = try store.path()
        let local = try zone.clock()
        let now = try clock.moment(in: local)
        let stored = try search.stored(OutputFile(path).isTaken) { try store.reading().read { try $0.log() } }
        let known = Set((stored?.sessions ?? []).map { $0.json.text(.compact) })
        try search.run(store: stored == nil ? nil : path, way: Messages.restoreOneSession) { file in
            let log = try file.map(LogBackup.study) ?? stored ?? StudyLog()
            let lost = file == nil ? [] : log.sessions.filter { !known.contains($0.json.text(.compact)) }
            // A session that runs in a backup ran until the backup was made. A copy of a store does not say when it was made.
            let lengths = SessionLengths(log, until: file == nil ? now : log.exportedAt.flatMap { Timestamp($0) })
            let single = lost.map { $0.record(local, lengths) }.filter { $0.has(search.text) }
            let few = single.count <= FoundLogRecord.mostSingle ? single : []
            return (StudySubject.all(log).map { $0.record(local, lengths) } + few, log.exportedAt)
        }
    }
}

struct StudyRestore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a subject, a session or everything back from a backup.",
        discussion: """
            With a subject, or the id of a session, brings its sessions back with their events, as far as the store does not \
            have them as they were; the rest stays. A session that was going on in the backup and is over in the store is left \
            out. Without a subject, the backup takes the place of everything in the store. What \
            the store held before is written to a file beside it; study restore of that file undoes this.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var output: FormatOption

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Argument(help: "The backup, or a copy of the store.", completion: .file())
    var file: String

    @Argument(
        help: ArgumentHelp("The subject, or the id of a session; without it everything.", valueName: "subject|id")
    )
    var name: String?

    func run() throws {
        let local = try zone.clock()
        let now = try clock.moment(in: local)
        let log = try LogBackup.study(file)
        let wanted = try name.map { try Self.wanted($0, in: log) }
        let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
        let path = try store.path()
        let stored = OutputFile(path).isTaken ? try store.reading().read { try $0.log() } : StudyLog()
        let plan = StudyRestoration(
            wanted?.sessions ?? log.sessions,
            of: log,
            into: stored,
            isEverything: wanted == nil
        )
        let lost = wanted == nil ? Self.lost(stored, log) : []
        let what = wanted.map { "\"\($0.title)\"" } ?? "everything"
        let asOf = log.exportedAt.map { " (\($0))" } ?? ""
        var lines =
            ["\(what), as it was in \(file)\(asOf):"]
            + plan.lines(local, SessionLengths(log, until: log.exportedAt.flatMap { Timestamp($0) }))
        lines += try Self.lines(lost, local, SessionLengths(stored, until: now), isShared: !lost.isEmpty && isShared())
        printer.show(lines)
        let isChange = !plan.isEmpty || !lost.isEmpty
        var safety: String?
        if isChange, !dryRun {
            try printer.require("Bring back \(what) into \(path)?")
            safety = try write(plan, everything: wanted == nil ? log : nil, stored, path, now, local)
        }
        let running = isChange && !dryRun ? try store.reading().read { try $0.open().map(\.subject) } : []
        if running.count > 1 { StandardError.write(TerminalText.safe(Messages.severalRun(running)) + "\n") }
        try finish(plan, lost.count, isChange, safety, printer)
    }

    /// True if other devices share the store.
    private func isShared() throws -> Bool { try store.reading().read { try $0.isLinked } }

    /// Writes what the store held to a file, and then what is brought back.
    private func write(
        _ plan: StudyRestoration,
        everything log: StudyLog?,
        _ stored: StudyLog,
        _ path: String,
        _ now: Timestamp,
        _ local: LocalClock
    ) throws -> String {
        try store.writing().write { records in
            guard try !OutputFile(path).isTaken || records.log() == stored else {
                throw CommandFailure(.notNow, Messages.changedMeanwhile)
            }
            var before = stored
            before.exportedAt = local.text(of: now)
            let bytes = try before.encoded(version: StudyFormat.currentVersion).bytes
            let safety = try SafetyFile.write(bytes, beside: path, at: now)
            if let log { try records.replaceAll(by: log) } else { try plan.apply(to: records) }
            return safety
        }
    }

    /// Returns the subject that is meant, or one session.
    private static func wanted(_ name: String, in log: StudyLog) throws -> StudySubject {
        if let session = log.sessions.first(where: { $0.id == name }) {
            return StudySubject(title: session.subject, sessions: [session])
        }
        return try NameChoice("subject", StudySubject.all(log), id: \.title, name: \.title)(name)
    }

    /// Returns the sessions of the store that a backup lacks.
    private static func lost(_ stored: StudyLog, _ log: StudyLog) -> [StudySession] {
        let kept = Set(log.sessions.map(\.id))
        return stored.sessions.filter { !kept.contains($0.id) }
    }

    /// Returns the plan's lines on sessions that are removed; those that began last come first.
    private static func lines(
        _ lost: [StudySession],
        _ clock: LocalClock,
        _ lengths: SessionLengths,
        isShared: Bool
    ) -> [String] {
        guard !lost.isEmpty else { return [] }
        let latest = lost.sorted { $0.start.moment > $1.start.moment }.prefix(10)
        var lines = ["  remove \(Words.count(lost.count, "session")) that the backup does not have:"]
        lines += latest.map { session in
            let length = Words.length(lengths.seconds(of: session))
            return "    \"\(session.subject)\", \(clock.words(of: session.start.moment)), \(length)"
        }
        if lost.count > latest.count { lines.append("    … and \(lost.count - latest.count) more sessions") }
        if isShared { lines.append("  \(SharedStore.removedEverywhere)") }
        return lines
    }

    private func finish(
        _ plan: StudyRestoration,
        _ lost: Int,
        _ isChange: Bool,
        _ safety: String?,
        _ printer: PlanPrinter
    ) throws {
        let words = Words.count(plan.sessions.count, "session")
        var line = plan.leftOut > 0 ? Messages.nothingBack : Messages.sameAll
        if isChange { line = Messages.broughtBack(words, isDryRun: dryRun) }
        if let safety { line += Messages.undoRestore(safety) }
        try printer.finish(
            line,
            [
                "dryRun": .bool(dryRun), "file": .string(file), "changed": .bool(isChange && !dryRun),
                "sessions": .number(plan.sessions.count), "events": .number(plan.events.count),
                "same": .number(plan.same), "leftOut": .number(plan.leftOut), "removed": .number(lost),
                "safetyCopy": safety.map { .string($0) } ?? .null,
            ]
        )
    }
}
