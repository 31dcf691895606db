import DirectorySync
import Testing
import TestSupport

@Suite("Databases that do something of their own when they are written")
struct SideEffectTests {
    private func expectInStep(_ laptop: Device, _ phone: Device) throws {
        for device in [phone, laptop, phone] { try device.sync() }
        #expect(try phone.sync().isIdle)
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
    }

    @Test(
        "What a trigger leaves out or changes is held back, and is no edit of this device",
        arguments: [
            "BEFORE UPDATE OF title ON tasks WHEN NEW.title = 'Beer' BEGIN SELECT raise(IGNORE); END",
            "AFTER UPDATE OF title ON tasks BEGIN UPDATE tasks SET title = upper(title) WHERE id = NEW.id; END",
        ]
    )
    func changed(_ trigger: String) throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.sql("CREATE TRIGGER own \(trigger)")
        try phone.sync()
        try laptop.setTitle("t1", "Beer")
        try laptop.sql("UPDATE tasks SET notes = 'Rye' WHERE id = 't2'")
        try laptop.sync()
        let outcome = try phone.sync()
        let held = try #require(outcome.issues.first)
        #expect(outcome.issues.count == 1 && held.kind == .rejected && held.record?.key == "t1")
        #expect(held.message.contains("the trigger \"own\" of the database"), "\(held.message)")
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Bread"])
        // An edit of another member does not publish the old title as well.
        try phone.sql("UPDATE tasks SET notes = 'cold' WHERE id = 't1'")
        for device in [phone, laptop] { try device.sync() }
        #expect(try laptop.titles()["t1"] == "Beer")
        try phone.sql("DROP TRIGGER own")
        try expectInStep(laptop, phone)
        #expect(try phone.titles() == ["t1": "Beer", "t2": "Bread"])
    }

    @Test("A new record that a trigger leaves out, and a deletion that it prevents")
    func leftOut() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.sql("CREATE TRIGGER one BEFORE INSERT ON tasks BEGIN SELECT raise(IGNORE); END")
        try phone.sql("CREATE TRIGGER two BEFORE DELETE ON tasks BEGIN SELECT raise(IGNORE); END")
        try phone.sync()
        try laptop.addTask("t3", "Salt")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'")
        try laptop.sync()
        let held = try phone.sync().issues
        #expect(Set(held.compactMap(\.record?.key)) == ["t2", "t3"])
        #expect(held.first?.message.contains("one of the database's triggers \"one\", \"two\"") ?? false)
        // Where all is compared, what is missing is no deletion, and what is left no addition.
        try phone.sql("DROP TRIGGER satchel_tasks_insert")
        #expect(try phone.sync().published.isEmpty)
        for name in ["one", "two"] { try phone.sql("DROP TRIGGER \(name)") }
        try expectInStep(laptop, phone)
        #expect(try phone.titles() == ["t1": "Milk", "t3": "Salt"])
    }

    @Test("What the database does to a record that was edited since the last sync is seen as well")
    func noted() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.sql(
            """
            CREATE TRIGGER own AFTER INSERT ON tasks BEGIN
                DELETE FROM tasks WHERE id = 't1' AND NEW.title = 'Salt';
                UPDATE tasks SET notes = 'Then came ' || NEW.title WHERE id = 't2';
            END
            """
        )
        try phone.sync()
        for id in ["t1", "t2"] { try phone.setTitle(id, "Edited \(id)") }
        try laptop.addTask("t3", "Salt")
        try laptop.addTask("t4", "Oil")
        try laptop.sync()
        #expect(try phone.sync().issues.compactMap(\.record?.key) == ["t3"])
        #expect(try phone.titles() == ["t1": "Edited t1", "t2": "Edited t2", "t4": "Oil"])
        for device in [phone, laptop] { try device.sync() }
        #expect(try laptop.titles()["t1"] == "Edited t1")
        #expect(try slateRows(laptop.store).contains { $0.contains("Then came Oil") })
        try phone.sql("DROP TRIGGER own")
        try expectInStep(laptop, phone)
    }

    @Test("A record that would throw out another is held back; one that is changed with it is an edit of this device")
    func others() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.sql(
            """
            CREATE TRIGGER own AFTER INSERT ON tasks BEGIN
                DELETE FROM tasks WHERE id = 't1' AND NEW.title = 'Salt';
                UPDATE tasks SET notes = 'Then came ' || NEW.title WHERE id = 't2';
            END
            """
        )
        try phone.sync()
        try laptop.addTask("t3", "Salt")
        try laptop.addTask("t4", "Oil")
        try laptop.sync()
        let outcome = try phone.sync()
        #expect(outcome.issues.compactMap(\.record?.key) == ["t3"])
        #expect(outcome.issues.first?.message.contains("removed the record \"t1\" of tasks") ?? false)
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Bread", "t4": "Oil"])
        for device in [phone, laptop] { try device.sync() }
        #expect(try slateRows(laptop.store).contains { $0.contains("Then came Oil") })
        try phone.sql("DROP TRIGGER own")
        try expectInStep(laptop, phone)
    }
}
