import CivilTime
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync
@testable import foldersync

/// The values that a person types for a member in conflict.
@Suite("Typed values")
struct TypedValueTests {
    private static let berlin = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    private static let now = Timestamp("2030-01-02T08:00:00Z") ?? Timestamp(seconds: 0)

    /// A member of an app's records, one of the values in conflict, what is typed, and the value that it is read as.
    struct Case: Sendable {
        let app: AppID
        let place: [String]
        let choice: JSONValue
        let typed: String
        /// Nil where it is refused.
        let value: JSONValue?
        /// What the refusal says.
        var words = ""
    }

    static let cases: [Case] = [
        Case(app: .slate, place: ["tasks", "title"], choice: "a", typed: "A b", value: "A b"),
        Case(app: .slate, place: ["tasks", "title"], choice: "a", typed: "7", value: "7"),
        Case(app: .slate, place: ["tasks", "title"], choice: "a", typed: "\"q\"", value: "q"),
        Case(
            app: .slate,
            place: ["tasks", "title"],
            choice: "a",
            typed: " ",
            value: nil,
            words: "title: found \" \", expected a text that is not blank"
        ),
        Case(app: .slate, place: ["tasks", "notes"], choice: "a", typed: " ", value: " "),
        Case(app: .slate, place: ["tasks", "notes"], choice: "a", typed: "null", value: .null),
        Case(app: .slate, place: ["tasks", "due_date"], choice: .null, typed: "thursday", value: "2030-01-03"),
        Case(app: .slate, place: ["tasks", "due_date"], choice: .null, typed: "none", value: .null),
        Case(
            app: .slate,
            place: ["tasks", "due_date"],
            choice: .null,
            typed: "30 Feb",
            value: nil,
            words: "due_date: there is no such date; expected a day"
        ),
        Case(
            app: .slate,
            place: ["tasks", "done_at"],
            choice: .null,
            typed: "yesterday 14:30",
            value: "2030-01-01T14:30:00+01:00"
        ),
        Case(app: .slate, place: ["tasks", "archived"], choice: 0, typed: "yes", value: 1),
        Case(app: .slate, place: ["tasks", "archived"], choice: false, typed: "yes", value: true),
        Case(
            app: .slate,
            place: ["tasks", "archived"],
            choice: 0,
            typed: "maybe",
            value: nil,
            words: "archived: expected yes or no, found \"maybe\""
        ),
        Case(app: .slate, place: ["habits", "reminder_time"], choice: .null, typed: "07:30", value: "07:30"),
        Case(
            app: .slate,
            place: ["habits", "reminder_time"],
            choice: .null,
            typed: "7 o'clock",
            value: nil,
            words: "reminder_time: found"
        ),
        Case(app: .bztimer, place: ["presets", "workSeconds"], choice: 20, typed: "1 min 30 s", value: 90),
        Case(app: .bztimer, place: ["presets", "workSeconds"], choice: 20, typed: "45", value: 45),
        Case(
            app: .bztimer,
            place: ["presets", "workSeconds"],
            choice: 20,
            typed: "2 h",
            value: nil,
            words: "workSeconds: found"
        ),
        Case(
            app: .bztimer,
            place: ["presets", "workSeconds"],
            choice: 20,
            typed: "long",
            value: nil,
            words: "expected a length such as \"4 h 55 min\", or seconds from 1 to 1800, found \"long\""
        ),
        Case(
            app: .bztimer,
            place: ["presets", "sets"],
            choice: 2,
            typed: "many",
            value: nil,
            words: "sets: expected a whole number from 1 to 99, found \"many\""
        ),
        Case(
            app: .bztimer,
            place: ["sessions", "items", "b1", "durationSeconds"],
            choice: 20,
            typed: "1 min",
            value: 60
        ),
        Case(
            app: .bztimer,
            place: ["settings", "historyRetention"],
            choice: "3months",
            typed: "unlimited",
            value: "unlimited"
        ),
        Case(
            app: .bztimer,
            place: ["settings", "historyRetention"],
            choice: "3months",
            typed: "ever",
            value: nil,
            words: "expected one of unlimited, 3months, 6months, 12months, found \"ever\""
        ),
        Case(
            app: .tracker,
            place: ["buttons", "color"],
            choice: "#000000",
            typed: "red",
            value: nil,
            words: "color: found"
        ),
        Case(app: AppID("declared"), place: ["rows", "name"], choice: "a", typed: "free text", value: "free text"),
        Case(app: AppID("declared"), place: ["rows", "count"], choice: 3, typed: "4", value: 4),
        Case(
            app: AppID("declared"),
            place: ["rows", "count"],
            choice: 3,
            typed: "four",
            value: nil,
            words: "expected a whole number"
        ),
        Case(
            app: AppID("declared"),
            place: ["rows", "count"],
            choice: 3,
            typed: "3.7",
            value: nil,
            words: "count: expected a whole number, found \"3.7\""
        ),
        Case(app: .bztimer, place: ["presets", "sets"], choice: 2, typed: "3.0", value: 3),
    ]

