import CivilTime
import Foundation
import GymPulse
import StrictJSON
import Testing
import TestSupport
import TimeTracker
import XMLIO

@testable import Interchange

@Suite struct TimeReportTests {
    private static let buttons = [
        ("Sleep", "#5E5CE6", "😴"), ("Work", "#0A84FF", "💼"), ("Meal", "#FFD60A", "🍽️"), ("Study", "#30D158", "📚"),
    ].enumerated().map { number, button in
        ActivityButton(id: "\(number)", name: button.0, color: button.1, icon: button.2, position: number)
    }

    /// A report of a day in Berlin; hours are counted from its midnight.
    private func report(
        on day: String = "2026-03-05",
        now: Double = 100,
        _ activities: [(name: String, from: Double, to: Double?)]
    ) throws -> String {
        let day = try #require(CivilDay(day))
        let start = Samples.berlin.startOfDay(day)
        func at(_ hours: Double) -> ZonedTimestamp { ZonedTimestamp(start.adding(seconds: Int(hours * 3600))) }
        let all = activities.enumerated().map { number, activity in
            TrackerActivity(id: "\(number)", name: activity.name, start: at(activity.from), end: activity.to.map(at))
        }
        let summary = DaySummary(of: day, clock: Samples.berlin, now: at(now).moment, activities: all)
        let week = PeriodSummary(of: day.week, clock: Samples.berlin, now: at(now).moment) { _ in all }
        return TimeReport(
            day: summary,
            period: week,
            clock: Samples.berlin,
            timeZone: "Europe/Berlin",
            buttons: Self.buttons
        ).html
    }

    private let ordinary: [(name: String, from: Double, to: Double?)] = [
        ("Sleep", -1, 7), ("Meal", 7.25, 7.75), ("Work", 8, 12), ("Meal", 12, 13), ("Work", 13, nil),
    ]

    @Test func aDayIsDrawnAndSaidInWords() throws {
        let html = try report(now: 15.5, ordinary)
        for part in [
            "<h1>Thursday, 5 March 2026</h1>", "15:00 tracked · 0:30 not accounted for · as of 15:30",
            "<title>Work, 08:00–12:00, 4:00 h</title>", "<title>Now, 15:30</title>", "<title>Still to come</title>",
            "<td class=\"span\">00:00–07:00</td>", "since the day before", "running", "Week of 2 Mar – 8 Mar",
            "Thu 5 Mar: Sleep, 7:00 h",
            "Times of Europe/Berlin.", "prefers-color-scheme: dark", "@media print",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        let past = try report(Array(ordinary.dropLast()) + [("Work", 13, 17)])
        #expect(past.contains("16:30 tracked") && !past.contains("class=\"hand\"") && past.contains("of 24:00"))
        #expect(try report([]).contains("Nothing was tracked."))
    }

    /// Days of 23 and 25 hours have as many marks, and an activity over all of one is a whole ring.
    @Test(arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-05", 24)])
    func daysHaveTheHoursThatTheyHave(day: String, hours: Int) throws {
        let html = try report(on: day, now: 1000, [("Sleep", -5, 40)])
        #expect(html.components(separatedBy: "class=\"tick\"").count - 1 == hours)
        #expect(html.contains("\(hours):00 tracked"))
        #expect(html.contains("<td class=\"span\">00:00–24:00</td>"))
    }

    /// The page is well-formed XML but for its first lines, whatever names hold, and loads nothing.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func namesCannotBreakThePage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let activities = (0..<40).map { _ in
            let from = Double.random(in: -5...24, using: &generator)
            return (
                name: Samples.text(&generator, nonBlank: true) + "<script src='http://x'>\u{202E}\"",
                from: from, to: from + Double.random(in: 0...6, using: &generator) as Double?
            )
        }
        let html = try report(now: 20, activities)
        #expect(!html.contains("<script") && !html.contains("\u{202E}"))
        #expect(html.components(separatedBy: "http:").count == html.components(separatedBy: "&#39;http:").count)
        let start = try #require(html.range(of: "<body>")?.lowerBound)
        let end = try #require(html.range(of: "</html>")?.lowerBound)
        _ = try XMLElement.parse(Array(html[start..<end].utf8), XMLOptions())
    }

