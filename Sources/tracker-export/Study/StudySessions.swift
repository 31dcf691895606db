internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

struct StudySessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List and correct sessions.",
        discussion: """
            A session is named by its short name in the list, by its id, or as last or running. Times are those of the \
            session's day: --start 09:15, or --end "yesterday 18:00". study undo takes a change back.
            """,
        subcommands: [StudySessionsList.self, StudySessionsEdit.self, StudySessionsDelete.self],
        defaultSubcommand: StudySessionsList.self
    )
}

struct StudySessionsList: ParsableCommand, ListingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the sessions of the last seven days or of other days.",
        discussion: "A session belongs to the day on which it begins."
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: DayOptions
    @OptionGroup var output: FormatOption

    func run() throws {
        let clock = try when.localClock(stored: nil)
        let now = try when.now(clock)
        let today = clock.day(of: now)
        let span =
            when.isGiven
            ? try when.span(clock, echo: output.format) : DaySpan(days: today.adding(days: -6)...today, kind: .range)
        let (all, handles) = try store.reading().read { (try $0.log(), try $0.handles()) }
        let log = all.sessions(startingIn: span.moments(clock))
        let events = log.eventsBySession()
        var table = TextTable([
            .fixed("SESSION"), .fixed("FROM"), .fixed("TO"), .right("TIME"), .left("SUBJECT"), .right("PAUSES"),
            .left(""),
        ])
        for session in log.sessions {
            let (start, end) = (session.start.moment, session.end?.moment)
            let (day, last) = (clock.day(of: start), end.map { clock.day(of: $0) })
            let until = end.map { (last == day ? "" : "\(last?.words ?? "") ") + clock.time(of: $0) } ?? ""
            let own = events[session.id] ?? []
            table.add([
                handles.handle(of: session.id), "\(day.words) \(clock.time(of: start))", until,
                Words.length(session.seconds(own, until: now)), TerminalText.cut(session.subject, to: 40),
                "\(own.count { $0.kind == .paused })",
                session.status == .completed ? "" : session.status == .active ? "running" : "paused",
            ])
        }
        let none = Messages.noSessions(span.words)
        try output.print(
            table.isEmpty ? none : table.render(),
            [
                "from": .string(span.days.lowerBound.description),
                "to": .string(span.days.upperBound.description),
                "sessions": .array(
                    log.sessions.map { session in
                        StudyWords.json(
                            session,
                            seconds: session.seconds(events[session.id] ?? [], until: now),
                            shortName: handles.handle(of: session.id)
                        )
                    }
                ),
            ]
        )
    }
}

struct StudySessionsEdit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change the subject or the times of a session.",
        discussion: """
            study sessions edit last --end 17:30 --subject Algebra

            A time without a day is one of the day on which the session begins; an end before the start is one of the next \
            day. Pauses stay where they are.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: EntryClock
    @OptionGroup var output: FormatOption

    @Option(help: ArgumentHelp("What was studied.", valueName: "subject"), completion: .subjects)
    var subject: String?

    @Option(parsing: .unconditional, help: "When it began.", transform: TimeExpression.moment)
    var start: TimeExpression?

    @Option(parsing: .unconditional, help: "When it ended.", transform: TimeExpression.moment)
    var end: TimeExpression?

    @Argument(help: SessionArgument.help)
    var session: String

    func validate() throws {
        guard subject != nil || start != nil || end != nil else {
            throw ValidationError(Messages.sayWhatToChange)
        }
        if let subject, Words.isBlank(subject) { throw ValidationError(Messages.sessionNeedsSubject) }
    }

    func run() throws {
        let clock = try when.clock(stored: nil)
        let store = try store.writing()
        let report = try store.write { records in
            let before = try SessionArgument.find(session, records)
            let began = try start?.moment("--start", near: before.start.moment, clock, output)
            let ended = try end?.moment("--end", near: began ?? before.start.moment, isAfter: true, clock, output)
            for (option, moment) in [("--start", began), ("--end", ended)] {
                guard let moment, moment > clock.now else { continue }
                throw CommandFailure(.usage, Messages.notYet(option, clock.local.text(of: moment)))
            }
            let former = before.seconds(try records.events(of: before), until: clock.now)
            let after = try records.keepingChange("edit") {
                try records.edit(
                    before,
                    title: subject,
                    start: began.map { clock.local.zoned($0) },
                    end: ended.map { clock.local.zoned($0) }
                )
            }
            let seconds = after.seconds(try records.events(of: after), until: clock.now)
            return SessionChangeReport(
                lines: [
                    Messages.changed(
                        SessionArgument.line(after, clock.local, seconds),
                        "; before: \(SessionArgument.line(before, clock.local, former))"
                    )
                ],
                session: after,
                seconds: seconds,
                overlaps: began == nil && ended == nil
                    ? nil : try SessionOverlaps(after, records, clock.now, clock.local)
            )
        }
        try report.print(output)
    }
}

struct StudySessionsDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a session with its pauses."
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: EntryClock
    @OptionGroup var output: FormatOption

    @Argument(help: SessionArgument.help)
    var session: String

    func run() throws {
        let clock = try when.clock(stored: nil)
        let report = try store.writing().write { records in
            let found = try SessionArgument.find(session, records)
            let seconds = found.seconds(try records.events(of: found), until: clock.now)
            try records.keepingChange("delete") { try records.delete(found) }
            return SessionChangeReport(
                lines: [Messages.deleted(SessionArgument.line(found, clock.local, seconds))],
                session: found,
                seconds: seconds
            )
        }
        try report.print(output)
    }
}

/// The report on a changed session, and how to take the change back.
struct SessionChangeReport {
    let lines: [String]
    let session: StudySession
    let seconds: Int
    var overlaps: SessionOverlaps?

    func print(_ output: FormatOption) throws {
        overlaps?.warn()
        let text = lines + [Messages.undoStudy]
        try output.print(
            text.map { TerminalText.safe($0) + "\n" }.joined(),
            ["stopped": .null, "session": StudyWords.json(session, seconds: seconds)]
        )
        try overlaps?.end()
    }
}
