import AppList
import DirectorySync
import RecordMerge
import RecordStore
import Testing
import TestSupport

@Suite("What belongs to a record that cannot sync stays with it in the store")
struct KeptHereTests {
    private static let moment = "'2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'"

    /// A record that cannot sync, with what refers to it.
    struct Kept: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let app: AppID
        /// The rows, of which all are good.
        let rows: String
        let bad: String
        let good: String
        /// Deletes the record as another program does, without what refers to it.
        let delete: String
        /// What refers to it.
        let read: String
        /// What another device has of that while the record is unknown to it, and what this one has once it is deleted.
        let without: [String]
        /// Changes something that refers to it.
        var edit: String?
    }

    private static func task(_ name: String, _ bad: String, _ good: String) -> Kept {
        Kept(
            testDescription: name,
            app: .slate,
            rows: """
                INSERT INTO tasks (id, title, created_at, updated_at, depends_on_task_id) VALUES
                ('p', 'Permit', \(moment), NULL), ('q', 'Shed', \(moment), 'p'), ('r', 'Roof', \(moment), 'q');
                INSERT INTO day_plan (date, perfect_day) VALUES ('2026-01-02', 0);
                INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES
                ('i1', '2026-01-02', 'task', 'p'), ('i2', '2026-01-02', 'task', 'q');
                """,
            bad: "UPDATE tasks SET \(bad) WHERE id = 'p'",
            good: "UPDATE tasks SET \(good) WHERE id = 'p'",
            delete: "DELETE FROM tasks WHERE id = 'p'",
            read: """
                SELECT title || ' ' || quote(depends_on_task_id) AS line FROM tasks WHERE id <> 'p'
                UNION SELECT id FROM day_plan_items ORDER BY line
                """,
            without: ["Roof 'q'", "Shed NULL", "i2"],
            edit: "UPDATE tasks SET title = 'Hut' WHERE id = 'q'"
        )
    }

    private static let kept = [
        task("a due date that no reader takes", "due_date = '2020-1-5'", "due_date = '2020-01-05'"),
        task("a note of 3 MB", "notes = hex(zeroblob(1500000))", "notes = 'short'"),
        task("a text for 0 and 1", "is_done = 'x'", "is_done = 0"),
        Kept(
            testDescription: "a habit with completions",
            app: .slate,
            rows: """
                INSERT INTO habits (id, title, active, reminder_time, created_at, updated_at) VALUES
                ('h', 'Run', 1, '07:30', \(moment));
                INSERT INTO day_plan (date, perfect_day) VALUES ('2026-01-02', 1);
                INSERT INTO habit_completions (id, habit_id, date, completed_at) VALUES
                ('c1', 'h', '2026-01-02', '2026-01-02T08:00:00Z');
                INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('i1', '2026-01-02', 'habit', 'h');
                """,
            bad: "UPDATE habits SET reminder_time = '7:30'",
            good: "UPDATE habits SET reminder_time = '07:30'",
            delete: "DELETE FROM habits",
            read: """
                SELECT id FROM habit_completions UNION SELECT id FROM day_plan_items
                UNION SELECT date || perfect_day FROM day_plan ORDER BY 1
                """,
            without: ["2026-01-021", "c1"]
        ),
        Kept(
            testDescription: "a session with history",
            app: .bztimer,
            rows: """
                INSERT INTO session (id, position, name) VALUES ('s', 1, 'Legs'), ('t', 2, 'Arms');
                INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds) VALUES
                ('s', 0, 'b1', 'Squat', 'activity', 'duration', 30);
                INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds) VALUES
                ('e1', 's', 'Legs', '2025-12-28T10:10:00Z', 600), ('e2', 't', 'Arms', '2025-12-28T11:10:00Z', 600);
                """,
            bad: "UPDATE block SET type = 'exercise'",
            good: "UPDATE block SET type = 'activity'",
            delete: "DELETE FROM block; DELETE FROM session WHERE id = 's'",
            read: "SELECT id || quote(session_id) FROM history ORDER BY id",
            without: ["e1NULL", "e2't'"]
        ),
    ]

    private func devices(_ app: AppID) throws -> (laptop: Device, phone: Device) {
        let sandbox = try Sandbox()
        return (try Device("Laptop", app, in: sandbox), try Device("Phone", app, in: sandbox))
    }

    @Test("The first publishing takes nothing from the store; corrected, it comes to all", arguments: kept)
    func firstPublishing(_ row: Kept) throws {
        let (laptop, phone) = try devices(row.app)
        for sql in [row.rows, row.bad] { try laptop.sql(sql) }
        let whole = try laptop.column(row.read)
        try laptop.makeSpace()
        let outcome = try laptop.sync()
        #expect(outcome.written == 0 && outcome.keptBack.isEmpty && outcome.issues.count == 1)
        try phone.join()
        try phone.sync()
        #expect(try phone.column(row.read) == row.without)
        #expect(try laptop.replica().status().heldBack == 0)
        var now = whole
        if let edit = row.edit {
            // An edit of another device comes in without that device's loss.
            try phone.sql(edit)
            try phone.sync()
            try laptop.sync()
            now = now.map { $0.replacing("Shed", with: "Hut") }.sorted()
        }
        // Also where all records are compared.
        try laptop.sql("DROP TRIGGER satchel_\(row.app == .slate ? "tasks" : "history")_update")
        try laptop.sync()
        #expect(try laptop.column(row.read) == now)
        #expect(try laptop.replica().verify().differing.isEmpty)
        try laptop.sql(row.good)
        for device in [laptop, phone] { #expect(try device.sync().issues.isEmpty) }
        for device in [laptop, phone] { #expect(try device.column(row.read) == now) }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
    }

    @Test("Deleted, it takes along what a deleted record does", arguments: kept)
    func deleted(_ row: Kept) throws {
        let (laptop, phone) = try devices(row.app)
        for sql in [row.rows, row.bad] { try laptop.sql(sql) }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sql(row.delete)
        for device in [laptop, phone] { #expect(try device.sync().issues.isEmpty) }
        for device in [laptop, phone] { #expect(try device.column(row.read) == row.without) }
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
    }

    @Test("A store that leaves before the correction is as it was", arguments: kept)
    func left(_ row: Kept) throws {
        let (laptop, _) = try devices(row.app)
        for sql in [row.rows, row.bad] { try laptop.sql(sql) }
        let whole = try laptop.column(row.read)
        try laptop.makeSpace()
        try laptop.sync()
        try laptop.replica().leave()
        #expect(try laptop.column(row.read) == whole)
        try laptop.join()
        try laptop.sync()
        #expect(try laptop.column(row.read) == whole)
    }

    /// Makes two devices that have a row's records, and returns what its query finds there.
    private func inStep(_ row: Kept) throws -> (laptop: Device, phone: Device, whole: [String]) {
        let (laptop, phone) = try devices(row.app)
        try laptop.sql(row.rows)
        let whole = try laptop.column(row.read)
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (laptop, phone, whole)
    }

    @Test("What became faulty later stays known as it was, whatever others do meanwhile", arguments: kept)
    func later(_ row: Kept) throws {
        let (laptop, phone, whole) = try inStep(row)
        try laptop.sql(row.bad)
        #expect(try laptop.sync().issues.count == 1)
        try phone.sync()
        for device in [laptop, phone] { #expect(try device.column(row.read) == whole) }
        // The deletion waits with the record.
        try phone.sql(row.delete)
        try phone.sync()
        #expect(try phone.column(row.read) == row.without)
        for _ in 0..<2 { try laptop.sync() }
        #expect(try laptop.column(row.read) == whole)
        try laptop.sql(row.good)
        for device in [laptop, phone, laptop, phone] { try device.sync() }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        // The correction came after the deletion, and says so.
        for device in [laptop, phone] {
            #expect(try device.column(row.read) == whole)
            #expect(try device.replica().conflicts().map(\.kind) == [.deletedRecord])
            #expect(try device.sync().isIdle)
        }
    }

    @Test("What others delete with a habit that is faulty here stays, and comes back with the habit's correction")
    func deletedTogether() throws {
        let row = Self.kept[3]
        for corrects in [true, false] {
            let (laptop, phone, whole) = try inStep(row)
            try laptop.sql(row.bad)
            try phone.sql("DELETE FROM habit_completions; DELETE FROM day_plan_items; DELETE FROM habits")
            try phone.sync()
            for _ in 0..<2 { try laptop.sync() }
            #expect(try laptop.column(row.read) == whole)
            try laptop.sql(corrects ? "UPDATE habits SET reminder_time = '08:00'" : row.delete)
            for device in [laptop, phone, laptop, phone] { try device.sync() }
            for device in [laptop, phone] {
                #expect(try device.column(row.read) == (corrects ? whole : ["2026-01-021"]))
                #expect(try device.sync().isIdle)
            }
        }
    }

    @Test("A person who ends the dependency on a record that stays here has edited it")
    func cleared() throws {
        for row in Self.kept.prefix(3) {
            let (laptop, phone) = try devices(row.app)
            for sql in [row.rows, row.bad] { try laptop.sql(sql) }
            try laptop.makeSpace()
            try laptop.sync()
            try laptop.sql("UPDATE tasks SET depends_on_task_id = NULL WHERE id = 'q'")
            try laptop.sync()
            try laptop.sql(row.good)
            try laptop.sync()
            try phone.join()
            try phone.sync()
            for device in [laptop, phone] { #expect(try device.column(row.read).contains("Shed NULL")) }
        }
    }

    @Test("A restore leaves what belongs to it alone")
    func restored() throws {
        let row = Self.kept[0]
        let (laptop, _) = try devices(row.app)
        for sql in [row.rows, row.bad] { try laptop.sql(sql) }
        let whole = try laptop.column(row.read)
        try laptop.makeSpace()
        try laptop.sync()
        let moment = laptop.time.now
        laptop.time.advance(60_000)
        try laptop.addTask("new", "Later")
        try laptop.sync()
        #expect(try laptop.replica().differences(toMoment: moment).map(\.name.key) == ["new"])
        _ = try laptop.replica().restore(at: moment)
        #expect(try laptop.column(row.read) == whole)
    }

    @Test(
        "A declared app's rows stay with a row that cannot sync",
        arguments: ["CAST(x'FF' AS TEXT)", "hex(zeroblob(1500000))"]
    )
    func declared(_ bad: String) throws {
        let schema = """
            CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT,
                folder_id INTEGER NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
                other_id INTEGER REFERENCES folder (id) ON DELETE SET NULL);
            CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT,
                note_id INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE);
            """
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], schema)
        let (laptop, phone) = (devices[0], devices[1])
        try laptop.run(
            """
            INSERT INTO folder VALUES (1, \(bad)), (2, 'good');
            INSERT INTO note VALUES (1, 'a', 1, 2), (2, 'b', 2, 1), (3, 'c', 2, 2);
            INSERT INTO line VALUES (1, 'x', 1), (2, 'y', 2);
            """
        )
        let read = """
            SELECT title || ' ' || n.folder_id || ' ' || ifnull(n.other_id, '-') FROM note n
            UNION SELECT text || note_id FROM line ORDER BY 1
            """
        let whole = try laptop.rows(read)
        try laptop.makeSpace()
        #expect(try laptop.sync().issues.count == 1)
        #expect(try laptop.rows(read) == whole)
        try phone.join()
        let titles = "SELECT title FROM note UNION SELECT text FROM line ORDER BY 1"
        #expect(try phone.rows(titles) == [#""b""#, #""c""#, #""y""#])
        #expect(try phone.rows("SELECT count(*) FROM note WHERE other_id IS NULL") == ["1"])
        try phone.run("UPDATE note SET title = 'bb' WHERE title = 'b'")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("SELECT other_id FROM note WHERE title = 'bb'") == ["1"])
        try laptop.run("UPDATE folder SET name = 'fine' WHERE id = 1")
        for device in [laptop, phone] { #expect(try device.sync().issues.isEmpty) }
        for device in [laptop, phone] {
            #expect(try device.rows(titles) == [#""a""#, #""bb""#, #""c""#, #""x""#, #""y""#])
            #expect(try device.rows("SELECT count(*) FROM note WHERE other_id IS NULL") == ["0"])
            #expect(try device.faults().isEmpty)
            #expect(try device.sync().isIdle)
        }
        // Faulty again and then deleted, it takes them along.
        try laptop.run("UPDATE folder SET name = \(bad) WHERE id = 1")
        try laptop.sync()
        try laptop.run("DELETE FROM folder WHERE id = 1")
        for device in [laptop, phone] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.rows(titles) == [#""bb""#, #""c""#, #""y""#])
            #expect(try device.faults().isEmpty)
        }
    }

    private static let chain = """
        CREATE TABLE folder (id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, folder_id TEXT REFERENCES folder (id) ON DELETE CASCADE);
        CREATE TABLE line (id TEXT PRIMARY KEY, note_id TEXT REFERENCES note (id) ON DELETE CASCADE);
        """

    /// Makes two devices in step that have a folder, a note in it, and a line of that.
    private static func chainInStep() throws -> [DeclaredDevice] {
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], chain)
        try devices[0].run(
            """
            INSERT INTO folder VALUES ('f', 'good'); INSERT INTO note VALUES ('n', 'a', 'f');
            INSERT INTO line VALUES ('l', 'n');
            """
        )
        try devices[0].makeSpace()
        try devices[0].sync()
        try devices[1].join()
        try devices[1].sync()
        return devices
    }

    @Test("What others delete with it stays with all that belongs to that, and so does what is added", arguments: 0...2)
    func deletedChain(ending: Int) throws {
        let devices = try Self.chainInStep()
        let (laptop, phone) = (devices[0], devices[1])
        let read = "SELECT id FROM note UNION SELECT id FROM line"
        // One line is added before the laptop learns of the deletion, one after it.
        try laptop.run("UPDATE folder SET name = CAST(x'FF' AS TEXT); INSERT INTO line VALUES ('k', 'n')")
        try phone.run("DELETE FROM folder")
        try phone.sync()
        for _ in 0..<2 { try laptop.sync() }
        #expect(try laptop.rows(read) == [#""k""#, #""l""#, #""n""#])
        try laptop.run("INSERT INTO line VALUES ('m', 'n')")
        for device in [laptop, phone, laptop] { try device.sync() }
        let whole = [#""k""#, #""l""#, #""m""#, #""n""#]
        #expect(try laptop.rows(read) == whole)
        #expect(try phone.rows(read).isEmpty)
        let endings = ["UPDATE folder SET name = 'good'", "UPDATE folder SET name = 'fine'", "DELETE FROM folder"]
        try laptop.run(endings[ending])
        for device in [laptop, phone, laptop, phone] { try device.sync() }
        for device in devices {
            #expect(try device.rows(read) == (ending == 2 ? [] : whole))
            #expect(try device.faults().isEmpty)
            #expect(try device.sync().isIdle)
        }
    }

    @Test("What others delete below a faulty record stays with it, though what that belongs to goes, too")
    func deletedAbove() throws {
        let devices = try Self.chainInStep()
        let (laptop, phone) = (devices[0], devices[1])
        try laptop.run("UPDATE note SET title = CAST(x'FF' AS TEXT)")
        try laptop.sync()
        try phone.run("DELETE FROM folder")
        try phone.sync()
        for _ in 0..<2 { try laptop.sync() }
        #expect(try laptop.rows("SELECT id FROM note UNION SELECT id FROM line") == [#""l""#, #""n""#])
    }

    @Test("A row of an ordered collection that is still unreadable keeps nothing against a deletion")
    func unreadableStill() throws {
        let (laptop, phone) = try devices(.bztimer)
        try laptop.sql("INSERT INTO session (id, position, name) VALUES ('s', 1, 'Legs'), ('t', 2, 'Arms')")
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sql("UPDATE session SET tags = 'x' WHERE id = 's'")
        #expect(try laptop.sync().issues.count == 1)
        try phone.sql("DELETE FROM session WHERE id = 's'")
        try phone.sync()
        try laptop.sync()
        try laptop.sql("UPDATE session SET name = 'Arm day' WHERE id = 't'")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try phone.column("SELECT name FROM session") == ["Arm day"])
        #expect(try laptop.column("SELECT name FROM session ORDER BY id") == ["Legs", "Arm day"])
        for device in [laptop, phone] { #expect(try device.replica().conflicts().isEmpty) }
    }

    @Test("What refers in turn to what stays goes with it when it is deleted without foreign keys")
    func declaredChain() throws {
        let laptop = try DeclaredDevice("Laptop", Self.chain, in: Sandbox())
        try laptop.run(
            """
            INSERT INTO folder VALUES ('f', CAST(x'FF' AS TEXT)); INSERT INTO note VALUES ('n', 'a', 'f');
            INSERT INTO line VALUES ('l', 'n');
            """
        )
        try laptop.makeSpace()
        try laptop.sync()
        #expect(try laptop.rows("SELECT id FROM note UNION SELECT id FROM line") == [#""l""#, #""n""#])
        try laptop.run("DELETE FROM folder", foreignKeys: false)
        #expect(try laptop.sync().keptBack.count == 2)
        #expect(try laptop.rows("SELECT id FROM note UNION SELECT id FROM line").isEmpty)
        #expect(try laptop.faults().isEmpty)
    }
}
