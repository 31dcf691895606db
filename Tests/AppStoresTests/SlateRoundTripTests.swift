import CivilTime
import FormatKit
@testable import RecordStore
@testable import Slate
import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite struct SlateRoundTripTests {
    static let released = ["v1", "v2"].flatMap { (try? Fixtures.names(in: "slate/\($0)")) ?? [] }
        .filter { $0.hasSuffix(".json") }

    /// Database → JSON → empty database → JSON: equal bytes, and those that the content itself is written as.
    @Test(arguments: released)
    func exportsComeBackByteForByte(path: String) throws {
        let sandbox = try Sandbox()
        let reading = SlateFormat.read(try Fixtures.bytes(path), name: path)
        let content = try #require(reading.content, "\(reading.diagnostics)")
        let first = try sandbox.database("first.db", holding: content)
        let exported = try first.exported(at: content.exportedAt)
        #expect(exported == (try content.encoded()))

        let again = try #require(SlateFormat.read(exported).content)
        let second = try sandbox.database("second.db", holding: again)
        #expect(try second.exported(at: content.exportedAt) == exported)
    }

    @Test(arguments: released)
    func aSecondImportHasNothingToDo(path: String) throws {
        let sandbox = try Sandbox()
        let content = try #require(SlateFormat.read(try Fixtures.bytes(path)).content)
        _ = try sandbox.database("slate.db", holding: content)
        let before = try sandbox.bytes("slate.db")
        for mode in SlateImportMode.allCases {
            let database = try SlateDatabase(
                path: sandbox.path("slate.db"),
                for: .writing(mustExist: true, upgrading: false)
            )
            let result = try database.importing(content, .test(mode))
            #expect(result.plan.isEmpty)
            #expect(result.safetyBackup == nil)
        }
        #expect(try sandbox.bytes("slate.db") == before)
    }

    /// What was planned before is what is done, and undo brings all of it back.
    @Test(arguments: SlateImportMode.allCases)
    func planAndUndo(mode: SlateImportMode) throws {
        let sandbox = try Sandbox()
        let old = try #require(SlateFormat.read(try Fixtures.bytes(Self.released[0])).content)
        let last = try #require(Self.released.last)
        let new = try #require(SlateFormat.read(try Fixtures.bytes(last)).content)
        let before = try sandbox.database("slate.db", holding: old).exported(at: old.exportedAt)
        let path = sandbox.path("slate.db")
        let planned = try SlateDatabase(path: path, for: .reading).read { try $0.plan(new, mode: mode) }
        #expect(!planned.isEmpty)
        let database = try SlateDatabase(path: path, for: .writing(mustExist: true, upgrading: false))
        var confirmed: SlateImportPlan?
        let result = try database.importing(new, .test(mode), confirm: { confirmed = $0 })
        #expect(result.plan == planned)
        #expect(confirmed == planned)
        #expect(try database.exported(at: old.exportedAt) != before)

        let undone = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(undone.plan.copy.number == result.safetyBackup?.number)
        let after = try SlateDatabase(path: path, for: .reading).exported(at: old.exportedAt)
        #expect(after == before)
    }

    @Test func whatConfirmThrowsStopsTheImport() throws {
        let sandbox = try Sandbox()
        let content = try #require(SlateFormat.read(try Fixtures.bytes(Self.released[0])).content)
        let path = sandbox.path("new.db")
        let database = try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: true))
        #expect(throws: CancellationError.self) {
            _ = try database.importing(content, .test(.replace), confirm: { _ in throw CancellationError() })
        }
        #expect(!sandbox.has("new.db"))
        #expect(!sandbox.has("new.db.safety"))
    }
}
