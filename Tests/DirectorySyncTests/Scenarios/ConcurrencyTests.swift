import Foundation
import Testing
import TestSupport

/// Programs that work at the same time; the numbers are those of the design's scenarios.
@Suite("Scenarios of work at the same time")
struct ConcurrencyTests {
    @Test(
        "Scenario 41: what the app writes during a synchronisation is neither lost nor overwritten",
        arguments: ScenarioApp.allCases
    )
    func appWrites(_ app: ScenarioApp) async throws {
        let sandbox = try Sandbox()
        let laptop = try Peer("Laptop", app, folder: sandbox.path("shared"))
        let phone = try Peer("Phone", app, folder: sandbox.path("shared"))
        try laptop.addTasks(10)
        try await laptop.initialise()
        try await phone.join()
        let app = Task.detached {
            for round in 0..<40 {
                for number in 0..<10 where (round + number) % 2 == 0 {
                    try laptop.setTitle("t\(number)", "round \(round)")
                }
                try laptop.addTask("added\(round)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        for round in 0..<6 {
            try phone.sql("UPDATE tasks SET due_date = '2026-02-\(10 + round)' WHERE id LIKE 't%'")
            try await phone.sync()
            let outcome = try await laptop.foldersync("sync")
            #expect([0, 75].contains(outcome.status), "\(outcome.errors)\(outcome.output)")
        }
        try await app.value
        for peer in [laptop, phone] { try await peer.sync() }
        let titles = try phone.titles()
        #expect(titles.count == 50)
        for number in 0..<10 { #expect(titles["t\(number)"] == "round \(number % 2 == 0 ? 38 : 39)") }
        #expect(try laptop.rows().count { $0.contains("due_date:\"2026-02-15\"") } == 10)
        try expectEqual(laptop, phone)
    }

    @Test("Scenario 46: files are brought together beside those who read them", arguments: ScenarioApp.allCases)
    func compaction(_ app: ScenarioApp) async throws {
        let sandbox = try Sandbox()
        let laptop = try Peer("Laptop", app, folder: sandbox.path("shared"))
        let phone = try Peer("Phone", app, folder: sandbox.path("shared"))
        try laptop.addTasks(20)
        try await laptop.initialise()
        try await phone.join()
        for round in 0..<5 {
            try laptop.addTask("round\(round)")
            async let compacted = laptop.foldersync("compact")
            async let read = phone.foldersync("sync")
            for outcome in try await [compacted, read] {
                #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
            }
            #expect(try phone.titles().count >= 20 + round)
        }
        try await phone.sync()
        try expectEqual(laptop, phone)
        let tablet = try Peer("Tablet", app, folder: phone.folder)
        try await tablet.join()
        try expectEqual(laptop, phone, tablet)
        // After the grace only what a checkpoint does not hold is left, and a new device gets all the same.
        let later = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 9 * 86_400))
        #expect(try await laptop.foldersync("compact", "--now", later).status == 0)
        let files = try Transport.files(laptop.folder)
        // Those of an encrypted folder do not tell.
        #expect(EncryptedRun.isOn || files.count { $0.hasPrefix("ckpt/") } > 0)
        let writer = try #require(try laptop.writer())
        #expect(files.count { $0.hasPrefix("w/\(writer)/") } <= 1, "\(files)")
        let late = try Peer("Late", app, folder: phone.folder)
        try await late.join()
        try expectEqual(laptop, late)
        for peer in [laptop, phone, tablet] { try await peer.sync() }
        try expectEqual(laptop, phone, tablet)
    }
}
