import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

/// What sync and its log tell a person: no change that nobody made, and nothing otherwise later.
@Suite("What sync tells")
struct TellingTests {
    // MARK: Conflicts

    @Test("Conflicts that another version of the program counted are counted as they are listed")
    func recountedConflicts() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try laptop.setTitle("t1", "Cream")
        try phone.setTitle("t1", "Butter")
        try laptop.setTitle("t2", "Rolls")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.sync().conflicts == 1)
        try laptop.replica().withState { state in
            for (key, count) in [("t1", 3), ("t2", 2)] { try state.setConflicts(RecordKey("tasks", key), count) }
        }
        #expect(try laptop.sync().conflicts == 5)
        laptop.environment.program = "foldersync later"
        #expect(try laptop.replica().preview().conflicts == 1)
        #expect(try laptop.sync().conflicts == 1)
        #expect(try laptop.replica().conflicts().count == 1)
        #expect(try laptop.replica().status().conflicts == 1)
        #expect(try laptop.sync().isIdle)
    }

    @Test("A state that does not tell who counted its conflicts is of an earlier program")
    func earlierState() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        try laptop.replica().withState { state in
            try state.setProperty(.countedBy, nil)
            try state.setConflicts(RecordKey("tasks", "t1"), 2)
        }
        #expect(try laptop.sync().conflicts == 0)
        #expect(try laptop.sync().isIdle)
    }
}
