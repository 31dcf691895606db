import Foundation
import Testing
import TestSupport

/// Copies, older copies and devices that began apart; the numbers are those of the design's scenarios.
@Suite("Scenarios of identity and time")
struct IdentityTests {
    /// Two devices in step, each with its own copy of the directory.
    private func two(_ app: ScenarioApp, tasks: Int) async throws -> (Peer, Peer) {
        let (laptop, phone) = (try Peer("Laptop", app), try Peer("Phone", app))
        for number in 0..<tasks { try laptop.addTask("t\(number)", "Task \(number)") }
        try await laptop.initialise()
        try await laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try await phone.join()
        try await phone.sync()
        try Transport.exchange(laptop, phone)
        try await laptop.sync()
        try expectEqual(laptop, phone)
        return (laptop, phone)
    }

    /// Lets devices come in step.
    private func apply(_ peers: [Peer]) async throws {
        for _ in 1...3 {
            for one in peers {
                for other in peers where other !== one { try Transport.bring(from: one.folder, to: other.folder) }
            }
            for peer in peers { try await peer.syncAccepting() }
        }
        for peer in peers.dropFirst() { try expectEqual(peers[0], peer) }
    }

    @Test(
        "Scenario 17: of a cloned device both branches are kept, under two names, and nothing is sent twice",
        arguments: ScenarioApp.allCases
    )
    func clone(_ app: ScenarioApp) async throws {
        let (laptop, phone) = try await two(app, tasks: 200)
        let clone = try Peer(cloning: laptop)
        try laptop.setTitle("t1", "of the laptop")
        try laptop.addTask("laptop's")
        try clone.setTitle("t2", "of the clone")
        try clone.addTask("clone's")
        let whole = try Transport.snapshot(laptop.folder).values.reduce(0) { $0 + $1.count }
        for peer in [laptop, clone] { #expect(try await peer.sync().publishedBytes < whole / 3) }
        try await apply([laptop, phone, clone])
        #expect(try laptop.writer() != clone.writer())
        for round in 1...2 {
            for peer in [laptop, clone, phone] { try peer.addTask("\(round) \(try peer.writer() ?? "")") }
            try await apply([laptop, phone, clone])
        }
        let titles = try phone.titles()
        #expect(titles["t1"] == "of the laptop" && titles["t2"] == "of the clone")
        #expect(titles["laptop's"] != nil && titles["clone's"] != nil && titles.count == 208)
        let large = try Transport.snapshot(phone.folder).filter {
            !$0.key.hasPrefix("app/") && $0.value.count > whole / 3
        }
        #expect(large.count == 1, "\(large.keys)")
        for peer in [laptop, phone, clone] { #expect(try await peer.sync().isIdle) }
    }

    @Test(
        "Scenario 18: a device that was set back takes what it had published, and goes on",
        arguments: ScenarioApp.allCases,
        [true, false]
    )
    func setBack(_ app: ScenarioApp, _ withFolder: Bool) async throws {
        let (laptop, phone) = try await two(app, tasks: 3)
        let backup = try laptop.backup()
        try laptop.setTitle("t1", "before it was set back")
        try laptop.addTask("before")
        try await laptop.sync()
        try Transport.exchange(laptop, phone)
        try await phone.sync()
        try phone.removeTask("t2")
        try await phone.sync()
        try laptop.restore(backup, withFolder: withFolder)
        #expect(try laptop.titles()["before"] == nil)
        try laptop.addTask("after")
        if withFolder {
            // An older folder does not show that the device was set back.
            try await laptop.sync()
        } else {
            let files = try Transport.snapshot(laptop.folder)
            for _ in 1...2 {
                let stopped = try await laptop.sync(5)
                #expect(stopped.outcome.errors.contains("\"Task after\""), "\(stopped.outcome.errors)")
                let status = try await laptop.foldersync("status")
                #expect(status.status == 3 && status.output.contains("stops for you to decide"), "\(status.output)")
                #expect(try Transport.snapshot(laptop.folder) == files)
            }
        }
        try await apply([laptop, phone])
        #expect(
            try laptop.titles() == [
                "t0": "Task 0", "t1": "before it was set back", "before": "Task before", "after": "Task after",
            ]
        )
        for peer in [laptop, phone] { #expect(try await peer.sync().isIdle) }
    }

    /// A person's decision.
    enum Decision: CaseIterable { case discard, accept }

    @Test(
        "Scenario 19: a store from an old backup stops before a mass change",
        arguments: ScenarioApp.allCases,
        Decision.allCases
    )
    func oldStore(_ app: ScenarioApp, _ decision: Decision) async throws {
        let (laptop, phone) = try await two(app, tasks: 10)
        let old = try laptop.sandbox.bytes("store.db")
        for number in 0..<50 { try phone.addTask("new\(number)") }
        try await phone.sync()
        try Transport.exchange(laptop, phone)
        try await laptop.sync()
        let (rows, state) = (try laptop.rows(), try laptop.state())
        for name in ["store.db-wal", "store.db-shm"] { try laptop.sandbox.remove(name) }
        try laptop.sandbox.write("store.db", old)
        let files = try Transport.snapshot(laptop.folder)
        // The phone's tasks, and the list that they are in.
        let count = app == .slate ? 50 : 51
        for _ in 1...2 {
            let stopped = try await laptop.sync(5)
            #expect(stopped.outcome.errors.contains("--accept-mass-change \(count)."), "\(stopped.outcome.errors)")
            #expect(try Transport.snapshot(laptop.folder) == files)
            #expect(try laptop.state() == state)
            #expect(try laptop.titles().count == 10)
        }
        try await laptop.sync(5, "--accept-mass-change=\(count - 1)")
        try await laptop.sync(0, decision == .discard ? "--discard-local" : "--accept-mass-change=\(count)")
        try await apply([laptop, phone])
        if decision == .discard {
            #expect(try laptop.rows() == rows)
        } else {
            #expect(try phone.titles().count == 10)
        }
        for peer in [laptop, phone] { #expect(try await peer.sync().isIdle) }
    }

    @Test("Scenario 20: nothing that is no change is taken for one", arguments: ScenarioApp.allCases)
    func idle(_ app: ScenarioApp) async throws {
        let (laptop, phone) = try await two(app, tasks: 40)
        let files = try Transport.snapshot(laptop.folder)
        let quiet: [(Peer) async throws -> Void] = [
            { _ in },
            { try $0.sql("UPDATE tasks SET title = title, notes = notes") },
            { try $0.vacuum() },
            { try $0.sql("REINDEX; ANALYZE") },
            { peer in
                let bytes = try peer.sandbox.bytes("store.db")
                try peer.sandbox.remove("store.db")
                try peer.sandbox.write("store.db", bytes)
            },
            { try $0.sql(Self.rewriting) },
            { _ = try await $0.sandbox.run("/usr/bin/touch", [$0.store, $0.folder]) },
            { try $0.sql("CREATE INDEX IF NOT EXISTS idx_tasks_due ON tasks (due_date)") },
        ]
        for (index, change) in quiet.enumerated() {
            for peer in [laptop, phone] {
                try await change(peer)
                let outcome = try await peer.sync()
                #expect(outcome.publishedBytes == 0 && outcome.written == 0, "\(index): \(outcome.outcome.output)")
                #expect(try await peer.sync().isIdle, "\(index)")
            }
        }
        #expect(try Transport.snapshot(laptop.folder) == files)
        #expect(try Set(Transport.files(phone.folder)) == Set(files.keys))
        try expectEqual(laptop, phone)
    }

    private static let habit = """
        INSERT INTO habits (id, title, created_at, updated_at)
        VALUES ('h', 'Read', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')
        """

    private static let rewriting = """
        CREATE TEMP TABLE kept AS SELECT * FROM tasks WHERE id = 't1';
        DELETE FROM tasks WHERE id = 't1';
        INSERT INTO tasks SELECT * FROM kept;
        """

    @Test(
        "Scenario 25: of two devices that began apart both spaces are seen, and adopt joins them without duplicates",
        arguments: ScenarioApp.allCases
    )
    func apart(_ app: ScenarioApp) async throws {
        let (laptop, phone) = (try Peer("Laptop", app), try Peer("Phone", app))
        for peer in [laptop, phone] {
            try peer.addTask("both", "The same on both")
            try peer.addTask(peer.name)
            // Something else that both have: a habit, or the list of the tasks.
            try peer.sql(
                app == .slate
                    ? Self.habit : "UPDATE list SET name = 'Read' WHERE name <> 'Inbox'"
            )
            try await peer.initialise()
        }
        try Transport.exchange(laptop, phone)
        let before = try laptop.rows()
        // Who has joined one goes on in it, and is told.
        let apart = try await laptop.sync(3)
        #expect(apart.outcome.output.contains("let foldersync merge-spaces"), "\(apart.outcome.output)")
        #expect(try laptop.rows() == before)
        #expect(try await laptop.foldersync("merge-spaces", laptop.folder).status == 0)
        try Transport.exchange(laptop, phone)
        #expect(try await phone.foldersync("merge-spaces", phone.folder).status == 0)
        try await apply([laptop, phone])
        #expect(try Set(laptop.titles().keys) == ["both", "Laptop", "Phone"])
        #expect(try await laptop.sync().conflicts == 0)
        try phone.addTask("afterwards")
        try await apply([laptop, phone])
        #expect(try laptop.titles()["afterwards"] != nil)
    }
}
