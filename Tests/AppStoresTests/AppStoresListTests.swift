@testable import RecordStore
@testable import AppList
import StrictJSON
import TestSupport
import Testing

/// Which store a file is, and many records at once.
@Suite struct SyncStoresTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test(arguments: AppID.reserved)
    func aStoreIsKnownByItself(app: AppID) throws {
        let path = sandbox.path("folder/store")
        try AppStores.all.make(app, at: path)
        #expect(try AppStores.all.app(of: path) == app)
        let store = try AppStores.all.open(path)
        #expect(store.app == app && store.path == path)
        #expect(try store.read { try $0.link } == nil)
        #expect(try store.journal() == SyncJournal(keys: [], revision: 0, isIntact: false))
        #expect(try store.all().keys.allSatisfy { $0.collection == "meta" })
        #expect(try storeError { try AppStores.all.make(app, at: path) }?.code == .cannotOpen)
        #expect(try !store.apply([]))
        try store.setLink(.test())
        #expect(try AppStores.all.open(path).read { try $0.link } == .test())
    }

    /// It is not taken for the document's own members, which it would replace.
    @Test(arguments: AppID.reserved)
    func aRecordWithoutAPlaceIsRefused(app: AppID) throws {
        let path = sandbox.path("folder/store")
        try AppStores.all.make(app, at: path)
        let store = try AppStores.all.open(path)
        try store.setLink(.test())
        let own = try object(#"{"x-preserved": {"a": 1}}"#)
        if app != .bztimer { #expect(try store.apply([SyncEdit(StoreRecordKey("", ""), own)])) }
        let before = try store.all()
        let single = try #require(["meta", "settings", ""].first(where: store.collections.contains))
        for key in [StoreRecordKey("laps", "x"), StoreRecordKey("laps", ""), StoreRecordKey(single, "x")] {
            for object in [try object(#"{"id": "x", "laps": 2}"#), nil] {
                let error = try storeError { try store.apply([SyncEdit(key, object)], generation: 3) }
                #expect(error?.code == .rejected && error?.message.contains("no place") == true, "\(key)")
                #expect(try store.all() == before, "\(key)")
            }
        }
        #expect(store.fault(of: own, in: "laps") == "the store has no place for it")
    }

    @Test func whatIsNoStoreIsNone() throws {
        try sandbox.sql("CREATE TABLE t (a)", in: "other.db")
        _ = try sandbox.write("text.db", "no database, whatever it is called")
        #expect(try AppStores.all.app(of: sandbox.path("other.db")) == nil)
        #expect(try AppStores.all.app(of: sandbox.path("text.db")) == nil)
        #expect(try storeError { _ = try AppStores.all.app(of: sandbox.path("none.db")) }?.code == .notFound)
        let error = try storeError { _ = try AppStores.all.open(sandbox.path("other.db")) }
        #expect(error?.code == .foreign)
        #expect(error?.message.hasPrefix("the file is no store of BZ Timer, Time Tracker or Study Timer; ") == true)
    }

    @Test func newerStoresAreRefused() throws {
        try AppStores.all.make(.tracker, at: sandbox.path("tracker.db"))
        try sandbox.sql("PRAGMA user_version = 9", in: "tracker.db")
        #expect(try storeError { _ = try AppStores.all.app(of: sandbox.path("tracker.db")) }?.code == .newerVersion)
        try sandbox.appDatabase()
        try sandbox.sql("UPDATE meta SET value = '3'")
        #expect(try storeError { _ = try AppStores.all.open(sandbox.path("slate.db")) }?.code == .newerVersion)
    }

    @Test func anAppThatIsUpdatedMeanwhileIsNoticed() throws {
        try AppStores.all.make(.study, at: sandbox.path("timer.db"))
        let study = try sandbox.linked("timer.db")
        try sandbox.sql("PRAGMA user_version = 9", in: "timer.db")
        #expect(try storeError { try study.apply([]) }?.code == .newerVersion)
        try sandbox.appDatabase()
        let slate = try sandbox.linked("slate.db")
        try sandbox.sql("UPDATE meta SET value = '3' WHERE key = 'schema_version'")
        #expect(try storeError { _ = try slate.all() }?.code == .newerVersion)
        #expect(try storeError { try slate.apply([]) }?.code == .newerVersion)
        #expect(try storeError { try slate.setLink(.test()) }?.code == .newerVersion)
    }

    /// Then the triggers are out of the way, and back at the end.
    @Test func manyRecordsAtOnce() throws {
        try AppStores.all.make(.tracker, at: sandbox.path("tracker.db"))
        let store = try sandbox.linked("tracker.db")
        let edits = try (0..<2_500).map { number in
            let text = #"{"id": "a\#(number)", "name": "A", "startTime": "2026-01-01T08:00:00Z", "z": \#(number)}"#
            return SyncEdit(StoreRecordKey("activities", "a\(number)"), try object(text))
        }
        let revision = try store.journal().revision
        let done = try store.write(expecting: revision, link: .test(2)) { writer in
            try writer.apply(Array(edits[..<900]), orders: [:])
            try writer.apply(Array(edits[900..<1_700]), orders: [:])
            try writer.apply(Array(edits[1_700...]), orders: [:])
        }
        #expect(done)
        let journal = try store.journal()
        #expect(journal.isIntact && journal.keys == [] && journal.revision > revision)
        #expect(try store.read { try $0.count("activities") } == 2_500)
        #expect(try store.read { try $0.link } == .test(2))
        try sandbox.sql("UPDATE activity SET name = 'B' WHERE id = 'a7'", in: "tracker.db")
        #expect(try store.noted() == ["activities a7"])

        // Where it fails, all is as it was, the triggers too.
        let bad = edits.map { SyncEdit($0.key, nil) } + [SyncEdit(StoreRecordKey("activities", "x"), [:])]
        #expect(try storeError { try store.apply(bad) }?.code == .rejected)
        #expect(try store.noted() == ["activities a7"])
        #expect(try store.read { try $0.count("activities") } == 2_500)
    }
}
