import CivilTime
import Foundation
import GymPulse
import Interchange
import Testing
import TestSupport
import TimeTracker
import XMLIO

@Suite struct DayReportTests {
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
        let week = WeekSummary(containing: day, clock: Samples.berlin, now: at(now).moment) { _ in all }
        return DayReport(
            day: summary,
            week: week,
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
            "<td>00:00–07:00</td>", "since the day before", "running", "Week of 2 Mar – 8 Mar",
            "Thu 5 Mar: Sleep, 7:00 h",
            "Times of Europe/Berlin.", "prefers-color-scheme: dark", "@media print",
        ] {
            #expect(html.contains(part), "\(part)")
        }
        let past = try report(Array(ordinary.dropLast()) + [("Work", 13, 17)])
        #expect(past.contains("16:30 tracked") && !past.contains("class=\"hand\"") && past.contains("of 24:00"))
        #expect(try report([]).contains("Nothing was tracked on this day."))
    }

    /// Days of 23 and 25 hours have as many marks, and an activity over all of one is a whole ring.
    @Test(arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-05", 24)])
    func daysHaveTheHoursThatTheyHave(day: String, hours: Int) throws {
        let html = try report(on: day, now: 1000, [("Sleep", -5, 40)])
        #expect(html.components(separatedBy: "class=\"tick\"").count - 1 == hours)
        #expect(html.contains("\(hours):00 tracked"))
        #expect(html.contains("<td>00:00–24:00</td>"))
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
            let color = try #require(ReportColors("#" + parts.joined()))
            for (fill, ink, paper) in [
                (color.light, color.lightInk, "#ffffff"), (color.dark, color.darkInk, "#1b1f25"),
            ] {
                #expect(ReportColors.contrast(fill, paper) >= 2.95, "\(parts) on \(paper) is \(fill)")
                #expect(ReportColors.contrast(ink, fill) >= 4.5, "\(ink) on \(fill)")
            }
        }
    }

    // MARK: In a browser

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
