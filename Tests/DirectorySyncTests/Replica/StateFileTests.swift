import SQLiteDatabase
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
}
