internal import CivilTime
internal import CommandSupport
internal import Pages
internal import StudyTimer
internal import TimeTracker

/// The page of a Study Timer store: the time of each subject in each week against its goal, and the sessions.
struct StudyPages: PageSource {
    private let store: String?

    /// - Parameter store: The path of the store; nil for the usual one.
    init(store: String?) { self.store = store }

    private static let path = "/study"
    /// The weeks that are shown.
    private static let weeks = 12

    let links = [PageLink("Study", Self.path)]

    var places: LocalPlaces {
        let path = try? StoreArgument.path(store, option: "--store", default: StudyStore.fileName)
        return LocalPlaces(files: [store, path].compactMap(\.self))
    }

    func response(to request: PageRequest) throws -> PageResponse {
        guard request.path == Self.path else { return .missing }
        var (option, study) = (StoreOption(), StudyStoreOption())
        option.path = store
        study.store = option
        let goals = try StudyGoals(besideStore: try study.path())
        let (clock, now) = (request.clock, request.now)
        let today = clock.day(of: now)
        let first = today.monday.adding(days: -7 * (Self.weeks - 1))
        let end = clock.startOfDay(max(today.month.upperBound, today.week.upperBound).adding(days: 1))
        let (log, table, count) = try study.reading().read { records in
            let count = try records.counts().sessions
            let paging = Paging(request, count: count, size: StudySessionTable.size)
            return (
                try records.log(touching: clock.startOfDay(min(first, today.month.lowerBound))..<end),
                StudySessionTable(try records.latest(paging.rows), paging), count
            )
        }
        let period = log.summary(of: first...today, clock: clock, now: now)
        let weeks = StudyWeeks(period, goals: goals)
        let body: HTML = """
            \(Self.progress(goals.progress(log, on: today, clock: clock, now: now)))
            <h2>The last \(Self.weeks) weeks</h2>
            \(weeks.charts)
            \(weeks.table)
            \(table.section(request, path: Self.path, of: count))
            """
        let tracked = Words.length(weeks.weeks.last?.tracked ?? .zero)
        let sessions = Words.count(count, "session")
        return .page(Page("Study", summary: "\(tracked) this week. \(sessions) in all.", body: body))
    }

    private static func progress(_ progress: [StudyProgress]) -> HTML {
        guard !progress.isEmpty else {
            let command = ProgramNames.asCalled("tracker-export study goal")
            return "<p class=\"muted\">There are no goals. Set one: <code>\(command) SUBJECT 10h/week</code></p>"
        }
        let cards = progress.map { entry -> HTML in
            let isReached = entry.left == 0
            let state: HTML =
                isReached
                ? "<p class=\"badge good\">reached</p>"
                : "<p class=\"badge attention\">\(Words.length(entry.left)) left</p>"
            let name = "Progress of \(entry.goal.subject)"
            return """
                <li class="card"><h3>\(entry.goal.subject)</h3>\(state)
                <p><progress max="\(entry.goal.seconds)" value="\(min(entry.done, entry.goal.seconds))" \
                aria-label="\(name)"></progress></p>
                <p>\(Words.length(entry.done)) of \(entry.goal.words)</p></li>
                """
        }
        return "<h2>Goals</h2><ul class=\"cards\">\(cards)</ul>"
    }
}

/// The time of each subject in some weeks.
private struct StudyWeeks {
    let weeks: [PeriodSummary]
    private let subjects: [DaySummary.Total]
    private let goals: [StudyGoal]

    init(_ period: PeriodSummary, goals: StudyGoals) {
        (weeks, subjects, self.goals) = (period.weeks, period.totals, goals.goals)
    }

    private func length(_ subject: String, _ week: PeriodSummary) -> Duration {
        week.totals.first { $0.name == subject }?.duration ?? .zero
    }

    private static func name(_ week: PeriodSummary) -> String { week.days.first?.day.weekName ?? "" }

    /// Returns the goal of a subject, where it is one of weeks.
    private func goal(_ subject: String) -> StudyGoal? {
        goals.first { $0.period == .week && $0.isOf(subject) }
    }

