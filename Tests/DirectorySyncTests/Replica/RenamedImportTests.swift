import AppList
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

/// A phone whose app gives imported sessions identifiers of its own.
@Suite("A device whose app renames what it imports")
struct RenamedImportTests {
    private let phone = SyncDevice(id: "phone00000000000", name: "Phone")
    private let laptop: Device
    /// The sessions and activities of the phone.
    private var app: JSONObject = ["sessions": [], "activities": []]

    init() throws {
        laptop = try Device("Laptop", .bztimer, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        try take("bztimer/v3/leg-day.json", from: SyncDevice(id: "tablet0000000000", name: "Tablet"))
        app = try #require(Self.fixture("bztimer/v1/morning-stretch.json").value.object)
        try export(at: 1)
        #expect(try sessions().count == 2)
    }

    private static func fixture(_ name: String) throws -> InboxDocument { try read(Fixtures.bytes(name)) }

    private static func read(_ bytes: [UInt8]) throws -> InboxDocument {
        guard case .document(let document) = try InboxReading(bytes, name: "export", AppStores.all.inboxes) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return document
    }

    private func take(_ fixture: String, from device: SyncDevice) throws {
        let document = try Self.fixture(fixture)
        _ = try laptop.replica().take(document.value, isWhole: false, exportedAt: nil, from: device)
        try laptop.sync()
    }

    private func sessions() throws -> [String] { try laptop.column("SELECT name FROM session ORDER BY position") }

    /// Exports the phone's sessions; the laptop takes them, and writes its file for the phone.
    @discardableResult
    private func export(at moment: Int) throws -> [SyncedChange] {
        laptop.time.advance(1000)
        let taken = try laptop.replica().take(.object(app), isWhole: false, exportedAt: moment, from: phone)
        guard case .taken(let outcome) = taken else { return [] }
        try laptop.sync()
        _ = try laptop.replica().offer(file(), to: phone)
        return outcome.published
    }

    /// The file that the laptop writes for the phone.
    private func file() throws -> JSONValue {
        let format = try #require(AppStores.all.inbox(of: .bztimer))
        let store = try AppStores.all.open(laptop.store)
        let moment = "2026-01-02T00:00:00Z"
        let document = try StoreDocument.read(store, as: format, generator: "test", exportedAt: moment)
        return try Self.read(InboxOutput(format, document).bytes).value
    }

    /// Imports a session of the file as the app does.
    private mutating func importSession(_ name: String, as id: String) throws {
        var session = try #require(try file()["sessions"]?.array?.first { $0["name"]?.string == name })
        session["id"] = .string(id)
        let blocks = (session["items"]?.array ?? []).enumerated().map { index, block in
            var block = block
            block["id"] = .string("\(id)-\(index)")
            return block
        }
        session["items"] = .array(blocks)
        app["sessions"] = .array((app["sessions"]?.array ?? []) + [session])
    }

    private mutating func edit(_ id: String, _ change: (inout JSONValue) -> Void) {
        app["sessions"] = .array(
            (app["sessions"]?.array ?? []).map { session in
                var session = session
                if session["id"]?.string == id { change(&session) }
                return session
            }
        )
    }

    @Test mutating func `an imported session is the delivered one, also when the phone edits it`() throws {
        let name = try #require(try sessions().first { $0 != app["sessions"]?.array?.first?["name"]?.string })
        try importSession(name, as: "x1")
        #expect(try laptop.replica().awaitsImport(by: phone))
        #expect(try export(at: 2) == [])
        #expect(try !laptop.replica().awaitsImport(by: phone))
        #expect(try sessions().count == 2)
        let ids = try laptop.column("SELECT id FROM block ORDER BY id")
        edit("x1") { session in
            session["name"] = "Legs"
            var blocks = session["items"]?.array ?? []
            blocks[0]["label"] = "Walk"
            session["items"] = .array(blocks)
        }
        #expect(try export(at: 3).count == 1)
        #expect(try sessions().contains("Legs") && sessions().count == 2)
        #expect(try laptop.column("SELECT id FROM block ORDER BY id") == ids)
        #expect(try laptop.column("SELECT label FROM block WHERE label = 'Walk'").count == 1)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test mutating func `a newer import beside the older one is the same session, until that is edited`() throws {
        let own = try #require(app["sessions"]?.array?.first)
        let (id, name) = try (#require(own["id"]?.string), #require(own["name"]?.string))
        try laptop.sql("UPDATE session SET name = 'Evening' WHERE name = '\(name)'")
        try laptop.sync()
        _ = try laptop.replica().offer(file(), to: phone)
        try importSession("Evening", as: "x2")
        for moment in 2...3 {
            #expect(try export(at: moment) == [])
            #expect(try sessions().count == 2)
        }
        edit("x2") { $0["name"] = "Night" }
        try export(at: 4)
        #expect(try sessions().contains("Night") && sessions().count == 2)
        edit(id) { $0["name"] = "Dawn" }
        try export(at: 5)
        let all = try sessions()
        #expect(all.contains("Night") && all.contains("Dawn") && all.count == 3, "\(all)")
        #expect(try export(at: 6) == [])
        #expect(try laptop.sync().conflicts == 0)
    }
}
