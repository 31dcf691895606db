import Foundation
import StrictJSON
import Testing
import TestSupport

/// Export, import into a new store, export: the same bytes, in each format that holds all of it.
struct TrackerRoundTripTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A lossless format comes back as it was", arguments: ["json", "xml"])
    func lossless(_ ending: String) async throws {
        let store = try await sandbox.sampleLog()
        let first = try await sandbox.exportedLog(store, to: "first.\(ending)")
        let other = sandbox.path("other.db")
        let imported = try await sandbox.tracker("import", "first.\(ending)", "--store", other, "--yes")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try await sandbox.exportedLog(other, to: "second.\(ending)") == first)
        // Whatever way it came, the store holds the same.
        #expect(
            try await sandbox.exportedLog(other, to: "b.json") == (try await sandbox.exportedLog(store, to: "a.json"))
        )
    }

    @Test("Of a table and a calendar the activities come back as they were", arguments: ["csv", "ics"])
    func activities(_ ending: String) async throws {
        let store = try await sandbox.sampleLog()
        let first = try await sandbox.exportedLog(store, to: "first.\(ending)")
        let other = sandbox.path("other.db")
        let imported = try await sandbox.tracker("import", "first.\(ending)", "--store", other, "--yes")
        #expect([0, 3].contains(imported.status), "\(imported.errors)")
        let before = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "a.json")).root["activities"]?.value
        let after = try JSONDocument(parsing: await sandbox.exportedLog(other, to: "b.json")).root["activities"]?.value
        #expect(before?.array?.count ?? 0 > 100)
        #expect(before == after)
        if ending == "csv" { #expect(try await sandbox.exportedLog(other, to: "second.csv") == first) }
    }

    @Test(
        "What a format has no place for is a note, as no activity is left out",
        arguments: [("csv", "buttons"), ("ics", "buttons")]
    )
    func losses(_ format: (ending: String, loss: String)) async throws {
        let store = try await sandbox.sampleLog()
        let outcome = try await sandbox.tracker("export", "log.\(format.ending)", "--store", store)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("note[interchange.loss]"))
        #expect(outcome.errors.contains(format.loss))
        #expect(outcome.output.hasPrefix("Exported "))
    }

    @Test("Version 1 is for older apps, and comes back")
    func versions() async throws {
        let store = try await sandbox.sampleLog()
        let current = try await sandbox.exportedLog(store, to: "two.json")
        let down = try await sandbox.tracker("migrate", "two.json", "--to", "1", "--output", "one.json")
        #expect([0, 3].contains(down.status), "\(down.errors)")
        #expect(try await sandbox.tracker("validate", "one.json").output == "one.json: valid (version 1)\n")
        let up = try await sandbox.tracker("migrate", "one.json", "--to", "2", "--output", "again.json")
        #expect(up.status == 0, "\(up.errors)")
        #expect(try sandbox.bytes("again.json") == current)
        #expect(try await sandbox.tracker("migrate", "two.json", "--to", "3").status == 64)
    }

    @Test("verify proves it of a store and of files", arguments: ["json", "xml", "csv", "ics"])
    func verify(_ ending: String) async throws {
        let store = try await sandbox.sampleLog()
        try await sandbox.exportedLog(store, to: "log.\(ending)")
        let file = try await sandbox.tracker("verify", "log.\(ending)")
        #expect([0, 3].contains(file.status), "\(file.errors)")
        #expect(file.output.contains("bytes came back the same"))
        let own = try await sandbox.tracker("verify", "--store", store)
        #expect(own.status == 0, "\(own.errors)")
        #expect(own.output.contains("bytes came back the same"))
        try sandbox.write("broken.\(ending)", "{\"format\": \"tracker-export\"")
        #expect(try await sandbox.tracker("verify", "broken.\(ending)").status == 65)
    }

    @Test("A file that is no log is not replaced unasked")
    func replacing() async throws {
        let store = try await sandbox.sampleLog()
        try sandbox.write("notes.json", "{\"mine\": 1}")
        let refused = try await sandbox.tracker("export", "notes.json", "--store", store)
        #expect(refused.status == 64)
        #expect(try sandbox.bytes("notes.json") == Array("{\"mine\": 1}".utf8))
        #expect(try await sandbox.tracker("export", "notes.json", "--store", store, "--yes").status == 0)
        #expect(try await sandbox.tracker("export", "notes.json", "--store", store).status == 0)
        #expect(try await sandbox.tracker("export", "log.txt", "--store", store).status == 64)
    }
}