    @Test("A column of a declared app takes a fraction where it is declared for one")
    func fractions() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("meds.db")
        let database = try RawDatabase(path)
        try database.run("CREATE TABLE med (id INTEGER PRIMARY KEY, dose INTEGER, weight REAL, price NUMERIC)")
        database.close()
        let declaration = try DatabaseDeclarer.declare(path, app: "meds")
        try DeclaredStores.declare(declaration, path)
        let typed = TypedValue(AppID("meds"), Self.berlin, now: Self.now, store: path)
        for (column, isTaken) in [("dose", false), ("weight", true), ("price", true)] {
            let conflict = RecordConflict(
                name: RecordName(collection: "med", key: "k", title: nil),
                kind: .value,
                path: [column],
                choices: [.init(value: 2, device: nil, milliseconds: 0, isShown: true)],
                explanation: nil
            )
            let value = try JSONDocument(parsing: "3.7").root.value
            #expect((try? typed.read("3.7", for: conflict)) == (isTaken ? .some(value) : .none), "\(column)")
            // What --choose gives is checked as well.
            #expect(((try? typed.check(value, for: conflict)) != nil) == isTaken, "\(column)")
        }
    }

    @Test("A typed value is read as the member holds it, and refused with what was expected", arguments: cases)
    func read(_ one: Case) throws {
        let conflict = RecordConflict(
            name: RecordName(collection: one.place[0], key: "k", title: nil),
            kind: .value,
            path: Array(one.place.dropFirst()),
            choices: [.init(value: one.choice, device: nil, milliseconds: 0, isShown: true)],
            explanation: nil
        )
        let typed = TypedValue(one.app, Self.berlin, now: Self.now)
        do {
            #expect(try typed.read(one.typed, for: conflict) == one.value)
        } catch {
            #expect(one.value == nil, "\(error)")
            #expect("\(error.message)".contains(one.words), "\(error.message)")
        }
    }

    @Test("Members that change together are typed as an object, of which each is checked")
    func group() throws {
        var conflict = RecordConflict(
            name: RecordName(collection: "tasks", key: "k", title: nil),
            kind: .value,
            path: ["is_done"],
            choices: [],
            explanation: nil
        )
        conflict.members = ["done_at", "is_done"]
        let typed = TypedValue(.slate, Self.berlin, now: Self.now)
        let value = try typed.read(#"{"is_done":1,"done_at":"2030-01-01T10:00:00Z"}"#, for: conflict)
        #expect(value["is_done"] == 1)
        for text in ["yes", #"{"is_done":"x"}"#, #"{"done_at":"then"}"#] {
            #expect(throws: TypedValue.Fault.self) { try typed.read(text, for: conflict) }
        }
    }
}
