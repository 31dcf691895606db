import Foundation
import AppList
import RecordStore
import TestSupport
import Testing

@Suite("Pages over stores and folders that change while they are open") struct MeanwhilePageTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static func form(_ text: String, in page: String) throws -> PageForm {
        try #require(PageForm.all(in: page).first { $0.content.contains(text) }, "\(text)")
    }

    @Test("Of two tabs that decide the same conflict the first decides, and the second is told")
    func twoDecisions() async throws {
        let (laptop, _) = try await Device.contested(in: sandbox)
        try await laptop.withPages { client in
            let page = try client.page("/conflicts").body
            let mine = try Self.form("Keep the value of Laptop for title", in: page)
            let theirs = try Self.form("Keep the value of Tower &lt;b&gt; for title", in: page)
            let first = try client.submit(mine)
            #expect(first.status == 200)
            let second = try client.submit(theirs)
            #expect(second.status == 422 && second.body.contains("decided meanwhile"))
            #expect(try laptop.tasks() == ["Oat milk: two"])
            // Both tabs take it back: once it happens, once nothing is different.
            let undo = try Self.form("Undo", in: first.body)
            #expect(try client.submit(undo).body.contains("Taken back"))
            #expect(try laptop.tasks() == ["Soy <i>milk: two"])
            #expect(try client.submit(undo).body.contains("Nothing is different"))
            #expect(try laptop.tasks() == ["Soy <i>milk: two"])
            #expect(try client.page("/conflicts").body.contains("for title"))
        }
    }

    @Test("Two tabs that undo the same restore undo it once")
    func twoUndos() async throws {
        let (laptop, _) = try await Device.pair(in: sandbox, ["Milk", "Bread"])
        try laptop.sql("DELETE FROM tasks WHERE id = 't2';")
        try await laptop.run("sync")
        try await laptop.withPages { client in
            let path = try #require(SyncPagesTests.link("Bring this back", in: client.page("/history").body))
            let plan = try client.get(path).body
            let restore = try Self.form("Bring back 1 record", in: plan)
            let done = try client.submit(restore)
            #expect(try laptop.tasks() == ["Milk", "Bread"].sorted { $0 > $1 })
            // The same plan again is none any more.
            #expect(try client.submit(restore).status == 422)
            let undo = try #require(PageForm.all(in: done.body).first { $0.action.hasSuffix("/history/undo") })
            #expect(try client.submit(undo).body.contains("Taken back"))
            #expect(try laptop.tasks() == ["Milk"])
            #expect(try client.submit(undo).body.contains("Nothing is different"))
            #expect(try laptop.tasks() == ["Milk"])
        }
    }

    @Test("A store that another program has locked is told as such; nothing is decided, and it goes on afterwards")
    func locked() async throws {
        let (laptop, _) = try await Device.contested(in: sandbox)
        try await laptop.withPages { client in
            let form = try Self.form("Keep the value of Laptop for title", in: client.page("/conflicts").body)
            let other = try RawDatabase(laptop.store)
            try other.run("BEGIN EXCLUSIVE;")
            let start = ContinuousClock.now
            let refused = try client.submit(form)
            #expect(
                refused.status == 422 && refused.body.contains("another program holds the store"),
                "\(refused.body)"
            )
            // What only shows says so too, and does not fail as a whole.
            for path in ["/", "/conflicts", "/history", "/history/records"] {
                let page = try client.page(path)
                #expect([200, 422].contains(page.status), "\(path)")
            }
            // Each waited ten seconds, some of them three times, and nobody else was answered meanwhile.
            #expect(ContinuousClock.now - start < .seconds(90))
            try other.run("ROLLBACK;")
            other.close()
            #expect(try laptop.tasks() == ["Soy <i>milk: two"])
            #expect(try client.submit(form).body.contains("Decided task"))
            #expect(try laptop.tasks() == ["Oat milk: two"])
        }
    }

    @Test("A store that is deleted, or that another one stands for, is told as such", arguments: [false, true])
    func gone(isReplaced: Bool) async throws {
        let (laptop, tower) = try await Device.contested(in: sandbox)
        let kept = sandbox.path("kept.db")
        try await laptop.withPages { client in
            let page = try client.page("/conflicts").body
            let form = try Self.form("Keep the value of Laptop for title", in: page)
            let old = try client.page("/history").body
            #expect(old.contains("Oat milk"))
            try FileManager.default.moveItem(atPath: laptop.store, toPath: kept)
            if isReplaced { try Data("SQLite format 4, cut".utf8).write(to: URL(filePath: laptop.store)) }
            let refused = try client.submit(form)
            #expect(refused.status == 422, "\(refused.body)")
            #expect(refused.body.contains("Laptop.db"))
            let home = try client.page("/")
            #expect(home.status == 200 && home.body.contains("cannot be"), "\(home.body)")
            for path in ["/conflicts", "/history", "/history/records"] {
                #expect(try [200, 422].contains(client.page(path).status), "\(path)")
            }
            #expect(FileManager.default.fileExists(atPath: laptop.store) == isReplaced)
            try? FileManager.default.removeItem(atPath: laptop.store)
            try FileManager.default.moveItem(atPath: kept, toPath: laptop.store)
            #expect(try client.submit(form).body.contains("Decided task"))
        }
        #expect(try tower.tasks() == ["Soy <i>milk: two"])
    }

    @Test("Another database of the same app in the place of a store gets no decisions of it unseen")
    func swapped() async throws {
        let (laptop, _) = try await Device.contested(in: sandbox)
        let other = Device(name: "Other", sandbox: sandbox)
        try AppStores.all.make(.slate, at: other.store)
        try other.sql(Device.task("t1", "Quite another task"))
        try await laptop.withPages { client in
            let form = try Self.form("Keep the value of Laptop for title", in: client.page("/conflicts").body)
            for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: laptop.store + part) }
            try FileManager.default.moveItem(atPath: other.store, toPath: laptop.store)
            let answer = try client.submit(form)
            #expect(answer.status == 422, "\(answer.body)")
            #expect(try laptop.tasks() == ["Quite another task"])
        }
    }

    @Test("Without the shared folder pages say so, a decision is kept, and goes out when it is back")
    func unmounted() async throws {
        let (laptop, tower) = try await Device.contested(in: sandbox)
        let (share, away) = (sandbox.path("share"), sandbox.path("away"))
        try await laptop.withPages { client in
            let form = try Self.form("Keep the value of Laptop for title", in: client.page("/conflicts").body)
            try FileManager.default.moveItem(atPath: share, toPath: away)
            #expect(try client.page("/").body.contains("the folder cannot be used now"))
            for path in ["/conflicts", "/history", "/history/records", "/history?step=0"] {
                let page = try client.page(path)
                #expect([200, 422].contains(page.status), "\(path)")
            }
            let done = try client.submit(form)
            #expect(done.body.contains("so it is kept") || done.status == 422, "\(done.body)")
            #expect(!FileManager.default.fileExists(atPath: share))
            try FileManager.default.moveItem(atPath: away, toPath: share)
            let page = try client.page("/conflicts").body
            if page.contains("Keep the value of Laptop for title") {
                _ = try client.submit(Self.form("Keep the value of Laptop for title", in: page))
            }
        }
        try await laptop.run("sync")
        try await tower.run("sync")
        #expect(try tower.tasks() == ["Oat milk: two"])
    }
}
