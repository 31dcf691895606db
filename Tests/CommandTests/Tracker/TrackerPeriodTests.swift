import Foundation
import StrictJSON
import TestSupport
import Testing

/// Weeks, months and other days in summaries, exports and pages.
struct TrackerPeriodTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func summary(_ store: String, _ arguments: String...) async throws -> JSONValue {
        let outcome = try await sandbox.tracker(
            ["summary", "--store", store, "--now", trackerNow, "--time-zone", "Europe/Berlin", "--format", "json"]
                + arguments
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.json
    }

    @Test("A week and a month are their days together")
    func periods() async throws {
        let store = try await sandbox.sampleLog()
        let week = try await summary(store, "--week")
        #expect(week["from"]?.string == "2026-03-02" && week["to"]?.string == "2026-03-08")
        var sum = 0
        for day in week["days"]?.array ?? [] {
            let date = try #require(day["date"]?.string)
            let single = try await summary(store, "--date", date)
            #expect(single["trackedSeconds"]?.int == day["trackedSeconds"]?.int)
            sum += day["trackedSeconds"]?.int ?? 0
        }
        #expect(sum > 0 && sum == week["trackedSeconds"]?.int)
        // Until Saturday, 19:00 in Berlin.
        #expect(week["lengthSeconds"]?.int == (5 * 24 + 19) * 3600)
        let month = try await summary(store, "--month", "--date", "2026-02-14")
        #expect(month["days"]?.array?.count == 28)
        let months = try await summary(store, "--from", "2026-02-20", "--to", "2026-03-06")
        let parts = months["months"]?.array ?? []
        #expect(parts.map { $0["month"]?.string } == ["2026-02", "2026-03"])
        let tracked = parts.reduce(0) { $0 + ($1["trackedSeconds"]?.int ?? 0) }
        #expect(tracked > 0 && tracked == months["trackedSeconds"]?.int)
        let range = try await summary(store, "--from", "-1d", "--to", "today")
        #expect(range["days"]?.array?.count == 2)
    }

    @Test(
        "Days that exclude each other are refused",
        arguments: [
            ["--week", "--month"], ["--to", "2026-03-01"], ["--from", "2026-03-02", "--to", "2026-03-01"],
            ["--from", "2026-03-02", "--date", "2026-03-03"], ["--from", "0001-01-01"],
        ]
    )
    func refusals(_ arguments: [String]) async throws {
        let store = try await sandbox.sampleLog()
        #expect(try await sandbox.tracker(["summary", "--store", store] + arguments).status == 64)
    }

    @Test("Each activity is in the table of one week; JSON stays whole; another week's file is not replaced")
    func exports() async throws {
        let store = try await sandbox.sampleLog()
        func export(_ arguments: String...) async throws -> Outcome {
            try await sandbox.tracker(
                ["export", "--store", store, "--now", trackerNow, "--time-zone", "Europe/Berlin"] + arguments
            )
        }
        var ids: [Substring] = []
        for (number, date) in ["2026-02-20", "2026-02-27", "2026-03-06"].enumerated() {
            let file = "week\(number).csv"
            #expect([0, 3].contains(try await export("--week", "--date", date, sandbox.path(file)).status))
            let rows = String(decoding: try sandbox.bytes(file), as: UTF8.self).split(separator: "\r\n").dropFirst()
            ids += rows.compactMap { $0.split(separator: ",").first }
        }
        #expect([0, 3].contains(try await export(sandbox.path("all.csv")).status))
        let all = String(decoding: try sandbox.bytes("all.csv"), as: UTF8.self).split(separator: "\r\n").count - 1
        #expect(ids.count == all && Set(ids).count == all)
        #expect(try await export("--week", sandbox.path("week.json")).status == 64)
        #expect(try await export("--week", sandbox.path("week0.csv")).status == 64)
        #expect([0, 3].contains(try await export("--month", "--yes", sandbox.path("march.ics")).status))
    }

    @Test("A day lists no amount that no sum has, its table has what its page shows, and billed overlaps are said")
    func amounts() async throws {
        let table = try sandbox.write(
            "night.csv",
            """
            Client,Project,Billable,Start date,Start time,End date,End time,Duration,Amount (EUR)
            ACME,Night,Yes,2026-03-03,22:00:00,2026-03-04,02:00:00,04:00:00,400.00
            ACME,Night,Yes,2026-03-04,01:00:00,2026-03-04,02:00:00,01:00:00,5.00
            """
        )
        let store = sandbox.path("tracker.db")
        let zone = ["--time-zone", "Europe/Berlin"]
        let made = try await sandbox.tracker(["import", table, "--store", store, "--yes"] + zone)
        #expect([0, 3].contains(made.status), "\(made.errors)")
        let options = ["--store", store, "--date", "2026-03-04", "--now", trackerNow] + zone
        let text = try await sandbox.tracker(["summary"] + options).output
        #expect(text.contains("5.00 EUR") && !text.contains("400"), "\(text)")
        #expect(text.contains("3 h, more than was tracked"), "\(text)")
        let day = try await summary(store, "--date", "2026-03-04")
        #expect(day["activities"]?.array?.map { $0["amount"]?.string } == [nil, "5.00 EUR"])
        let week = try await summary(store, "--week")
        #expect(week["totals"]?.array?.map { $0["count"]?.int } == [2])
        let pages = sandbox.path("pages")
        let now = ["--now", "2026-03-04T12:00:00+01:00"]
        let open = ["open", "--store", store, "--export", pages]
        #expect(try await sandbox.tracker(open + now + zone).status == 0)
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: pages).first { $0.hasSuffix("2026-03-04.csv") }
        )
        let rows = try String(contentsOfFile: "\(pages)/\(name)", encoding: .utf8).split { $0.isNewline }
        #expect(rows.count == 3, "\(rows)")
    }

    @Test("A page gets the name of its days, is replaced by the next one, and is opened")
    func pages() async throws {
        let store = try await sandbox.sampleLog()
        try FileManager.default.createDirectory(atPath: sandbox.path("bin"), withIntermediateDirectories: true)
        let opener = try sandbox.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" >\"${0%/*}/opened\"\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)
        let options = ["--store", store, "--now", trackerNow, "--time-zone", "Europe/Berlin"]
        for (arguments, name) in [
            ([], "report-2026-03-07.html"), (["--week"], "report-2026-W10.html"), (["--month"], "report-2026-03.html"),
            (["--from", "2026-02-25", "--to", "2026-03-01", "--gaps"], "report-2026-02-25_2026-03-01.html"),
        ] {
            for _ in 0..<2 {
                let outcome = try await sandbox.tracker(["report"] + arguments + options)
                #expect(outcome.output == "Wrote \(name).\n", "\(outcome.errors)")
            }
            #expect(sandbox.has(name))
        }
        let script =
            "PATH='\(sandbox.path("bin"))':/bin:/usr/bin '\(Built.path("tracker-export"))' report --open -o p.html \"$@\""
        let opened = try await sandbox.run("/bin/sh", ["-c", script, "sh"] + options)
        #expect(opened.status == 0, "\(opened.errors)")
        #expect(String(decoding: try sandbox.bytes("bin/opened"), as: UTF8.self) == "./p.html\n")
        try sandbox.write("notes.html", "my notes")
        #expect(try await sandbox.tracker(["report", "-o", "notes.html"] + options).status == 64)
    }
}
