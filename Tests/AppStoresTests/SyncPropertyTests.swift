@testable import FormatKit
@testable import RecordStore
@testable import BZTimer
@testable import Slate
@testable import AppList
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

/// Random statements of an app and random edits of other devices: what is changed is noted, and what is written is there.
///
/// Each case is a seed, which is printed with what fails.
@Suite struct SyncPropertyTests {
    @Test(arguments: AppID.reserved, 0..<12)
    func allIsNotedAndWritten(app: AppID, seed: Int) throws {
        let sandbox = try Sandbox()
        try AppStores.all.make(app, at: sandbox.path("store.db"))
        let store = try sandbox.linked("store.db")
        var random = SyncStatementPool(app, seed: UInt64(seed))
        // All versions of each record that there ever were.
        var seen: [StoreRecordKey: [JSONObject]] = [:]
        var generation = 1
        for step in 0..<25 {
            let before = try store.all()
            let revision = try store.journal().revision
            if random.chance(3) {
                let edits = random.edits(before, seen)
                let ids = before.keys.filter { store.wholeCollections.contains($0.collection) && $0.key != "" }
                var orders = Dictionary(grouping: ids, by: \.collection).mapValues { $0.map(\.key) }
                for name in orders.keys { orders[name]?.shuffle(using: &random.random) }
                if random.chance(2) { orders = [:] }
                generation += 1
                var expected = before
                let refused = unreadable(edits, store, before)
                for edit in edits where !refused.contains(edit.key) { expected[edit.key] = edit.object }
                if refused.isEmpty {
                    #expect(try store.apply(edits, orders: orders, generation: generation))
                } else {
                    let error = try storeError { try store.apply(edits, orders: orders, generation: generation) }
                    #expect(error?.code == .rejected, "step \(step)")
                    let found = try store.all()
                    #expect(found == before, "step \(step)")
                    let link = SyncLink.test(generation)
                    var reasons: [StoreRecordKey: String] = [:]
                    let isWritten = try store.write(expecting: revision, link: link) { writer in
                        reasons = try writer.applyFitting(edits, orders: orders)
                    }
                    #expect(isWritten && Set(reasons.keys) == refused, "step \(step): \(reasons)")
                }
                let found = try store.all()
                #expect(comparable(found, app) == comparable(expected, app), "step \(step)")
                #expect(try store.journal().keys == [])
                for (name, order) in orders {
                    let (lie, order) = (try store.ids(of: name).map(ScalarKey.init), order.map(ScalarKey.init))
                    #expect(lie.filter(order.contains) == order.filter(lie.contains), "step \(step)")
                }
            } else {
                let statements = (0...random.below(8)).map { _ in random.statement() }
                try sandbox.plain("store.db").writeWithoutTransaction { database in
                    for statement in statements {
                        do {
                            try database.execute(sql: statement)
                        } catch let error as DatabaseError
                            where error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH
                        {
                            // The app's affair.
                        }
                    }
                }
                #expect(try store.unnoted(since: before) == [], "step \(step): \(statements)")
                #expect(try store.journal().isIntact)
                if try store.all() != before { #expect(try store.journal().revision > revision) }
            }
            for (key, object) in try store.all() { seen[key, default: []].append(object) }
        }
        #expect(seen.count > 2)
    }

    /// The records that the app's programs could not read, and that the store does not have like that already.
    private func unreadable(
        _ edits: [SyncEdit],
        _ store: any SyncStore,
        _ before: [StoreRecordKey: JSONObject]
    ) -> Set<StoreRecordKey> {
        let refused = edits.filter { edit in
            // The others are asked before anything is written.
            guard store.app == .bztimer, let object = edit.object, object != before[edit.key] else { return false }
            return store.fault(of: object, in: edit.key.collection) != nil
        }
        return Set(refused.map(\.key))
    }

    /// Records without what the store works out, or may give other values.
    private func comparable(_ records: [StoreRecordKey: JSONObject], _ app: AppID) -> [StoreRecordKey: JSONObject] {
        let composite = ["habit_completions", "day_plan_items"]
        var result: [StoreRecordKey: JSONObject] = [:]
        for (key, object) in records {
            let derived = ["position", "duration", "last_open_date"]
            let local = ["isProUser", "enableSounds", "enableVibration", "keepScreenAwakeDuringSession", "timeZone"]
            var left = JSONObject.members(of: object) { !derived.contains($0) && !local.contains($0) }
            if composite.contains(key.collection) { left["id"] = nil }
            // A session that is removed takes its name out of history.
            if app == .bztimer, key.collection == "history" { left["sessionId"] = nil }
            // The document has no record for these alone.
            if left.isEmpty, key.collection == "" || key.collection == "settings" { continue }
            result[key] = left
        }
        return result
    }
}

/// Makes statements from tables and the values that their columns may have.
struct SyncStatementPool {
    var random: SeededGenerator
    private let tables: [(name: String, columns: [(name: String, values: [String])])]

