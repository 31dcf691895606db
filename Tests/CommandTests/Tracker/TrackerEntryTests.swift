import Foundation
import StrictJSON
import TestSupport
import Testing

/// Entries and buttons, listed and changed, and changes taken back.
struct TrackerEntryTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @discardableResult
    private func log(_ arguments: String..., at now: String = "2026-03-07T18:00:00Z") async throws -> Outcome {
        var options = ["--store", sandbox.path("log.db")]
        if arguments.first != "buttons" { options += ["--time-zone", "Europe/Berlin"] }
        if !["buttons", "undo"].contains(arguments.first) { options += ["--now", now] }
        return try await sandbox.tracker(arguments + options)
    }

    /// A store with work from 09:00 to 12:00 and a meal until 13:00.
    private func makeLog() async throws {
        #expect(try await log("init").status == 0)
        #expect(try await log("entries", "add", "work", "--start", "9:00", "--end", "12:00").status == 0)
        #expect(try await log("entries", "add", "Meal", "--start", "12:00", "--end", "13:00").status == 0)
    }

    private func entries(_ more: String...) async throws -> [JSONValue] {
        let outcome = try await sandbox.tracker(
            ["entries", "--store", sandbox.path("log.db"), "--now", "2026-03-07T18:00:00Z", "--format", "json"]
                + ["--time-zone", "Europe/Berlin"] + more
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.json["entries"]?.array ?? []
    }

    private func buttons() async throws -> [JSONValue] {
        let outcome = try await sandbox.tracker("buttons", "--store", sandbox.path("log.db"), "--format", "json")
        return try outcome.json["buttons"]?.array ?? []
    }

    @Test("An entry is changed by its short name, its id or as the last, and undo takes it back")
    func edit() async throws {
        try await makeLog()
        let first = try #require(try await entries().first)
        let (short, id) = (first["shortName"]?.string ?? "", first["id"]?.string ?? "")
        let changes: [(entry: String, arguments: [String], member: String, value: String)] = [
            (short, ["--end", "11:30"], "endTime", "2026-03-07T11:30:00+01:00"),
            (id, ["--start", "yesterday 08:15"], "startTime", "2026-03-06T08:15:00+01:00"),
            (short.uppercased(), ["--note", "Offer"], "description", "Offer"),
            (short, ["--button", "study"], "name", "Study"),
        ]
        for change in changes {
            let outcome = try await sandbox.tracker(
                ["entries", "edit", change.entry] + change.arguments
                    + [
                        "--store", sandbox.path("log.db"), "--now", "2026-03-07T18:00:00Z", "--time-zone",
                        "Europe/Berlin",
                    ]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let found = try await entries("--week").first { $0["id"]?.string == id }
            #expect(found?[change.member]?.string == change.value)
        }
        for _ in changes { #expect(try await log("undo").status == 0) }
        #expect(try await entries().first == first)
        #expect(try await log("entries", "edit", "last", "--end", "13:30").status == 0)
        #expect(try await entries().last?["endTime"]?.string == "2026-03-07T13:30:00+01:00")
    }

    @Test("An end after midnight is one of the next day, and an end before the start is refused")
    func times() async throws {
        try await makeLog()
        #expect(try await log("entries", "add", "Sleep", "--start", "yesterday 23:00", "--end", "07:00").status == 0)
        #expect(try await entries().first?["endTime"]?.string == "2026-03-07T07:00:00+01:00")
        let wrong = try await log("entries", "edit", "last", "--end", "2026-03-07 08:00")
        #expect(wrong.status == 64)
        #expect(try await entries().last?["endTime"]?.string == "2026-03-07T13:00:00+01:00")
        let (begin, next) = ("2026-03-05 09:00", "2026-03-06 09:00")
        let same = try await log("entries", "add", "Work", "--start", begin, "--end", "09:00")
        #expect(same.status == 64 && same.errors.contains("\"\(next)\""), "\(same.errors)")
        #expect(try await log("entries", "add", "Work", "--start", begin, "--end", next).status == 0)
        #expect(try await log("entries", "edit", "last", "--end", "12:00").status == 64)
        #expect(try await entries().last?["endTime"]?.string == "2026-03-07T13:00:00+01:00")
        #expect(try await log("entries", "edit", "last").status == 64)
        #expect(try await log("entries", "edit", "nope", "--note", "x").status == 66)
    }

    @Test("What overlaps is done and named; a second one that runs is refused")
    func overlaps() async throws {
        try await makeLog()
        let outcome = try await log("entries", "edit", "last", "--start", "11:00")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[tracker.overlap]"))
        #expect(try await log("start", "Break").status == 0)
        let second = try await log("entries", "edit", try await shortName(of: "Work"), "--running")
        #expect(second.status == 65)
        #expect(second.errors.contains("[tracker.state]"))
        #expect(try await entries().filter { $0["endTime"]?.string == nil }.count == 1)
    }

    private func shortName(of name: String) async throws -> String {
        try await entries().first { $0["name"]?.string == name }?["shortName"]?.string ?? ""
    }

    @Test("A split makes two of one, with the amount at the first; a deletion is taken back whole")
    func splitAndDelete() async throws {
        try await makeLog()
        let work = try await shortName(of: "Work")
        #expect(
            try await log("entries", "edit", work, "--client", "Big Company", "--billable", "--amount", "90 EUR").status
                == 0
        )
        #expect(try await log("entries", "split", work, "10:30", "--button", "Study").status == 0)
        let parts = try await entries()
        #expect(parts.map { $0["name"]?.string } == ["Work", "Study", "Meal"])
        #expect(parts.map { $0["client"]?.string } == ["Big Company", "Big Company", nil])
        #expect(parts.map { $0["amount"]?.string } == ["90 EUR", nil, nil])
        #expect(parts[0]["endTime"]?.string == parts[1]["startTime"]?.string)
        #expect(try await log("entries", "split", work, "14:00").status == 64)
        #expect(try await log("entries", "delete", work).status == 0)
        #expect(try await entries().count == 2)
        #expect(try await log("undo").status == 0)
        #expect(try await entries() == parts)
    }

    @Test("An amount that no sum can take is refused", arguments: ["1.000 €", "3 x 50 EUR", "much"])
    func amountOfNoSum(amount: String) async throws {
        try await makeLog()
        let outcome = try await log("entries", "edit", "last", "--amount", amount)
        #expect(outcome.status == 64 && outcome.errors.contains("--amount \"\(amount)\""), "\(outcome.errors)")
        #expect(try await entries().allSatisfy { $0["amount"]?.string == nil })
    }

    @Test(
        "A value that begins with a dash is written with an equals sign, and the message says so",
        arguments: [("--note", "- call with Bob"), ("--note", "- bob"), ("--amount", "-12.50 EUR")]
    )
    func dashes(option: String, value: String) async throws {
        try await makeLog()
        let refused = try await log("entries", "edit", "last", option, value)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("write \(option)='\(value)' for a value that begins"), "\(refused.errors)")
        #expect(try await log("entries", "edit", "last", "\(option)=\(value)").status == 0)
    }

    @Test("An empty text removes an amount, also one that a report brought; undo brings it back")
    func emptyAmount() async throws {
        try sandbox.write(
            "report.csv",
            "Project,Start,End,Amount (EUR)\nWork,2026-03-07 09:00,2026-03-07 10:00,90.00\n"
        )
        let store = ["--store", sandbox.path("log.db"), "--time-zone", "Europe/Berlin"]
        #expect(try await sandbox.tracker(["import", "report.csv", "--yes"] + store).status == 0)
        #expect(try await entries().first?["amount"]?.string == "90.00 EUR")
        let removed = try await log("entries", "edit", "last", "--amount", "")
        #expect(removed.status == 0 && removed.output.contains("amount: none"), "\(removed.output)")
        #expect(try await entries().first?["amount"]?.string == nil)
        #expect(try await sandbox.tracker(["import", "report.csv", "--yes"] + store).status == 0)
        #expect(try await entries().first?["amount"]?.string == nil)
        #expect(try await log("undo").status == 0)
        #expect(try await entries().first?["amount"]?.string == "90.00 EUR")
    }

    @Test("Start and stop are taken back; what changed since is not")
    func undo() async throws {
        try await makeLog()
        #expect(try await log("start", "Work", at: "2026-03-07T14:00:00Z").status == 0)
        #expect(try await log("start", "Break", at: "2026-03-07T15:00:00Z").status == 0)
        #expect(try await log("undo").status == 0)
        let all = try await entries()
        #expect(all.count == 3)
        #expect(all.last?["endTime"]?.string == nil)
        // Another program changes the entry.
        try await sandbox.exportedLog(sandbox.path("log.db"), to: "log.json")
        let text = String(decoding: try sandbox.bytes("log.json"), as: UTF8.self)
        try sandbox.write(
            "log.json",
            text.replacingOccurrences(of: "2026-03-07T15:00:00+01:00", with: "2026-03-07T14:30:00+01:00")
        )
        let store = sandbox.path("log.db")
        #expect(try await sandbox.tracker("import", "log.json", "--update", "--yes", "--store", store).status == 0)
        let refused = try await log("undo")
        #expect(refused.status == 65, "\(refused.output)")
        #expect(try await entries().count == 3)
        #expect(try await log("init", at: "2026-03-07T18:00:00Z").status == 73)
    }

    @Test("Buttons get a colour, an icon, a place and a name; deleting hides them")
    func editButtons() async throws {
        #expect(try await log("init").status == 0)
        #expect(try await log("buttons", "add", "Garden", "--icon", "🌱", "--order", "2").status == 0)
        var all = try await buttons()
        #expect(all.map { $0["position"]?.int } == Array(0..<9))
        #expect(all[1]["name"]?.string == "Garden" && all[1]["icon"]?.string == "🌱")
        #expect(Set(all.compactMap { $0["color"]?.string }).count == 9)
        #expect(
            try await log("buttons", "edit", "garden", "--color", "#123456", "--rename", "Yard", "--order", "99").status
                == 0
        )
        all = try await buttons()
        #expect(all.last?["name"]?.string == "Yard" && all.last?["color"]?.string == "#123456")
        #expect(try await log("buttons", "delete", "Yard").status == 0)
        #expect(try await buttons().last?["isVisible"]?.bool == false)
        #expect(try await log("buttons", "delete", "Yard").status == 64)
        for command in [["start", "yard"], ["entries", "add", "yard", "--start", "9:00", "--end", "10:00"]] {
            let outcome = try await sandbox.tracker(
                command + ["--store", sandbox.path("log.db"), "--now", "2026-03-07T18:00:00Z", "--time-zone", "UTC"]
            )
            #expect(outcome.errors.contains("The button \"Yard\" is hidden. To show it: "), "\(outcome.errors)")
            #expect(outcome.errors.contains("buttons edit Yard --show --store "), "\(outcome.errors)")
            #expect(try await log("undo").status == 0)
        }
        #expect(try await log("buttons", "edit", "Yard", "--show").status == 0)
        #expect(try await buttons().last?["isVisible"]?.bool == true)
        for _ in 0..<4 { #expect(try await log("undo").status == 0) }
        #expect(try await buttons().map { $0["name"]?.string }.contains("Garden") == false)
        #expect(try await log("undo").status == 66)
        for wrong in [
            ["add", "Work"], ["add", " "], ["add", "X", "--color", "red"], ["edit", "Work"],
            ["edit", "Work", "--rename", "meal"],
        ] {
            let outcome = try await sandbox.tracker(["buttons"] + wrong + ["--store", sandbox.path("log.db")])
            #expect(outcome.status == 64, "\(wrong): \(outcome.output)")
        }
    }

    @Test(
        "Entries that end or begin in the future, as a clock was ahead, are named by status, without a negative length"
    )
    func future() async throws {
        try await makeLog()
        #expect(try await log("start", "Study", at: "2026-03-07T19:00:00Z").status == 0)
        func status(at now: String) async throws -> String {
            try await sandbox.tracker("status", "--store", sandbox.path("log.db"), "--now", now).output
        }
        let early = try await status(at: "2026-03-07T11:30:00Z")
        #expect(early.contains("\"Study\" is running and begins in the future"), "\(early)")
        #expect(early.contains("entries edit running --start TIME"), "\(early)")
        #expect(early.contains("\"Meal\" ends in the future"), "\(early)")
        #expect(!early.contains(", -"), "\(early)")
        let late = try await status(at: "2026-03-07T20:00:00Z")
        #expect(late.hasPrefix("Running \"Study\"") && !late.contains("future"), "\(late)")
    }
}
