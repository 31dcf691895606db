internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The options of the commands that start, pause, resume and stop sessions.
struct StudyOptions: ParsableArguments {
    @OptionGroup var store: StudyStoreOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var output: FormatOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("When it happened, such as 14:30 or -10m (default: now).", valueName: "time"),
        transform: TimeExpression.moment
    )
    var at: TimeExpression?

    /// Changes the store at the moment that was named, and says what became of it.
    func run(
        _ verb: String,
        _ body: (StudyRecords, ZonedTimestamp) throws -> StudyRecords.Change
    ) throws {
        let local = try zone.clock()
        let now = try clock.moment(in: local)
        let moment = try at?.moment(for: "--at", now: now, clock: local, echo: output.format) ?? now
        guard moment <= now else { throw CommandFailure(.usage, Messages.notYet("--at", local.text(of: moment))) }
        let (change, overlaps) = try store.writing().write { records in
            let change = try records.keepingChange(verb.lowercased()) { try body(records, local.zoned(moment)) }
            let isNamed = verb == "Started" || verb == "Stopped"
            return (change, isNamed ? try SessionOverlaps(change.session, records, now, local) : nil)
        }
        overlaps?.warn()
        let session = change.session
        let length = verb == "Started" ? "" : ", \(Words.length(session.accumulatedSeconds)) so far"
        var lines = change.stopped.map { "Stopped \"\($0.subject)\", \(Words.length($0.accumulatedSeconds))." }
        lines.append(
            "\(verb) \"\(session.subject)\"\(session.end == nil ? length : length.replacing(" so far", with: ""))."
        )
        try output.print(
            lines.map { TerminalText.safe($0) + "\n" }.joined(),
            [
                "stopped": change.stopped.last.map { StudyWords.json($0, seconds: $0.accumulatedSeconds) } ?? .null,
                "session": StudyWords.json(session, seconds: session.accumulatedSeconds),
            ]
        )
        try overlaps?.end()
    }
}

struct StudyStart: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a session; one that is not over ends at that moment.",
        discussion: "study start Algebra. A subject of earlier sessions keeps its spelling."
    )

    @OptionGroup var options: StudyOptions

    @Argument(help: "What you study.", completion: .subjects)
    var subject: String

    func run() throws {
        guard !Words.isBlank(subject) else { throw CommandFailure(.usage, Messages.sessionNeedsSubject) }
        try options.run("Started") { try $0.start(subject, at: $1, identifier: newIdentifier) }
    }
}

struct StudyPause: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause the session that is running."
    )

    @OptionGroup var options: StudyOptions

    func run() throws {
        try options.run("Paused") { try $0.change(to: .paused, at: $1, identifier: newIdentifier) }
    }
}

struct StudyResume: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on with the paused session.")

    @OptionGroup var options: StudyOptions

    func run() throws {
        try options.run("Resumed") { try $0.change(to: .resumed, at: $1, identifier: newIdentifier) }
    }
}

struct StudyStop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End the session that is running or paused."
    )

    @OptionGroup var options: StudyOptions

    func run() throws {
        try options.run("Stopped") { try $0.change(to: .stopped, at: $1, identifier: newIdentifier) }
    }
}

struct StudyStatus: ParsableCommand, ListingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is not over, and today's time."
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var output: FormatOption

    func run() throws {
        let local = try zone.clock()
        let now = try clock.moment(in: local)
        let (open, log) = try store.reading().read { records in
            let open = try records.open().map {
                (session: $0, seconds: $0.seconds(try records.events(of: $0), until: now))
            }
            return (open, try records.log())
        }
        let day = local.day(of: now)
        let today = log.summary(of: day...day, clock: local, now: now).tracked
        // Several run where devices started one each before they met.
        let lines = open.reversed().map { session, seconds in
            let state = session.status == .paused ? "Paused" : "Running"
            return
                "\(state) \"\(session.subject)\", \(Words.length(seconds)), since \(local.words(of: session.start.moment))."
        }
        try output.print(
            (lines.isEmpty ? [Messages.noSessionRuns] : lines).map { TerminalText.safe($0) + "\n" }.joined()
                + "Today: \(Words.length(today)).\n",
            [
                "session": open.last.map { StudyWords.json($0.session, seconds: $0.seconds) } ?? .null,
                "todaySeconds": .seconds(today),
            ]
        )
    }
}