    private static let conflicts = [
        "", "", "OR REPLACE", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK",
    ]

    init(_ app: AppID, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        tables = Self.tables(app)
    }

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
    private mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    mutating func statement() -> String {
        let table = pick(tables)
        let conflict = pick(Self.conflicts)
        let (column, other) = (pick(table.columns), pick(table.columns))
        switch below(5) {
        case 0: return "DELETE FROM \(table.name) WHERE \(column.name) = \(pick(column.values))"
        case 1, 2:
            return "UPDATE \(conflict) \(table.name) SET \(column.name) = \(pick(column.values)) "
                + "WHERE \(other.name) = \(pick(other.values))"
        default:
            let values = table.columns.map { pick($0.values) }.joined(separator: ", ")
            let names = table.columns.map(\.name).joined(separator: ", ")
            return "INSERT \(conflict) INTO \(table.name) (\(names)) VALUES (\(values))"
        }
    }

    /// Records become what they were at some time, or go.
    mutating func edits(
        _ now: [StoreRecordKey: JSONObject],
        _ seen: [StoreRecordKey: [JSONObject]]
    ) -> [SyncEdit] {
        var edits: [SyncEdit] = []
        for key in seen.keys.sorted() where chance(3) {
            let isGone = chance(3) && key.collection != "meta"
            edits.append(SyncEdit(key, isGone ? nil : pick(seen[key] ?? [[:]])))
        }
        return edits
    }

    private static let ids = ["'a'", "'b'", "'A'", "'é'", "'e\u{301}'", "'a' || char(0)", "'\"\\'", "char(10)"]
    private static let texts = ["''", "'x'", "'🏋️'", "char(8232)", "'null'"]
    private static let times = ["'2026-01-01T08:00:00Z'", "'2026-01-01T09:30:00+02:00'"]
    private static let days = ["'2026-01-01'", "'2026-01-02'"]
    private static let extras = ["NULL", "NULL", "'{\"z\":1.0}'", "'{\"y\":[null]}'"]

    private static func tables(_ app: AppID) -> [(name: String, columns: [(name: String, values: [String])])] {
        switch app {
        case .slate: slate
        case .tracker:
            [
                (
                    "activity",
                    [
                        ("key", ["1", "2", "3", "NULL"]), ("id", ids), ("name", texts.filter { $0 != "''" }),
                        ("button_id", ids + ["NULL"]), ("start_ms", ["0", "5"]), ("end_ms", ["NULL", "60000"]),
                        ("color", ["NULL", "'#000000'"]), ("extra", extras),
                    ]
                ),
                (
                    "button",
                    [
                        ("key", ["1", "2", "3", "NULL"]), ("id", ids), ("name", texts), ("color", ["'#000000'"]),
                        ("icon", texts), ("is_default", ["0", "1"]), ("position", ["0", "1", "7"]),
                        ("is_visible", ["0", "1"]), ("extra", extras),
                    ]
                ),
                ("property", [("name", ["'envelope'"]), ("value", ["'{\"a\":1}'", "'{\"b\":1}'"])]),
            ]
        case .bztimer: bztimer
        default:
            [
                (
                    "session",
                    [
                        ("rowid", ["1", "2", "NULL"]), ("id", ids), ("device_id", texts), ("title", texts),
                        ("status", ["'active'", "'completed'"]), ("start_time", ["'2026-01-01T08:00:00Z'"]),
                        ("end_time", ["NULL", "'2026-01-01T08:10:00Z'"]), ("accumulated_seconds", ["0", "9"]),
                        ("extra", extras),
                    ]
                ),
                (
                    "event",
                    [
                        ("id", ids), ("session_id", ids), ("event_type", ["'started'", "'paused'", "'x'"]),
                        ("created_at", ["'2026-01-01T08:00:00Z'", "'2026-01-01T08:05:00Z'"]), ("extra", extras),
                    ]
                ),
            ]
        }
    }

