internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Interchange
internal import Pages
internal import TimeTracker

/// The pages of a Time Tracker store: a day, a week, a month or other days, and their entries as a table to keep.
struct TimePages: PageSource {
    private let store: String?
    private let timeZone: String?

    /// - Parameters:
    ///   - store: The path of the store; nil for the usual one.
    ///   - timeZone: The zone of local times; nil for that of the store, else of this machine.
    init(store: String?, timeZone: String? = nil) { (self.store, self.timeZone) = (store, timeZone) }

    /// The paths of the pages.
    private enum Path {
        static let page = "/time"
        static let table = "/time/entries.csv"
    }

    let links = [PageLink("Time", Path.page)]

    var places: LocalPlaces {
        let path = try? StoreArgument.path(store, option: "--store", default: TrackerStore.fileName)
        return LocalPlaces(files: [store, path].compactMap(\.self))
    }

    private func opened() throws -> TrackerStore {
        var option = StoreOption()
        option.path = store
        return try option.reading()
    }

    /// Returns the clock by which days are reckoned, and its zone.
    private func clock(_ records: TrackerRecords, _ request: PageRequest) throws -> (LocalClock, zone: String) {
        guard timeZone == nil, let zone = try records.timeZone().flatMap(ZoneInfo.init(identifier:)) else {
            return (request.clock, timeZone ?? ZoneInfo.current.identifier)
        }
        return (LocalClock(zone), zone.identifier)
    }

    func response(to request: PageRequest) throws -> PageResponse {
        let store = try opened()
        switch request.path {
        case Path.page: return .page(try store.read { try page($0, request) })
        case Path.table:
            let (span, shown) = try store.read { records in
                let span = try PageSpan(request, clock: clock(records, request).0)
                let period = try records.summary(of: span.days.days, clock: span.clock, now: request.now)
                return (span, period.allActivities)
            }
            var bytes: [UInt8] = []
            _ = try TrackerCSV.write(TrackerExport(activities: shown)) { bytes.append(contentsOf: $0) }
            return .file("time-\(span.days.fileName).csv", type: "text/csv; charset=utf-8", bytes)
        default: return .missing
        }
    }

    private func page(_ records: TrackerRecords, _ request: PageRequest) throws -> Page {
        let (clock, zone) = try clock(records, request)
        let span = try PageSpan(request, clock: clock)
        let days = span.days.days
        let chosen = try records.summary(of: days, clock: clock, now: request.now)
        let day = span.days.kind == .day ? chosen.days.first : nil
        let sections = TimeSections(
            day: day,
            period: try day == nil ? chosen : records.summary(of: days.lowerBound.week, clock: clock, now: request.now),
            clock: clock,
            buttons: try records.buttons()
        )
        let paging = Paging(request, count: sections.rowCount, size: 200)
        let table = request.link("These entries as CSV", Path.table, span.fields)
        let body: HTML = """
            \(span.navigation(request, Path.page))
            <p class="links no-print">\(table)</p>
            <div class="report">
            \(Self.sums(sections))
            \(HTML(trusted: sections.planned))
            \(HTML(trusted: sections.bars))
            \(HTML(trusted: sections.groups(of: chosen)))
            \(HTML(trusted: sections.entries(paging.rows)))
            </div>
            \(paging.links { page in request.address(Path.page, span.fields(page: page)) })
            <p class="muted">Times of \(zone). Lengths are hours and minutes.</p>
            """
        return Page(sections.title, summary: "\(sections.summary).", body: body)
    }

    /// Returns the sums by activity, for a day with its dial.
    private static func sums(_ sections: TimeSections) -> HTML {
        let totals = HTML(trusted: sections.totals)
        guard let dial = sections.dial else { return "<section>\(totals)</section>" }
        return "<section class=\"day\" aria-label=\"The day\">\(HTML(trusted: dial))\(totals)</section>"
    }
}

/// The days that a page is asked for, by its fields `view`, `date`, `from` and `to`.
struct PageSpan {
    let days: DaySpan
    let clock: LocalClock
    private let today: CivilDay

