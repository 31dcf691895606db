import CivilTime
import CommandSupport
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import TestSupport
import Testing

@testable import DirectorySync
@testable import foldersync

@Suite("What foldersync says")
struct ReportTests {
    private let phone = SyncDevice(id: "aaaaaaaaaaaaaaaa", name: "Ada's \u{1B}[31mphone")
    private let target = Target(
        folder: JoinedFolder(path: "/share", space: "fedcba9876543210"),
        store: JoinedStore(app: .slate, path: "/s.db")
    )
    private let words = ValueWords(.slate, .utc)
    private let clock = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)

    private func touched(_ title: String?, _ action: SyncedChange.Action = .changed, _ members: [String] = [])
        -> SyncedChange.RecordChange
    {
        let name = RecordName(collection: "tasks", key: "t1", title: title)
        return SyncedChange.RecordChange(name: name, action: action, members: members)
    }

    private func change(_ records: [SyncedChange.RecordChange]) throws -> SyncedChange {
        let writer = try #require(WriterID("abcdefabcdef"))
        let counts = SyncedChange.Action.allCases.map { action in
            SyncedChange.Count(
                collection: "tasks",
                action: action,
                count: records.count { $0.action == action }
            )
        }
        return SyncedChange(
            device: phone,
            dot: Dot(writer, 3),
            milliseconds: 1_772_900_000_000,
            records: records,
            counts: counts.filter { $0.count > 0 }
        )
    }

    @Test("Few records by name, many by number; texts cannot steer the terminal")
    func records() throws {
        var outcome = SyncOutcome(app: "slate", store: "/s.db")
        outcome.received = [
            try change([touched("Mi\u{1B}lk", .changed, ["title", "notes"]), touched(nil, .deleted)])
        ]
        outcome.published = [try change((0..<7).map { touched("T\($0)", $0 == 0 ? .deleted : .added) })]
        #expect(
            SyncReport(outcome).text(target) == """
                Slate: published 7 records: added 6 tasks; deleted task "T0"
                Slate: took 2 records from Ada's \\u{1b}[31mphone: changed task "Mi\\u{1b}lk" (title, notes), deleted task t1

                """
        )
        #expect(SyncReport(outcome, isDryRun: true).text(target).contains("would take 2 records"))
    }

    @Test("Of many records the deleted ones are named by the titles that persons gave them")
    func deletedAmongMany() throws {
        let most = 20
        let records =
            [touched("Renamed", .changed, ["title"])] + (0..<23).map { touched("T\($0)", .deleted) }
            + (0..<4).map { _ in touched(nil, .deleted) }
        let list = RecordWords.list(try change(records))
        #expect(list.hasPrefix("changed 1 task; deleted task \"T0\", task \"T1\", "), "\(list)")
        #expect(list.hasSuffix(", task \"T\(most - 1)\", 7 more tasks"), "\(list)")
        // A completion has no title of its own, but its day and its habit.
        var completion = touched("2026-01-07", .deleted)
        completion.owner = "Run"
        let completions = try change(Array(repeating: completion, count: 9))
        #expect(RecordWords.list(completions) == "deleted 9 tasks")
        #expect(RecordWords.list(try change(records), titles: 0) == "changed 1 task; deleted 27 tasks")
    }

    @Test("What waits, is held, damaged, or cannot be published is said with its reason, and counts")
    func issues() {
        var outcome = SyncOutcome(app: "slate", store: "/s.db")
        outcome.issues = SyncIssue.Kind.allCases.map {
            SyncIssue(kind: $0, path: $0 == .missing ? "" : "w/x", device: phone, message: "because")
        }
        let report = SyncReport(outcome)
        let text = report.text(target)
        for words in ["a change of Ada's", "is held (w/x): because", "is damaged (w/x)", "is not downloaded (w/x)"] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(report.status == .findings)
        #expect(report.lasting(target) == text)
        #expect(!report.didSomething)
        outcome.outbox = (2, "no room")
        #expect(SyncReport(outcome).status == .unpublished)
        #expect(SyncReport(outcome).text(target).contains("2 changes cannot be published, kept until"))
    }

    @Test("Nothing to do is said once asked for, and a conflict even then")
    func idle() {
        var outcome = SyncOutcome(app: "slate", store: "/s.db")
        #expect(SyncReport(outcome).text(target) == "Slate: in step, nothing to do\n")
        #expect(SyncReport(outcome).text(target, saysIdle: false).isEmpty)
        outcome.conflicts = 1
        #expect(SyncReport(outcome).text(target).contains("1 conflict stands"))
        #expect(SyncReport(outcome).text(target, saysIdle: false).isEmpty)
    }

    @Test("The status names what each device has not confirmed")
    func status() {
        func peer(_ name: String, this: Bool = false, _ last: Int?, waiting: Int = 0, unseen: Int? = 0)
            -> ReplicaStatus.Peer
        {
            let device = SyncDevice(id: String(repeating: name.prefix(1).lowercased(), count: 16), name: name)
            var peer = ReplicaStatus.Peer(device: device, isThis: this, lastChange: last, waiting: waiting)
            peer.unconfirmed = this ? nil : unseen
            return peer
        }
        var registry = Registry(device: nil)
        registry.devices["dddddddddddddddd"] = OtherDevice(isRetired: true)
        let status = ReplicaStatus(
            app: "slate",
            store: "/s.db",
            folder: "/share",
            space: "fedcba9876543210",
            records: 1,
            unpublished: nil,
            outbox: 2,
            conflicts: 0,
            peers: [
                peer("A", this: true, 1_772_900_000_000), peer("B", 0, unseen: 3),
                peer("C", nil, waiting: 1, unseen: nil),
                peer("D", 0, unseen: 9),
            ],
            issues: [],
            folderFault: nil
        )
        let lines = StatusReport(status, registry).text(target, clock).split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("Slate, /s.db in /share: 1 record, the next sync finds out what was changed"))
        #expect(lines[2] == "A       2026-03-07T17:13:20+01:00  this device")
        #expect(lines[3].hasSuffix("3 changes not yet confirmed"))
        #expect(lines[4].contains("never") && lines[4].hasSuffix("1 change of it cannot be used yet"))
        #expect(lines[5].hasSuffix("retired"))
        #expect(StatusReport(status, registry).exitStatus == .unpublished)
    }

    @Test("Status says what to do about rejected records, and tells devices of one name apart")
    func rejected() throws {
        func peer(_ id: String, this: Bool = false) -> ReplicaStatus.Peer {
            let device = SyncDevice(id: String(repeating: id, count: 16), name: "Laptop")
            return ReplicaStatus.Peer(device: device, isThis: this, lastChange: nil, waiting: 0)
        }
        let record = RecordName(collection: "tasks", key: "t1", title: "Milk")
        let issue = SyncIssue(kind: .rejected, path: "", device: nil, message: "too many", record: record)
        let status = ReplicaStatus(
            app: "slate",
            store: "/s.db",
            folder: "/share",
            space: "fedcba9876543210",
            records: 1,
            unpublished: 0,
            outbox: 0,
            conflicts: 0,
            peers: [peer("a", this: true), peer("b")],
            issues: [issue],
            folderFault: nil
        )
        let report = StatusReport(status, Registry(device: nil))
        let text = report.text(target, clock)
        #expect(text.contains("\"Milk\" is rejected: too many\n") && text.contains("forget --record NAME"))
        #expect(text.contains("Laptop (aaaaaaaaaaaaaaaa)") && text.contains("Laptop (bbbbbbbbbbbbbbbb)"), "\(text)")
        #expect(report.exitStatus == .findings)
        #expect(report.json["issues"]?.array?.first?["kind"] == "rejected")
    }

    @Test("A device that has only joined is found by its whole name, of which the others know the beginning")
    func cutName() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        let name = "Anna's Laptop \u{1F5A5}\u{FE0F} Zuhause"
        phone.environment.device.name = name
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sync()
        func found(_ text: String) throws -> SyncDevice? {
            try? KnownDevices(try laptop.replica().devices(), Registry(device: nil), []).find(text)
        }
        #expect(try found(name)?.id == phone.environment.device.id)
        #expect(try found("Anna's")?.id == phone.environment.device.id)
        #expect(try found("Anna's desk") == nil && found("Zuhause, elsewhere") == nil)
        // An encrypted folder has a note with the whole name.
        #expect(try found(name)?.name == (EncryptedRun.isOn ? name : "Anna's Lapto"))
        try phone.addTask("t1", "Milk")
        for device in [phone, laptop] { try device.sync() }
        #expect(try found("zuhause")?.name == name)
    }

    @Test("A choice is what the words say, and none where they do not fit")
    func choices() throws {
        func choice(_ value: JSONValue?, _ device: SyncDevice?, _ time: Int, shown: Bool = false)
            -> RecordConflict.Choice
        {
            .init(value: value, device: device, milliseconds: time, isShown: shown)
        }
        let other = SyncDevice(id: "bbbbbbbbbbbbbbbb", name: "Tower")
        func conflict(_ kind: Conflict.Kind, _ choices: [RecordConflict.Choice]) -> RecordConflict {
            let name = RecordName(collection: "tasks", key: "t1", title: "Milk")
            return RecordConflict(name: name, kind: kind, path: ["title"], choices: choices, explanation: nil)
        }
        let three = conflict(
            .value,
            [choice("a", phone, 5, shown: true), choice("b", other, 1), choice(nil, other, 3)]
        )
        func decide(_ text: String) -> ConflictDecision.Value? {
            Taking(text)?.decision(of: three, this: phone.id)
        }
        #expect(decide("shown") == .shown)
        #expect(decide("2") == .choice(1))
        #expect(decide("4") == nil && decide("0") == nil && decide("other") == nil && decide("removed") == nil)
        #expect(decide("\"x\"") == .value("x"))
        #expect(decide("null") == .value(.null))
        #expect(Taking("") == nil && Taking("99999999999999999999") == nil && Taking("{") == nil)
        #expect(Taking.mine.decision(of: three, this: phone.id) == .choice(0))
        #expect(Taking.theirs.decision(of: three, this: phone.id) == .choice(2))
        #expect(Taking.device("Tower").decision(of: three, this: phone.id) == .choice(2))
        #expect(Taking.device("Nobody").decision(of: three, this: phone.id) == nil)
        let deleted = conflict(.deletedRecord, [])
        #expect(Taking.removed.decision(of: deleted, this: phone.id) == .removed)
        #expect(Taking.shown.decision(of: deleted, this: phone.id) == .shown)
        #expect(Taking.mine.decision(of: deleted, this: phone.id) == nil)
        var told = deleted
        told.sides = [
            .init(device: other, milliseconds: 1, isRemoval: false),
            .init(device: phone, milliseconds: 2, isRemoval: true),
            .init(device: nil, milliseconds: 3, isRemoval: false),
        ]
        #expect(Taking.mine.decision(of: told, this: phone.id) == .removed)
        #expect(Taking.theirs.decision(of: told, this: phone.id) == .shown)
        #expect(Taking.device("Tower").decision(of: told, this: phone.id) == .shown)
        #expect(Taking(all: "shown").decision(of: told, this: phone.id) == .shown)
        #expect(Taking.other.decision(of: told, this: phone.id) == nil)
        #expect(ConflictReport(told, words).heading.contains("changed on Tower and an unknown device; it is kept"))
        #expect(
            ConflictReport(deleted, words).heading.hasSuffix("deleted on one device, changed on another; it is kept")
        )
        #expect(Taking.removed.decision(of: conflict(.moved, []), this: phone.id) == nil)
    }

    @Test("The most severe code counts, and what the libraries' errors mean")
    func codes() throws {
        #expect(ExitStatus.mostSevere([.findings, .notNow, .unpublished]) == .notNow)
        #expect(ExitStatus.mostSevere([.massChange, .notNow]) == .massChange)
        #expect(ExitStatus.mostSevere([.inputOutput, .badData]) == .inputOutput)
        #expect(CommandSupport.ExitStatus.mostSevere([]) == .success)
        #expect(failure(SyncError(.massChange, "m", path: "/s"))?.status == .massChange)
        #expect(failure(SyncError(.busy, "m", path: "/s"))?.status == .notNow)
        #expect(failure(DirectoryError(.empty, "m", path: "/d"))?.status == .notNow)
        #expect(failure(DirectoryError(.otherSpace, "m", path: "/d"))?.status == .badData)
        #expect(failure(StoreError(.busy, "m", path: "/s"))?.status == .notNow)
        #expect(failure(StoreError(.notFound, "m", path: "/s"))?.status == .noInput)
        #expect(failure(CancellationError()) == nil)
        let error = try #require(failure(DirectoryError(.absent, "no such folder", path: "/d")))
        #expect(error.description == "/d: error[directory.absent]: no such folder")
    }
}