    private static let slate: [(name: String, columns: [(name: String, values: [String])])] = [
        (
            "tasks",
            [
                ("id", ids), ("title", texts), ("notes", texts + ["NULL"]), ("is_done", ["0", "1"]),
                ("created_at", times), ("updated_at", times), ("depends_on_task_id", ["NULL", "'a'"]),
            ]
        ),
        (
            "habits",
            [("id", ids), ("title", texts), ("active", ["0", "1"]), ("created_at", times), ("updated_at", times)]
        ),
        ("habit_completions", [("id", ids), ("habit_id", ids), ("date", days), ("completed_at", times)]),
        ("day_plan", [("date", days), ("perfect_day", ["0", "1"])]),
        (
            "day_plan_items",
            [("id", ids), ("date", days), ("entity_type", ["'task'", "'habit'"]), ("entity_id", ["'a'", "'b'"])]
        ),
        (
            "activity_log",
            [
                ("rowid", ["1", "2", "NULL"]), ("id", ids), ("timestamp", times), ("entity_type", ["'task'"]),
                ("entity_id", ids), ("action_type", ["'x'"]), ("details", ["NULL", "'{ \"a\": 1.50 }'", "'no JSON'"]),
            ]
        ),
        ("day_snapshots", [("date", days), ("habits", ["NULL", "'[1, 2]'", "'{}'"])]),
        (
            "satchel_extra",
            [
                ("table_name", ["'tasks'", "'habit_completions'", "'day_plan_items'", "'day_plan'"]),
                ("row_key", ids + days), ("members", ["'{\"z\":1.0}'", "'{\"y\":[null]}'"]),
            ]
        ),
        ("satchel_extra", [("table_name", ["'meta'"]), ("row_key", ["'k'", "'l'"]), ("members", ["1", "'[2.0]'"])]),
        (
            "satchel_extra",
            [("table_name", ["''"]), ("row_key", ["''"]), ("members", ["'{\"own\":1}'", "'{\"own\":2}'"])]
        ),
        ("meta", [("key", ["'k'", "'day_start'"]), ("value", ["NULL", "'04:00'"])]),
    ]

    private static let bztimer: [(name: String, columns: [(name: String, values: [String])])] = {
        let ids = Self.ids.filter { !$0.contains("char(0)") }
        let positions = ["0", "1", "2"]
        // Some records are none that the app's programs could read.
        let timing = [
            ("mode", ["'duration'", "'duration'", "'reps'"]), ("duration_seconds", ["5", "7"]),
            ("reps", ["NULL", "8"]),
            ("per_rep_seconds", ["NULL", "3"]), ("category", ["NULL", "NULL", "'c'"]), ("extra", extras),
        ]
        return [
            (
                "session",
                [
                    ("rowid", ["1", "2", "NULL"]), ("id", ids), ("position", positions), ("name", texts),
                    ("tags", ["NULL", "'[\"t\"]'"]), ("extra", extras),
                ]
            ),
            (
                "block",
                [
                    ("session_id", ids), ("position", positions), ("id", ids), ("label", texts),
                    ("type", ["'activity'", "'activity'", "'rest'"]),
                ] + timing
            ),
            ("block", [("session_id", ids), ("position", positions), ("id", ids + ["NULL"]), ("label", texts)]),
            (
                "template",
                [("id", ids), ("position", positions), ("label", texts), ("type", ["'activity'"])] + timing
            ),
            (
                "history",
                [
                    ("id", ids), ("session_id", ids + ["NULL"]), ("session_name", texts), ("completed_at", times),
                    ("total_duration_seconds", ["0", "60", "NULL"]), ("extra", extras),
                ]
            ),
            (
                "preset",
                [
                    ("id", ids), ("position", positions), ("name", texts), ("get_ready_seconds", ["0", "10"]),
                    ("work_seconds", ["20", "20", "NULL"]), ("rest_seconds", ["10"]), ("sets", ["1", "3"]),
                    ("rounds", ["1", "8"]), ("sound_enabled", ["0", "1"]), ("voice_enabled", ["0", "1"]),
                ]
            ),
            (
                "settings",
                [
                    ("id", ["1"]), ("warning_seconds_before_end", ["NULL", "7"]), ("is_pro_user", ["0", "1"]),
                    ("custom_categories", ["'[\"a\"]'"]),
                ]
            ),
        ]
    }()
}