    /// - Parameter kind: What is shown where the request does not say.
    /// - Throws: 64 where a day cannot be read, or the days are in no order or too many.
    init(_ request: PageRequest, clock: LocalClock, otherwise kind: DaySpan.Kind = .day) throws(CommandFailure) {
        self.clock = clock
        let today = clock.day(of: request.now)
        self.today = today
        func day(_ field: String) throws(CommandFailure) -> CivilDay? {
            guard let text = request[field] else { return nil }
            do throws(TimeExpressionError) {
                return try TimeExpression(text).day(today: today)
            } catch {
                throw CommandFailure(.usage, "\"\(text)\": \(error.message(expectsDay: true))")
            }
        }
        guard request["view"] == "range" else {
            let view = request["view"].flatMap { name in Self.views.first { $0.name == name }?.kind } ?? kind
            days = DaySpan(of: try day("date") ?? today, view)
            return
        }
        let last = try day("to") ?? today
        let first = try day("from") ?? last.adding(days: -29)
        guard first <= last else {
            throw CommandFailure(.usage, "the first day, \(first.words), is after the last one, \(last.words)")
        }
        guard last.number - first.number < DaySpan.most else {
            throw CommandFailure(.usage, "\(first) to \(last) are more than \(DaySpan.most) days; choose fewer")
        }
        days = DaySpan(days: first...last, kind: .range)
    }

    private static let views: [(name: String, title: HTML, kind: DaySpan.Kind)] = [
        ("day", "Day", .day), ("week", "Week", .week), ("month", "Month", .month),
    ]

    /// The fields that ask for these days.
    var fields: KeyValuePairs<String, String?> { fields(page: nil) }

    /// Returns the fields that ask for these days, and a page of the entries.
    func fields(page: Int?) -> KeyValuePairs<String, String?> {
        let page = page.map { "\($0)" }
        guard days.kind != .range else {
            let (from, to) = (days.days.lowerBound.description, days.days.upperBound.description)
            return ["view": "range", "from": from, "to": to, "page": page]
        }
        let view = Self.views.first { $0.kind == days.kind }?.name
        return ["view": view, "date": days.days.lowerBound.description, "page": page]
    }

    /// Returns the links to other days and views, and the form for a range.
    func navigation(_ request: PageRequest, _ path: String) -> HTML {
        let shown = days.days.contains(today) ? today : days.days.lowerBound
        let views = Self.views.map { view -> HTML in
            let current: HTML = view.kind == days.kind ? " aria-current=\"true\"" : ""
            // An export has the present days, and no way on from them.
            let date = request.isExport ? nil : "\(shown)"
            let address = request.address(path, ["view": view.name, "date": date])
            return "<li><a href=\"\(address)\"\(current)>\(view.title)</a></li>"
        }
        guard !request.isExport else {
            return "<nav aria-label=\"Views\"><ul class=\"days\">\(views)</ul></nav>"
        }
        let length = days.days.upperBound.number - days.days.lowerBound.number + 1
        let (before, after) = (days.days.lowerBound.adding(days: -1), days.days.upperBound.adding(days: 1))
        let turns: HTML
        if days.kind == .range {
            let earlier = ("\(before.adding(days: 1 - length))", "\(before)")
            let later = ("\(after)", "\(after.adding(days: length - 1))")
            turns = """
                <li>\(request.link("Earlier", path, ["view": "range", "from": earlier.0, "to": earlier.1]))</li>
                <li>\(request.link("Later", path, ["view": "range", "from": later.0, "to": later.1]))</li>
                """
        } else {
            let view = Self.views.first { $0.kind == days.kind }?.name
            turns = """
                <li>\(request.link("Earlier", path, ["view": view, "date": "\(before)"]))</li>
                <li>\(request.link("Today", path, ["view": view]))</li>
                <li>\(request.link("Later", path, ["view": view, "date": "\(after)"]))</li>
                """
        }
        let form = request.search(
            path,
            ["view": "range"],
            """
            <div class="fields"><div><label for="from">From</label>\
            <input id="from" name="from" type="date" value="\(days.days.lowerBound.description)"></div>\
            <div><label for="to">To</label>\
            <input id="to" name="to" type="date" value="\(days.days.upperBound.description)"></div>\
            <p><button>Show these days</button></p></div>
            """
        )
        return """
            <nav class="no-print" aria-label="Days"><ul class="days">\(views)\(turns)</ul></nav>
            \(form)
            """
    }
}
