import DirectorySync
import Testing
import TestSupport

@Suite("Records that are held back, and rules that keep what there was")
struct HeldRecordTests {
    @Test("A plan item of a task that is deleted goes on the device that deleted it as on others")
    func planItem() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        try laptop.addTask("t1", "Milk")
        try laptop.sql(
            "INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p', '2026-01-02', 'task', 't1')"
        )
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        #expect(try slateRows(phone.store).contains { $0.hasPrefix("day_plan_items") })
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
        #expect(try !slateRows(laptop.store).contains { $0.hasPrefix("day_plan_items") })
    }

    @Test("A moment that an app sets back, where the later one counts, is the later one again")
    func earlierMoment() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try laptop.sql("UPDATE tasks SET updated_at = '2025-01-01T00:00:00Z'")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
    }
}