    /// A chart of all study, and one of each subject with a goal of weeks.
    var charts: HTML {
        let whole = points("All subjects", goal: nil) { $0.tracked }
        let own = subjects.filter { goal($0.name) != nil }.enumerated().map { number, subject -> HTML in
            let points = points(subject.name, goal: goal(subject.name)) { length(subject.name, $0) }
            return panel("study-\(number)", "\(subject.name), with its goal", points)
        }
        return "<div class=\"years\">\(panel("study", "All subjects", whole))\(HTML(own))</div>"
    }

    private func panel(_ id: String, _ title: String, _ points: [Chart.Point]) -> HTML {
        let chart = Chart(id, .columns, title: "Hours of study in each week: \(title)", points: points) {
            "\(Int($0)) h"
        }
        return "<section class=\"panel\"><h3>\(title)</h3>\(chart.svg)</section>"
    }

    private func points(
        _ title: String,
        goal: StudyGoal?,
        _ length: (PeriodSummary) -> Duration
    ) -> [Chart.Point] {
        weeks.map { week in
            let (name, seconds) = (Self.name(week), Int(length(week).components.seconds))
            let of = goal.map { " of \(Words.length($0.seconds))" } ?? ""
            return Chart.Point(
                String(name.suffix(3)),
                Double(seconds) / 3600,
                words: "\(name), \(title): \(Words.length(seconds))\(of)",
                goal: goal.map { Double($0.seconds) / 3600 }
            )
        }
    }

    var table: HTML {
        guard !subjects.isEmpty else { return "<p>Nothing was studied in these weeks.</p>" }
        let headings = subjects.map { subject -> HTML in
            "<th scope=\"col\" class=\"number\">\(subject.name)</th>"
        }
        let rows = weeks.reversed().map { week -> HTML in
            let cells = subjects.map { subject -> HTML in
                let length = length(subject.name, week)
                return
                    "<td class=\"number\" data-label=\"\(subject.name)\">\(length > .zero ? Words.length(length) : "–")</td>"
            }
            return """
                <tr><th scope="row">\(Self.name(week))</th>\(HTML(cells))\
                <td class="number" data-label="All"><strong>\(Words.length(week.tracked))</strong></td></tr>
                """
        }
        return """
            <div class="table"><table class="stack">
            <caption>Time by subject and week</caption>
            <thead><tr><th scope="col">Week</th>\(HTML(headings))<th scope="col" class="number">All</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            """
    }
}

/// The sessions with their pauses, the newest first.
private struct StudySessionTable {
    private let log: StudyLog
    private let paging: Paging

    /// The sessions on a page.
    static let size = 50

    /// - Parameter log: The sessions of the page, with their events.
    init(_ log: StudyLog, _ paging: Paging) { (self.log, self.paging) = (log, paging) }

    func section(_ request: PageRequest, path: String, of count: Int) -> HTML {
        guard !log.sessions.isEmpty else { return "<h2>Sessions</h2><p>There are no sessions.</p>" }
        let events = log.eventsBySession()
        let rows = log.sessions.map { row($0, events[$0.id] ?? [], request) }
        return """
            <h2>Sessions</h2>
            <div class="table"><table class="stack">
            <caption>\(Words.count(count, "session")), the newest first</caption>
            <thead><tr><th scope="col">Begin</th><th scope="col">Subject</th><th scope="col" class="number">Time</th>\
            <th scope="col">Pauses</th><th scope="col">State</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            \(paging.links { request.address(path, ["page": "\($0)"]) })
            """
    }

    private func row(_ session: StudySession, _ events: [StudyEvent], _ request: PageRequest) -> HTML {
        let clock = request.clock
        let start = session.start.moment
        let stretches = session.stretches(events)
        let pauses = zip(stretches, stretches.dropFirst()).compactMap { before, after -> String? in
            guard let from = before.end?.moment else { return nil }
            let length = Words.length(max(0, after.start.moment.seconds - from.seconds))
            return "\(clock.time(of: from))–\(clock.time(of: after.start.moment)) (\(length))"
        }
        let state = session.status == .completed ? "" : session.status == .active ? "running" : "paused"
        return """
            <tr><td>\(clock.day(of: start).words) \(clock.time(of: start))</td><th scope="row">\(session.subject)</th>\
            <td class="number">\(Words.length(session.seconds(events, until: request.now)))</td>\
            <td data-label="Pauses">\(pauses.isEmpty ? "none" : pauses.joined(separator: ", "))</td><td>\(state)</td></tr>
            """
    }
}