    /// Every colour stands out from the paper of both schemes, and what is written on it from it.
    @Test(arguments: 0..<8)
    func coloursAreLegible(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let parts = (0..<3).map { _ in String(Int.random(in: 16...255, using: &generator), radix: 16) }
            let color = try #require(ReportColor("#" + parts.joined()))
            for paper in [ReportSeries.lightPaper, ReportSeries.darkPaper] {
                let fill = try #require(ReportColor(color.legible(on: paper).hex))
                #expect(fill.contrast(to: paper) >= 2.95, "\(parts) on \(paper.hex) is \(fill.hex)")
                #expect(fill.ink.contrast(to: fill) >= 4.5, "\(fill.ink.hex) on \(fill.hex)")
            }
        }
    }

    /// Activities without colours of their own are told apart in both schemes.
    @Test func coloursDiffer() throws {
        let names = (0..<12).map { "Name \($0)" }
        let html = try report(now: 24, names.enumerated().map { ($1, Double($0), Double($0) + 1) })
        let pattern = /--c[0-9]+:(#[0-9a-f]{6})/
        let all = try html.matches(of: pattern).map { try #require(ReportColor(String($0.1))) }
        try #require(all.count == 2 * names.count)
        for colors in [all.prefix(names.count), all.suffix(names.count)] {
            for (index, color) in colors.enumerated() {
                for other in colors.dropFirst(index + 1) { #expect(color.distance(to: other) >= 0.06) }
            }
        }
    }

    /// The amounts of the rows add up to the sum, and an entry that goes on over midnight or began before is one.
    @Test func amountsStandWhereTheyCount() throws {
        let days = try #require(CivilDay("2026-03-01")).month
        let start = Samples.berlin.startOfDay(days.lowerBound)
        func night(_ id: String, _ from: Int, _ to: Int, _ amount: String) -> TrackerActivity {
            TrackerActivity(
                id: id,
                name: "Night",
                start: ZonedTimestamp(start.adding(seconds: from * 3600)),
                end: ZonedTimestamp(start.adding(seconds: to * 3600)),
                unknownMembers: ["billable": true, "amount": .string(amount)]
            )
        }
        let nights = [
            night("1", -2, 6, "800.00 EUR"), night("2", 70, 74, "400.00 EUR"), night("3", 71, 73, "5.00 EUR"),
        ]
        let late = Samples.berlin.startOfDay(days.upperBound.adding(days: 9))
        let html = TimeReport(
            day: nil,
            period: PeriodSummary(of: days, clock: Samples.berlin, now: late) { _ in nights },
            clock: Samples.berlin,
            timeZone: "Europe/Berlin",
            buttons: []
        ).html
        #expect(html.contains("405.00 EUR") && !html.contains("800.00"))
        for amount in ["400.00 EUR", "5.00 EUR"] {
            let cells = html.components(separatedBy: "<td class=\"detail\" data-label=\"Amount\">\(amount)</td>")
            #expect(cells.count == 2, "\(amount)")
        }
        #expect(html.contains("<h2>Entries <small>3</small></h2>") && html.contains("<small>× 3</small>"))
        #expect(html.contains("since the day before, amount on its first day"))
        #expect(html.contains("12:00 billable (more than was tracked"))
    }

    @Test(arguments: [
        ("2026-03-02", "2026-03-08", "Week of 2 – 8 March 2026"), ("2026-02-01", "2026-02-28", "February 2026"),
        ("2026-12-30", "2027-01-02", "30 December 2026 – 2 January 2027"),
        ("2024-01-01", "2025-12-31", "1 January 2024"),
    ])
    func otherDaysAreNamedAndDrawn(from: String, to: String, title: String) throws {
        let days = try #require(CivilDay(from))...(try #require(CivilDay(to)))
        let start = Samples.berlin.startOfDay(days.lowerBound)
        let work = TrackerActivity(
            id: "1",
            name: "Work",
            start: ZonedTimestamp(start.adding(seconds: 8 * 3600)),
            end: ZonedTimestamp(start.adding(seconds: 9 * 3600)),
            unknownMembers: ["client": "Big Company", "billable": true, "amount": "100.50 EUR"]
        )
        let late = Samples.berlin.startOfDay(days.upperBound.adding(days: 9))
        let period = PeriodSummary(of: days, clock: Samples.berlin, now: late) { $0 == days.lowerBound ? [work] : [] }
        let html = TimeReport(
            day: nil,
            period: period,
            clock: Samples.berlin,
            timeZone: "Europe/Berlin",
            buttons: [],
            listsGaps: true
        ).html
        #expect(html.contains("<h1>\(title)"))
        #expect(
            html.contains("By client") && html.contains("100.50 EUR") && html.contains("Not accounted for</caption>")
        )
        #expect(!html.contains("class=\"dial\""))
    }

    // MARK: In a browser

    /// Nothing is wider than a telephone's screen, and the chosen day is on it.
    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func aTelephoneShowsItWhole() throws {
        let sandbox = try Sandbox()
        let long = ordinary + [("Averyveryveryverylongnamewithoutaspaceinit and more words behind it", 20, 21)]
        let page = try report(on: "2026-03-08", now: 22.5, long)
        let frame = """
            <!doctype html><body><iframe width="375" height="800" style="border:0"></iframe><script>
            const frame = document.querySelector('iframe');
            frame.onload = () => {
              const page = frame.contentDocument;
              const chosen = page.querySelector('.narrow .chosen').getBoundingClientRect();
              const cells = [...page.querySelectorAll('.entries th, .entries td')];
              const right = Math.max(...cells.map(cell => cell.getBoundingClientRect().right));
              const numbers = [page.documentElement.scrollWidth, chosen.left, chosen.right, right];
              document.body.textContent = numbers.map(Math.ceil).join(' ');
            };
            frame.srcdoc = \(Browser.literal(page));
            </script></body>
            """
        let file = try sandbox.write("frame.html", frame)
        let dom = try Browser.run(["--virtual-time-budget=20000", "--dump-dom", "file://\(file)"])
        let numbers = try #require(dom.firstMatch(of: /<body>([0-9 -]+)<\/body>/), "\(dom.suffix(300))")
        let values = numbers.1.split(separator: " ").compactMap { Int($0) }
        try #require(values.count == 4)
        #expect(values[0] <= 375 && values[1] >= 0 && values[2] <= 375 && values[3] <= 375, "\(values)")
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"), arguments: [true, false])
    func aBrowserShowsIt(isDark: Bool) throws {
        let sandbox = try Sandbox()
        let page = try sandbox.write("report.html", try report(now: 15.5, ordinary))
        let colors = try Browser.colors(of: page, isDark: isDark, in: sandbox)
        // Sleep, work, the hand, the paper, the page: each is there, and covers what it should.
        let expected =
            isDark
            ? [("5e5ce6", 9000), ("0a84ff", 15_000), ("ff6b5e", 200), ("1b1f25", 100_000), ("121519", 50_000)]
            : [("5e5ce6", 9000), ("0a84ff", 15_000), ("d92d20", 200), ("ffffff", 100_000), ("f4f5f7", 50_000)]
        for (color, least) in expected {
            #expect(colors[color, default: 0] >= least, "\(color) covers \(colors[color, default: 0]) pixels")
        }
        let tree = try Browser.run(["--dump-dom", "file://\(page)"])
        #expect(tree.contains("<title>Now, 15:30</title>") && tree.components(separatedBy: "<path").count > 6)
    }
}
