import FormatKit
@testable import RecordStore
@testable import Slate
import StrictJSON
import Testing
import TestSupport

@Suite("Members that the format does not know")
struct SlateMemberTests {
    let sandbox: Sandbox
    let path: String
    static let own = """
        , "zeta": 1.0, "alpha": 1E+2, "big": 123456789012345678901234567890, "tiny": -0.0, "nested": {"b": [1, 2.50, null]}
        """

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
    }

    private func extras() throws -> [String] {
        try sandbox.rows("SELECT table_name, row_key, members FROM satchel_extra ORDER BY 1, 2")
    }

    private func content(_ task: String, meta: String = "{}", other: String = "") throws -> SlateContent {
        try SlateContent.made(meta: meta, other: other, [.tasks: [task]])
    }

    @Test func thereIsNoSideTableWithoutThem() throws {
        try sandbox.database(holding: try content(SlateRow.task("a")))
        #expect(try sandbox.rows("SELECT count(*) FROM sqlite_master WHERE name = 'satchel_extra'") == ["0"])
    }

    @Test func areKeptWithTheTokensOfTheirNumbers() throws {
        let content = try content(
            SlateRow.task("a", Self.own),
            meta: "{\"n\": 1.50, \"list\": [1E2], \"flag\": true, \"text\": \"x\", \"none\": null}",
            other: Self.own
        )
        let exported = try sandbox.database(holding: content).exported()
        #expect(try exported == content.encoded())
        let text = String(decoding: exported, as: UTF8.self)
        for token in ["1.0,", "1E+2", "123456789012345678901234567890", "-0.0", "2.50", "1.50"] {
            #expect(text.contains(token), "\(token)")
        }
        let members =
            #"{"zeta":1.0,"alpha":1E+2,"big":123456789012345678901234567890,"tiny":-0.0,"nested":{"b":[1,2.50,null]}}"#
        #expect(
            try extras() == ["||\(members)", "meta|flag|true", "meta|list|[1E2]", "meta|n|1.50", "tasks|a|\(members)"]
        )
    }

    @Test func ofDepthUpToTheLimit() throws {
        for depth in [125, 126] {
            let deep = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            let bytes = Array(
                """
                {"schema_version": 2, "exported_at": "2026-01-07T21:30:00+01:00", "meta": {"m": \(deep)}, "tasks":
                [\(SlateRow.task("a", ", \"deep\": \(deep)"))], "habits": [], "habit_completions": [], "day_plan": [],
                "day_plan_items": [], "activity_log": [], "day_snapshots": [], "top": \(deep)}
                """.utf8
            )
            let content = try SlateContent.read(bytes)
            let exported = try sandbox.database("\(depth).db", holding: content).exported()
            #expect(try exported == content.encoded())
            #expect(SlateFormat.read(exported).isValid)
        }
    }

    @Test func goWithTheirRow() throws {
        let old = try SlateContent.made([
            .tasks: [SlateRow.task("a", ", \"x\": 1"), SlateRow.task("b", ", \"x\": 2"), SlateRow.task("c")]
        ])
        try sandbox.database(holding: old)
        let new = try SlateContent.made([.tasks: [SlateRow.task("a"), SlateRow.task("c", ", \"x\": 3")]])
        let exported = try new.encoded()
        let database = try sandbox.writer()
        #expect(try database.importing(new, .test(.replace)).plan.count(.update) == 2)
        #expect(try extras() == ["tasks|c|{\"x\":3}"])
        #expect(try database.exported() == exported)
    }

    @Test func goWithTheNewerRowInAMerge() throws {
        let (early, late) = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
        let old = try SlateContent.made(
            meta: "{\"n\": 1, \"mine\": [1]}",
            other: ", \"top\": {\"a\": 1}, \"mine\": 1.0",
            [
                .tasks: [
                    SlateRow.task("a", ", \"x\": 1", at: early), SlateRow.task("b", ", \"x\": 2", at: late),
                    SlateRow.task("c", at: early), SlateRow.task("d", ", \"x\": 4", at: early),
                ]
            ]
        )
        let new = try SlateContent.made(
            meta: "{\"n\": 2, \"yours\": [2]}",
            other: ", \"top\": {\"a\": 2}, \"yours\": 2.0",
            [
                .tasks: [
                    SlateRow.task("a", ", \"y\": 1.0", at: late), SlateRow.task("b", ", \"y\": 2", at: early),
                    SlateRow.task("c", ", \"y\": 3", at: late), SlateRow.task("d", at: late),
                ]
            ]
        )
        try sandbox.database(holding: old)
        let plan = try sandbox.writer().importing(new, .test(.merge)).plan
        #expect((plan.count(.create), plan.count(.update), plan.count(.keep)) == (2, 3, 3))
        #expect(
            try extras() == [
                "||{\"top\":{\"a\":1},\"mine\":1.0,\"yours\":2.0}", "meta|mine|[1]", "meta|n|1", "meta|yours|[2]",
                "tasks|a|{\"y\":1.0}", "tasks|b|{\"x\":2}", "tasks|c|{\"y\":3}",
            ]
        )
        #expect(try sandbox.writer().importing(new, .test(.merge)).plan.isEmpty)
    }

    /// A key of `meta` that was text and is a number, and the other way round.
    @Test func aKeyOfMetaThatChangesItsKind() throws {
        let values = ["\"text\"", "1.0", "null", "{\"a\": []}", "\"\"", "false"]
        for value in values + values.reversed() {
            let content = try content(SlateRow.task("a"), meta: "{\"key\": \(value)}")
            let path = sandbox.path("slate.db")
            let database = try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: false))
            _ = try database.importing(content, .test(.replace))
            #expect(try database.exported() == content.encoded())
        }
    }

    @Test func theVersionIsThatOfTheTables() throws {
        for value in ["\"1\"", "1", "null", "\"77\"", "2"] {
            let content = try content(SlateRow.task("a"), meta: "{\"schema_version\": \(value)}")
            try sandbox.database(holding: content)
            #expect(try sandbox.rows("SELECT value FROM meta WHERE key = 'schema_version'") == ["2"])
            #expect(try sandbox.exportedText().contains("\"schema_version\": \"2\""))
        }
    }

    /// What lies in the side table for a row that the app has removed since is not seen, and not in the way.
    @Test func ofARowThatTheAppRemoved() throws {
        try sandbox.database(holding: try content(SlateRow.task("a", ", \"x\": 1")))
        try sandbox.sql("DELETE FROM tasks")
        #expect(try sandbox.exported() == SlateContent.made().encoded())
        let new = try content(SlateRow.task("b"))
        #expect(try sandbox.writer().importing(new, .test(.replace)).plan.count(.create) == 1)
        #expect(try extras() == [])
    }

    @Test(arguments: [
        ("tasks", "a", "no JSON"), ("tasks", "a", "[1]"), ("tasks", "a", "{\"a\":1,\"a\":2}"), ("meta", "k", "{"),
        ("", "", "x"),
    ])
    func aDamagedSideTableIsNamed(_ table: String, _ key: String, _ members: String) throws {
        try sandbox.database(holding: try content(SlateRow.task("a", ", \"x\": 1")))
        try sandbox.sql("INSERT OR REPLACE INTO satchel_extra VALUES ('\(table)', '\(key)', '\(members)')")
        let error = try storeError { _ = try sandbox.exported() }
        #expect(error?.code == .value)
        #expect(error?.message.contains("satchel_extra") == true, "\(error?.message ?? "")")
        try sandbox.sql("UPDATE satchel_extra SET members = x'00'")
        #expect(try storeError { _ = try sandbox.exported() }?.code == .value)
    }

    /// Another program may make the side table while this one has the database open.
    @Test func aSideTableThatComesLater() throws {
        let content = try content(SlateRow.task("a"))
        let database = try sandbox.database(holding: content)
        let reader = try SlateDatabase(path: path, for: .reading)
        #expect(try reader.exported() == content.encoded())
        let new = try self.content(SlateRow.task("a", ", \"x\": 1"))
        _ = try sandbox.writer().importing(new, .test(.replace))
        #expect(try reader.exported() == new.encoded())
        #expect(try database.exported() == new.encoded())
    }
}
