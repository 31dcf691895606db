internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

struct StudySummary: ParsableCommand, ListingCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "Show the time by subject and week, of this week or of other days.",
        discussion: """
            Pauses do not count. A session that goes on over midnight counts on both days. Goals are shown for the day, week \
            or month of the last day; "study goal" sets them.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: DayOptions
    @OptionGroup var output: FormatOption

    @Flag(help: "List the stretches without a session.")
    var gaps = false

    func run() throws {
        let clock = try when.localClock(stored: nil)
        let span = try when.studySpan(clock, echo: output.format)
        let log = try store.reading().read { try $0.log() }
        let period = log.summary(of: span.days, clock: clock, now: try when.now(clock))
        let report = SummaryReport(period: period, span: span, clock: clock, noun: "subject", listsGaps: gaps)
        let goals = try StudyGoals(besideStore: try store.path())
        let last = min(span.days.upperBound, clock.day(of: try when.now(clock)))
        let progress = goals.progress(log, on: last, clock: clock, now: try when.now(clock))
        var json = report.json.object ?? JSONObject()
        json["goals"] = .array(progress.map(\.json))
        try output.print(report.text + (progress.isEmpty ? "" : "\n" + StudyProgress.table(progress)), .object(json))
    }
}

struct StudyReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write a page about this week or other days.",
        discussion: """
            One HTML file that loads nothing and runs no script. Without --output it gets the name of the days, such as \
            study-2026-W10.html, and a page of that name is replaced.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var when: DayOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var confirmation: ConfirmationOption

    func run() throws {
        let clock = try when.localClock(stored: nil)
        let span = try when.studySpan(clock, echo: .text)
        let now = try when.now(clock)
        let log = try store.reading().read { try $0.log() }
        let day = span.kind == .day ? span.days.lowerBound : nil
        let report = TimeReport(
            day: day.flatMap { log.summary(of: $0...$0, clock: clock, now: now).days.first },
            period: log.summary(of: day?.week ?? span.days, clock: clock, now: now),
            clock: clock,
            timeZone: when.zoneName(stored: nil),
            buttons: [],
            noun: "subject",
            listsGaps: page.gaps
        )
        try page.write(report, named: "study-\(span.fileName).html", confirmation)
    }
}

extension DayOptions {
    /// Returns the days that were named, else this week.
    fileprivate func studySpan(_ clock: LocalClock, echo output: OutputFormat) throws(CommandFailure) -> DaySpan {
        guard !isGiven else { return try span(clock, echo: output) }
        return DaySpan(of: clock.day(of: try now(clock)), .week)
    }
}

/// Sessions for programs.
enum StudyWords {
    /// Says which sessions of a log run at once; nil where no more than one does.
    static func severalRun(_ log: JSONValue) -> String? {
        let open = (log["sessions"]?.array ?? []).filter {
            $0["status"]?.string != StudySession.Status.completed.rawValue
        }
        return open.count > 1 ? Messages.severalRun(open.compactMap { $0["title"]?.string }) : nil
    }

    static func json(_ session: StudySession, seconds: Int, shortName: String? = nil) -> JSONValue {
        var object: JSONObject = ["id": .string(session.id)]
        object["shortName"] = shortName.map { .string($0) }
        let members: JSONObject = [
            "title": .string(session.title),
            "status": .string(session.status.rawValue),
            "startTime": .string(session.start.description),
            "endTime": session.end.map { .string($0.description) } ?? .null,
            "seconds": .number(seconds),
        ]
        for member in members { object[member.name] = member.value }
        return .object(object)
    }
}
