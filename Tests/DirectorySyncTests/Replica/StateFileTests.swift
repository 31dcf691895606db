import FileSystem
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@testable import DirectorySync

@Suite("The file beside a store")
struct StateFileTests {
    @Test("A full disk is not said to have changed nothing: the store may be written by then")
    func fullDisk() {
        let error = #expect(throws: SyncError.self) {
            try StateFile(path: "/slate.db.foldersync").translating { () throws -> Void in
                throw DatabaseError(resultCode: .SQLITE_FULL)
            }
        }
        #expect(error?.code == .inputOutput && error?.message.contains("the next sync goes on") == true)
        #expect(error?.message.contains("nothing was changed") == false)
    }

    @Test("Who waits for a file that leave removes does not go on with it")
    func removedMeanwhile() throws {
        let sandbox = try Sandbox()
        let file = StateFile(path: sandbox.path("slate.db.foldersync"))
        let queue = try file.open(making: true, lockTimeout: 0)
        #expect(try FileStatus(file.path)?.permissions == 0o600)
        let thread = Thread {
            Thread.sleep(forTimeInterval: 0.05)
            try? file.remove()
            try? queue.close()
        }
        thread.start()
        let error = #expect(throws: SyncError.self) { try file.open(making: false, lockTimeout: 20) }
        #expect(error?.code == .notJoined)
        #expect(!file.exists)
    }
}
