import AppList
import DirectorySync
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

@Suite("A device that is restored as a whole, with changes that it had not synced")
struct RestoredDeviceTests {
    /// A person's decision.
    enum Decision: CaseIterable { case discard, accept }

    private func copy(_ from: String, _ to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    /// Keeps the store and what sync has beside it.
    private func image(of device: Device) throws {
        for end in ["", ".foldersync"] { try copy(device.store + end, device.sandbox.path("image\(end)")) }
    }

    private func restore(_ device: Device) throws {
        for end in ["", ".foldersync"] { try copy(device.sandbox.path("image\(end)"), device.store + end) }
    }

    /// Another device with a copy of a device's store and of what sync has beside it.
    private func other(_ device: Device) throws -> Device {
        let other = try Device("Other", in: device.sandbox)
        for end in ["", ".foldersync"] { try copy(device.store + end, other.store + end) }
        try EncryptedRun.unlock(other.folder, other.environment)
        return other
    }

    private let tick = """
        INSERT INTO habit_completions (id, habit_id, date, completed_at)
        VALUES ('c1', 'h1', '2026-01-02', '2026-01-02T08:00:00Z')
        """

    /// A laptop, and a note that is restored from an image with changes that it synced afterwards, and that the laptop
    /// changed or deleted since.
    private func restored() throws -> (laptop: Device, note: Device) {
        let (laptop, note) = try Device.pair("Old one")
        try laptop.sql(
            """
            INSERT INTO habits (id, title, created_at, updated_at)
            VALUES ('h1', 'Stretch', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')
            """
        )
        try laptop.sync()
        try note.sync()
        for title in ["Buy ring", "Pay rent", "Call Olga"] { try note.addTask(title, title) }
        try note.sql(tick)
        try image(of: note)
        try note.sync()
        try laptop.sync()
        laptop.time.advance(86_400_000)
        try laptop.sql("DELETE FROM tasks WHERE id = 'Buy ring'; DELETE FROM habit_completions")
        try laptop.sql("UPDATE tasks SET is_done = 1, done_at = '2026-01-03T00:00:00Z' WHERE id = 'Pay rent'")
        try laptop.setTitle("Call Olga", "Call Olga on Sunday")
        try laptop.sync()
        try note.sync()
        try restore(note)
        note.time.advance(10 * 86_400_000)
        return (laptop, note)
    }

    private func done(_ device: Device) throws -> [String] {
        try device.column("SELECT title FROM tasks WHERE is_done")
    }

    @Test(
        "Sync stops before it publishes them once more, again each time, until a person decides",
        arguments: Decision.allCases
    )
    func stops(_ decision: Decision) throws {
        let (laptop, note) = try restored()
        let files = try Transport.snapshot(note.folder)
        let rows = try note.rows("tasks")
        // It says so before the first synchronisation, too.
        let foretold = try #require(note.replica().status().massChange)
        let preview = #expect(throws: SyncError.self) { try note.replica().preview() }
        #expect(preview?.message == foretold)
        var states: Set<String> = []
        var count = 0
        for _ in 1...2 {
            let error = try #require(#expect(throws: SyncError.self) { try note.sync() })
            #expect(error.code == .massChange && error.path == note.store && error.message == foretold)
            count = try #require(error.massChange)
            let words = ["copied or restored", "\"Buy ring\"", "--app slate --discard-local", "-mass-change \(count)."]
            for word in words {
                #expect(error.message.contains(word), "\(error.message)")
            }
            #expect(throws: SyncError.self) { try note.sync(.accept(count + 1)) }
            #expect(throws: SyncError.self) { try note.replica().compact() }
            #expect(try note.replica().status().massChange == foretold)
            states.insert(try note.replica().stateText())
            #expect(try Transport.snapshot(note.folder) == files)
            #expect(try note.rows("tasks") == rows)
        }
        #expect(states.count == 1)
        let outcome = try note.sync(decision == .discard ? .discard : .accept(count))
        #expect(outcome.published.isEmpty == (decision == .discard))
        for device in [laptop, note] { try device.sync() }
        #expect(try note.replica().stateText() == laptop.replica().stateText())
        for table in ["tasks", "habit_completions"] { #expect(try note.rows(table) == laptop.rows(table)) }
        if decision == .discard {
            let kept = try #require(outcome.droppedFile)
            #expect(try String(contentsOfFile: kept, encoding: .utf8).contains("Buy ring"))
            let titles = ["t1": "Old one", "Pay rent": "Pay rent", "Call Olga": "Call Olga on Sunday"]
            #expect(try note.titles() == titles)
            #expect(try done(note) == ["Pay rent"])
            #expect(try note.rows("habit_completions").isEmpty)
            #expect(try note.replica().conflicts().isEmpty)
        } else {
            #expect(try note.titles()["Buy ring"] == "Buy ring")
            #expect(try note.titles()["Call Olga"] == "Call Olga")
            #expect(try note.rows("habit_completions").count == 1)
        }
        for device in [laptop, note] { #expect(try device.sync().isIdle) }
        // From now on its changes are ordinary ones.
        try note.addTask("later", "Later")
        #expect(try note.sync().published.count == 1)
        try laptop.sync()
        #expect(try laptop.titles()["later"] == "Later")
        #expect(try note.replica().status().massChange == nil)
    }

    @Test("Commands that publish stop as well, and what only reads goes on")
    func commands() throws {
        let (_, note) = try restored()
        let files = try Transport.snapshot(note.folder)
        for _ in 1...2 {
            #expect(throws: SyncError.self) { try note.replica().repair() }
            #expect(try note.replica().verify().faults.isEmpty)
            #expect(try note.replica().conflicts().isEmpty)
        }
        #expect(try Transport.snapshot(note.folder) == files)
        try note.sync(.discard)
        #expect(try note.titles()["Buy ring"] == nil)
    }

    @Test("A copy that has nothing to publish goes on, and its next changes are asked about no more")
    func copyInStep() throws {
        let (laptop, note) = try Device.pair("Milk")
        try image(of: note)
        try note.setTitle("t1", "Oat milk")
        try note.sync()
        try restore(note)
        #expect(try note.replica().status().massChange == nil)
        #expect(try note.sync().notes.contains { $0.contains("copied or restored") })
        #expect(try note.titles() == ["t1": "Oat milk"])
        try note.addTask("later", "Later")
        #expect(try note.sync().published.count == 1)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk", "later": "Later"])
    }

    @Test("A device whose store is as the last synchronisation left it goes on as well")
    func copyAsLeft() async throws {
        let (laptop, note) = try Device.pair("Milk")
        // A file that was written just now has no fingerprint.
        try await Task.sleep(for: .milliseconds(3_100))
        try note.sync()
        let other = try other(note)
        try other.addTask("o", "of the other")
        try other.sync()
        #expect(try note.sync().notes.contains { $0.contains("copied or restored") })
        try note.addTask("later", "Later")
        #expect(try note.sync().published.count == 1)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk", "o": "of the other", "later": "Later"])
    }

    @Test("Of two copies with changes of their own, the second asks once")
    func copies() throws {
        let (laptop, note) = try Device.pair("Milk")
        let other = try other(note)
        try note.addTask("n", "of the note")
        try other.addTask("o", "of the other")
        try note.sync()
        let error = #expect(throws: SyncError.self) { try other.sync() }
        #expect(error?.massChange == 1)
        try other.sync(.accept(1))
        for device in [note, other, laptop, note] {
            try device.addTask("later of \(device.name) \(device.time.now)", "Later")
            try device.sync()
        }
        for device in [laptop, note, other] { try device.sync() }
        let titles = try laptop.titles()
        #expect(titles["n"] != nil && titles["o"] != nil && titles.count == 7)
        for device in [note, other] { #expect(try device.titles() == titles) }
    }

    @Test("An export that was taken before stops in the same way", arguments: Decision.allCases)
    func export(_ decision: Decision) throws {
        let phone = SyncDevice(id: "phone00000000000", name: "Handy")
        let (laptop, note) = try Device.pair("Milk", "Bread")
        func export(_ titles: [String: String]) -> JSONValue {
            let tasks = titles.sorted { $0.key < $1.key }.map { id, title -> JSONValue in
                [
                    "id": .string(id), "title": .string(title), "notes": nil, "due_date": nil, "scheduled_for": nil,
                    "is_done": false, "done_at": nil, "created_at": "2026-01-01T00:00:00Z",
                    "updated_at": "2026-01-01T00:00:00Z", "archived": false, "depends_on_task_id": nil,
                ]
            }
            return ["schema_version": 2, "exported_at": "2026-01-02T00:00:00Z", "tasks": .array(tasks)]
        }
        func take(_ titles: [String: String], _ moment: Int, _ decision: SyncDecision = .none) throws -> TakenExport {
            note.time.advance(1000)
            return try note.replica().take(export(titles), isWhole: true, exportedAt: moment, from: phone, decision)
        }
        _ = try take(["t1": "Milk", "t2": "Bread"], 1)
        try note.sync()
        let beside = "\(note.store).foldersync.\(phone.id)"
        try image(of: note)
        try copy(beside, note.sandbox.path("image.phone"))
        let later = ["t1": "Oat milk", "t2": "Bread"]
        _ = try take(later, 2)
        try note.sync()
        try laptop.sync()
        try laptop.setTitle("t1", "Soy milk")
        try laptop.sync()
        try restore(note)
        try copy(note.sandbox.path("image.phone"), beside)
        let files = try Transport.snapshot(note.folder)
        for _ in 1...2 {
            let error = try #require(#expect(throws: SyncError.self) { try take(later, 2) })
            #expect(error.massChange == 1 && error.message.contains("the export has changes of 1 record"))
            #expect(error.message.contains("remove the export"), "\(error.message)")
            #expect(try Transport.snapshot(note.folder) == files)
        }
        if decision == .accept { _ = try take(later, 2, .accept(1)) }
        try note.sync()
        #expect(try note.titles()["t1"] == (decision == .accept ? "Oat milk" : "Soy milk"))
        // An import is no change of the device.
        if decision == .discard {
            _ = try take(["t1": "Soy milk", "t2": "Bread"], 3)
            // All exports that lay in the inbox were taken.
            try note.replica().endRestoring(of: phone)
            guard case .taken(let outcome) = try take(["t1": "Soy milk", "t2": "Rye bread"], 4) else {
                Issue.record("not taken")
                return
            }
            #expect(outcome.published.count == 1)
        }
    }

    @Test(
        "A copy of the store from before it joined publishes nothing until a person decides",
        arguments: Decision.allCases
    )
    func beforeJoining(_ decision: Decision) throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        for number in 1...4 { try laptop.addTask("t\(number)", "Task \(number)") }
        try copy(laptop.store, sandbox.path("before"))
        try laptop.makeSpace()
        try laptop.sync()
        let phone = try Device("Phone", in: sandbox)
        try phone.join()
        for device in [phone, laptop] { try device.sync() }
        try phone.sql("DELETE FROM tasks WHERE id = 't1'")
        try phone.setTitle("t2", "Corrected")
        for device in [phone, laptop] { try device.sync() }
        try copy(sandbox.path("before"), laptop.store)
        for _ in 1...2 {
            let error = #expect(throws: SyncError.self) { try laptop.sync() }
            #expect(error?.code == .massChange && error?.massChange == 2, "\(String(describing: error))")
            #expect(try phone.sync().isIdle)
        }
        try laptop.sync(decision == .discard ? .discard : .accept(2))
        try phone.sync()
        let titles = try laptop.titles()
        #expect(try phone.titles() == titles)
        #expect((titles["t1"] == nil) == (decision == .discard))
        #expect(decision == .accept || titles["t2"] == "Corrected")
    }

    @Test("A store that was away for a time is known when it is back in its place")
    func backInPlace() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        try laptop.setTitle("t2", "Rolls")
        try copy(laptop.store, laptop.sandbox.path("right"))
        try FileManager.default.removeItem(atPath: laptop.store)
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.addTask("strange", "Strange")
        #expect(throws: SyncError.self) { try laptop.sync() }
        try copy(laptop.sandbox.path("right"), laptop.store)
        for device in [laptop, phone] {
            try device.sync()
            #expect(try device.titles() == ["t2": "Rolls"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }
}
