import CivilTime
import Foundation
import GymPulse
import StrictJSON
import StudyTimer
import TestSupport
import Testing
import TimeTracker

@Suite struct PeriodSummaryTests {
    private let berlin = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)

    private func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }

    private func activity(
        _ name: String,
        _ start: String,
        _ end: String?,
        _ members: JSONObject = JSONObject()
    ) -> TrackerActivity {
        TrackerActivity(
            id: "\(name) \(start)",
            name: name,
            start: moment(start),
            end: end.map(moment),
            unknownMembers: members
        )
    }

    private func week(_ activities: [TrackerActivity], now: String = "2030-01-01T00:00:00Z") throws -> PeriodSummary {
        PeriodSummary(of: try day("2026-03-02").week, clock: .utc, now: moment(now).moment) { _ in activities }
    }

    @Test(arguments: [
        ("2026-02-14", "2026-02-01", "2026-02-28"), ("2024-02-29", "2024-02-01", "2024-02-29"),
        ("2026-12-31", "2026-12-01", "2026-12-31"), ("2026-04-01", "2026-04-01", "2026-04-30"),
    ])
    func months(text: String, first: String, last: String) throws {
        #expect(try day(text).month == day(first)...day(last))
    }

    @Test func daysAheadAreNotUnaccountedFor() throws {
        let week = try week([], now: "2026-03-03T06:00:00Z")
        #expect(week.unaccounted == .seconds(30 * 3600))
        #expect(week.length == .seconds(30 * 3600))
        #expect(week.gaps.count == 1)
    }

    @Test func gapsGoOnOverMidnight() throws {
        let week = try week([
            activity("Work", "2026-03-02T00:00:00Z", "2026-03-03T18:00:00Z"),
            activity("Work", "2026-03-04T09:00:00Z", "2026-03-09T00:00:00Z"),
        ])
        #expect(week.gaps.map(\.start) == [moment("2026-03-03T18:00:00Z").moment])
        #expect(week.gaps.map(\.end) == [moment("2026-03-04T09:00:00Z").moment])
    }

    @Test func sumsByClientHaveBilledTimeAndAmountsOnce() throws {
        let week = try week([
            activity(
                "Work",
                "2026-03-02T22:00:00Z",
                "2026-03-03T02:00:00Z",
                ["client": "A", "billable": true, "amount": "100.10 EUR"]
            ),
            activity("Work", "2026-03-04T08:00:00Z", "2026-03-04T09:00:00Z", ["client": "B", "billable": false]),
            activity("Meal", "2026-03-04T09:00:00Z", "2026-03-04T10:00:00Z"),
        ])
        let clients = week.totals(by: .client)
        #expect(clients.map(\.name) == ["A", "B", nil])
        #expect(clients.map(\.duration) == [.seconds(4 * 3600), .seconds(3600), .seconds(3600)])
        #expect(clients.map(\.billable) == [.seconds(4 * 3600), .zero, nil])
        #expect(clients.map(\.count) == [1, 1, 1])
        #expect(clients.map(\.amounts.text) == ["100.10 EUR", "", ""])
        #expect(week.totals(by: .activity).map(\.count) == [2, 1])
        #expect(week.totals.map(\.count) == [2, 1])
        #expect(week.activities.map(\.start.description) == ["02T22", "04T08", "04T09"].map { "2026-03-\($0):00:00Z" })
        #expect(week.totals(by: .project).isEmpty)
        #expect(week.billable == .seconds(4 * 3600))
        #expect(week.amounts.text == "100.10 EUR")
    }

    @Test func anAmountStandsWhereItsActivityBegins() throws {
        let month = PeriodSummary(
            of: try day("2026-03-01").month,
            clock: .utc,
            now: moment("2030-01-01T00:00:00Z").moment
        ) { _ in
            [
                activity("Night", "2026-02-28T22:00:00Z", "2026-03-01T06:00:00Z", ["amount": "800 EUR"]),
                activity("Night", "2026-03-03T22:00:00Z", "2026-03-04T02:00:00Z", ["amount": "400 EUR"]),
            ]
        }
        #expect(month.amounts.text == "400.00 EUR")
        let shown = month.days.flatMap(\.pieces).map { $0.detail(.amount) }
        #expect(shown == [nil, "400 EUR", nil])
        #expect(month.totals.map(\.count) == [2] && month.totals(by: .activity).map(\.count) == [2])
        #expect(month.days.first?.details == [] && month.activities.count == 2)
    }

    @Test func aLongTimeIsDividedIntoWeeksAndMonths() throws {
        let period = PeriodSummary(
            of: try day("2026-02-26")...(try day("2026-03-10")),
            clock: berlin,
            now: moment("2030-01-01T00:00:00Z").moment
        ) { _ in [activity("Sleep", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")] }
        #expect(period.weeks.map(\.days.count) == [4, 7, 2])
        #expect(period.months.map(\.days.count) == [3, 10])
        #expect(period.weeks.reduce(.zero) { $0 + $1.tracked } == period.tracked)
    }

    @Test(arguments: [
        (["111.11 EUR", "0.09 EUR"], "111.20 EUR"), (["1.234,56 €"], "1234.56 €"), (["$ 1,234.50", "$2"], "1236.50 $"),
        (["12"], "12.00"), (["1 234,5 EUR", "-4,5 EUR"], "1230.00 EUR"), (["0.1234 BTC"], "0.1234 BTC"),
        (["1 EUR", "1 USD"], "1.00 EUR, 1.00 USD"), (["100.- EUR", "5, EUR", "1,\u{2013} EUR"], "106.00 EUR"),
        (["+5", ".5", "-.25"], "5.25"), (["CHF 5.-", ".125 CHF"], "5.125 CHF"), (["Fr.5", "5 Fr."], "10.00 Fr."),
        (["25.00-", "30"], "5.00"), (["100.00 EUR", "25.00- EUR", "EUR 5,00-"], "70.00 EUR"),
        (["\u{2212}5 EUR", "1 EUR"], "-4.00 EUR"), (["100 eur", "100 EUR", "100 €"], "300.00 EUR"),
        (["1 €", "2 Euro"], "3.00 EUR"), (["1 eur"], "1.00 EUR"), (["1 $", "1 USD"], "1.00 $, 1.00 USD"),
        (["12 US-Dollar"], "12.00 US-Dollar"),
    ])
    func amountsAreAddedUp(texts: [String], sum: String) {
        let money = texts.reduce(into: MoneySum()) { $0.add($1) }
        #expect(money.text == sum)
        #expect(money.unreadable == 0)
    }

    @Test func aSumSaysHowManyAmountsItLacks() {
        var money = ["240 EUR", "1,250 EUR"].reduce(into: MoneySum()) { $0.add($1) }
        #expect(money.text == "240.00 EUR and 1 unreadable amount")
        money.add("1,250 USD")
        #expect(money.text == "240.00 EUR and 2 unreadable amounts")
    }

    @Test(arguments: [
        "1,234 EUR", "1.234", "EUR", "a 1 b", "1.2.3", "12,34,5", "99999999999999999999 EUR", "(5.00)", "(5.00) EUR",
        "1e3", "12 %", "5-", "5- EUR", "25.00 - EUR", "-25.00-", "3 x 50 EUR",
    ])
    func anAmountOfWhichNobodyKnowsIsCounted(text: String) {
        var money = MoneySum()
        money.add(text)
        #expect(MoneySum.isAmbiguous(text) == ["1,234 EUR", "1.234"].contains(text))
        #expect(money.unreadable == 1)
        #expect(money.text == "1 unreadable amount" && !money.isEmpty)
        #expect(MoneySum().text.isEmpty)
    }

    // MARK: Short names

    @Test func shortNamesTellActivitiesApart() {
        var random = SeededGenerator(seed: 1)
        let ids = (0..<3000).map { "\(UInt64.random(in: 0...(.max), using: &random))-\($0)" }
        let handles = ActivityHandles(ids)
        for id in ids.prefix(300) {
            let handle = handles.handle(of: id)
            #expect(handle.count >= 4 && handles.ids(matching: handle) == [id])
        }
        #expect(handles.ids(matching: "bcd").isEmpty && handles.ids(matching: "last").isEmpty)
        #expect(Set(ids.map(handles.handle)).count == ids.count)
    }

    // MARK: Study

    @Test func aSessionThatRunsCountsUntilNow() {
        let start = moment("2026-03-02T09:00:00Z")
        var session = StudySession(
            id: "s",
            deviceID: "d",
            title: "Latin",
            status: .active,
            start: start,
            accumulatedSeconds: 600
        )
        let events = [("started", 0), ("paused", 600), ("resumed", 900)].map { type, seconds in
            StudyEvent(
                id: type,
                sessionID: "s",
                type: type,
                createdAt: ZonedTimestamp(start.moment.adding(seconds: seconds))
            )
        }
        let now = start.moment.adding(seconds: 1000)
        #expect(session.seconds(events, until: now) == 700)
        session.status = .paused
        #expect(session.seconds(events, until: now) == 600)
    }
}
