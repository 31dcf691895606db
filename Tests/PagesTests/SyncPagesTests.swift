import AppList
import Foundation
import RecordStore
import StrictJSON
import Subprocess
import Synchronization
import TestSupport
import Testing

/// A device with a database of Slate and its own list of joined folders.
struct Device: Sendable {
    let name: String
    let sandbox: Sandbox

    var store: String { sandbox.path("\(name).db") }

    private var environment: [Environment.Key: String?] { ["SATCHEL_FOLDERSYNC": sandbox.path("\(name).json")] }

    @discardableResult
    func run(_ arguments: String...) async throws -> Outcome {
        try await sandbox.run(Built.path("foldersync"), arguments, environment: environment)
    }

    func sql(_ statements: String) throws {
        let database = try RawDatabase(store)
        defer { database.close() }
        try database.run(statements)
    }

    /// Titles and notes of the tasks, in the order of their identifiers.
    func tasks() throws -> [String] {
        let records = try AppStores.all.open(store)
        return try records.read { records in
            var tasks: [(String, String)] = []
            try records.forEachRecord(in: "tasks") { key, object in
                let notes = object["notes"]?.string.map { ": \($0)" } ?? ""
                tasks.append((key.key, "\(object["title"]?.string ?? "")\(notes)"))
            }
            return tasks.sorted { $0 < $1 }.map(\.1)
        }
    }

    static func task(_ id: String, _ title: String) -> String {
        """
        INSERT INTO tasks (id, title, is_done, created_at, updated_at, archived) VALUES ('\(id)', \
        '\(title.replacingOccurrences(of: "'", with: "''"))', 0, '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z', 0);
        """
    }

    /// Serves the pages while `body` looks at them.
    func withPages<Value: Sendable>(_ body: @Sendable (PageClient) throws -> Value) async throws -> Value {
        let process = Process()
        process.executableURL = URL(filePath: Built.path("foldersync"))
        process.arguments = ["open", "--no-browser", "--idle", "5"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SATCHEL_FOLDERSYNC": sandbox.path("\(name).json"), "HOME": sandbox.path("home"), "TZ": "UTC"]
        ) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw RawClient.Failure(description: "it ended: \(text)") }
            text += String(decoding: part, as: UTF8.self)
        }
        let address = text.split(separator: "\n")[0].split(separator: " ").last.map(String.init) ?? ""
        do {
            let client = try PageClient(address)
            let value = try body(client)
            try client.end()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return value
        } catch {
            process.terminate()
            throw error
        }
    }

    /// Two devices in step through the folder `share`, with some tasks that both have.
    static func pair(in sandbox: Sandbox, _ tasks: [String] = ["Milk"]) async throws -> (laptop: Device, tower: Device)
    {
        let (laptop, tower) = (Device(name: "Laptop", sandbox: sandbox), Device(name: "Tower", sandbox: sandbox))
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.sql(tasks.enumerated().map { task("t\($0.offset + 1)", $0.element) }.joined())
        #expect(try await laptop.run("init", "share", "--store", laptop.store, "--name", "Laptop").status == 0)
        #expect(
            try await tower.run("join", "share", "--create", "slate=\(tower.store)", "--name", "Tower <b>").status == 0
        )
        #expect(try await laptop.run("sync").status == 0)
        return (laptop, tower)
    }

    /// The same task with another title and other notes on each, and both know.
    static func contested(in sandbox: Sandbox) async throws -> (laptop: Device, tower: Device) {
        let (laptop, tower) = try await pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET title = 'Oat milk', notes = 'one' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET title = 'Soy <i>milk', notes = 'two' WHERE id = 't1';")
        for device in [laptop, tower, laptop] { try await device.run("sync") }
        return (laptop, tower)
    }
}

@Suite("Pages of sync do what the commands do") struct SyncPagesTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test func homeSaysThatAllIsWellOrWhatIsNot() async throws {
        let (laptop, tower) = try await Device.pair(in: sandbox)
        let well = try await laptop.withPages { try $0.page("/").body }
        #expect(well.contains("All 2 devices are up to date."))
        #expect(well.contains("class=\"state good\""))
        #expect(well.contains("<h3>Tower &lt;b&gt;</h3>"))
        try laptop.sql("UPDATE tasks SET title = 'A' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET title = 'B' WHERE id = 't1';")
        for device in [laptop, tower, laptop] { try await device.run("sync") }
        let waiting = try await laptop.withPages { try $0.page("/").body }
        #expect(waiting.contains("1 conflict"))
        #expect(waiting.contains("class=\"state attention\""))
    }

    @Test func homeWithoutAnythingSaysWhatToDo() async throws {
        let device = Device(name: "Alone", sandbox: sandbox)
        let page = try await device.withPages { try ($0.page("/").body, $0.page("/conflicts").body) }
        #expect(page.0.contains("Nothing is set up"))
        #expect(page.1.contains("foldersync join FOLDER"))
    }

    @Test("A conflict that a page decides is decided on the other device, and undo takes it back")
    func decide() async throws {
        let (laptop, tower) = try await Device.contested(in: sandbox)
        try await laptop.withPages { client in
            let page = try client.page("/conflicts").body
            #expect(page.contains("<mark>Oat</mark>") && page.contains("<mark>Soy</mark>"))
            #expect(!page.contains("<i>"))
            let form = try #require(
                PageForm.all(in: page).first { $0.content.contains("Keep the value of Laptop for title") }
            )
            let next = try client.submit(form)
            #expect(next.body.contains("role=\"status\"") && next.body.contains("Decided task"))
            #expect(next.body.contains("Decided on this device"))
            // The same form again: these values do not stand there any more.
            let again = try client.submit(form)
            #expect(again.status == 422 && again.body.contains("other values stand there now"))
        }
        #expect(try laptop.tasks() == ["Oat milk: two"])
        #expect(try await tower.run("sync").status == 3)
        #expect(try tower.tasks() == ["Oat milk: two"])
        #expect(try await tower.run("conflicts").output.contains("title: 2 values") == false)
        try await laptop.withPages { client in
            // The plan of the undo says what goes back with it.
            let plan = try client.get(try #require(Self.link("Undo", in: client.page("/conflicts").body)))
            #expect(plan.body.contains("<del>Oat milk</del>") && plan.body.contains("<ins>Soy &lt;i&gt;milk</ins>"))
            let undo = try #require(PageForm.all(in: plan.body).first { $0.content.contains("Bring back 1 record") })
            #expect(try client.submit(undo).body.contains("1 record brought back"))
            #expect(try client.page("/conflicts").body.contains("<span class=\"badge\">taken back</span>"))
        }
        #expect(try laptop.tasks() == ["Soy <i>milk: two"])
        try await tower.run("sync")
        #expect(try tower.tasks() == ["Soy <i>milk: two"])
    }

    @Test("The plan of a restore names the conflicts that it decides")
    func restoreDecides() async throws {
        let (laptop, _) = try await Device.contested(in: sandbox)
        try await laptop.withPages { client in
            let past = try client.page("/history?step=0").body
            let plan = try client.get(try #require(Self.link("What is different from now", in: past)))
            #expect(plan.body.contains("decides     the conflict of task"))
            let form = try #require(PageForm.all(in: plan.body).first { $0.content.contains("Bring back") })
            #expect(try client.submit(form).body.contains("brought back"))
            #expect(try client.page("/conflicts").body.contains("Keep the value of") == false)
        }
    }

    @Test("A value that is typed is checked as resolve --value checks it; both texts can be kept")
    func edit() async throws {
        let (laptop, tower) = try await Device.pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET due_date = '2026-12-01', notes = 'one' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET due_date = '2026-12-24', notes = 'two' WHERE id = 't1';")
        for device in [laptop, tower, laptop] { try await device.run("sync") }
        try await laptop.withPages { client in
            let forms = PageForm.all(in: try client.page("/conflicts").body)
            let due = try #require(forms.first { $0.content.contains("Another value: a day") })
            let refused = try client.submit(due, ["value": "someday"])
            #expect(refused.status == 422)
            #expect(refused.body.contains("role=\"alert\"") && refused.body.contains("someday"))
            #expect(try client.submit(due, ["value": "2026-12-12"]).body.contains("Sat 12 Dec 2026"))
            let both = try #require(forms.first { $0.content.contains("Keep both") })
            #expect(try client.submit(both).body.contains("two / one"))
            #expect(try client.page("/conflicts").body.contains("No conflicts"))
        }
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.tasks() == ["Milk: two / one"])
        #expect(try await tower.run("show", "--at", "2100-01-01T00:00:00Z").output.contains("2026-12-12"))
    }

    @Test("All of a record, and all of a store, whose plan comes first")
    func all() async throws {
        let (laptop, tower) = try await Device.contested(in: sandbox)
        try await tower.withPages { client in
            let page = try client.page("/conflicts").body
            let all = try #require(PageForm.all(in: page).first { $0.action.hasSuffix("/conflicts/all") })
            let plan = try client.submit(all, ["side": "mine"])
            #expect(plan.body.contains("Nothing is decided yet") && plan.body.contains("would decide"))
            #expect(try client.page("/conflicts").body.contains("1 record changed"))
            let record = try #require(
                PageForm.all(in: page).first { $0.content.contains("<button>What Laptop wrote<") }
            )
            #expect(try client.submit(record).body.contains("No conflicts"))
        }
        try await laptop.run("sync")
        #expect(try laptop.tasks() == ["Oat milk: one"])
        // Anew, and all of the store.
        try laptop.sql("UPDATE tasks SET title = 'A' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET title = 'B' WHERE id = 't1';")
        for device in [laptop, tower, laptop] { try await device.run("sync") }
        try await laptop.withPages { client in
            let plan = try client.page("/conflicts/all?side=mine")
            let form = try #require(PageForm.all(in: plan.body).first { $0.content.contains("Decide 1 conflict") })
            let done = try client.submit(form)
            #expect(done.body.contains("No conflicts"))
            #expect(try laptop.tasks() == ["A: one"])
            // Right after it one button takes it back.
            let undo = try #require(PageForm.all(in: done.body).first { $0.action.hasSuffix("/conflicts/undo") })
            #expect(try client.submit(undo).body.contains("Taken back"))
            let page = try client.page("/conflicts").body
            #expect(page.contains("<span class=\"badge\">taken back</span>") && !page.contains("No conflicts"))
        }
        #expect(try laptop.tasks() == ["B: one"])
        // The conflict is open again, on the other device as well.
        for device in [laptop, tower] { try await device.run("sync") }
        try await tower.withPages { client in
            let page = try client.page("/conflicts").body
            #expect(page.contains("/conflicts/decide") && !page.contains("No conflicts"))
        }
    }

    @Test("All of a store is decided as its plan said, and nothing that came after it")
    func staleAll() async throws {
        let (laptop, tower) = try await Device.pair(in: sandbox, ["Milk", "Bread"])
        func contest(_ id: String) async throws {
            try laptop.sql("UPDATE tasks SET title = 'Laptop \(id)' WHERE id = '\(id)';")
            try tower.sql("UPDATE tasks SET title = 'Tower \(id)' WHERE id = '\(id)';")
            for device in [laptop, tower, laptop] { try await device.run("sync") }
        }
        @Sendable func plan(_ client: PageClient, _ text: String) throws -> PageForm {
            let page = try client.page("/conflicts/all?side=mine").body
            return try #require(PageForm.all(in: page).first { $0.content.contains(text) })
        }
        try await contest("t1")
        let seen = try await laptop.withPages { client in
            let form = try plan(client, "Decide 1 conflict<")
            return try #require(form.hidden.first { $0.name == "~plan" }?.value)
        }
        try await contest("t2")
        try await laptop.withPages { client in
            let form = try plan(client, "Decide 2 conflicts<")
            let old = PageForm(
                action: form.action,
                method: form.method,
                hidden: form.hidden.map { (name: $0.name, value: $0.name == "~plan" ? seen : $0.value) },
                content: form.content
            )
            let stale = try client.submit(old)
            #expect(stale.status == 422 && stale.body.contains("Other values stand there now; look again."))
            #expect(try laptop.tasks() == ["Tower t1", "Tower t2"])
            // The answer is the plan as it is now, with what does it.
            let next = try #require(PageForm.all(in: stale.body).first { $0.content.contains("Decide 2 conflicts<") })
            #expect(try client.submit(next).body.contains("No conflicts"))
        }
        #expect(try laptop.tasks() == ["Laptop t1", "Laptop t2"])
    }

    @Test("What was deleted is found, comes back by its plan, and goes by undo")
    func bringBack() async throws {
        let (laptop, tower) = try await Device.pair(in: sandbox, ["Milk", "Renew the passport"])
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'; UPDATE tasks SET title = 'Oat milk' WHERE id = 't1';")
        try await laptop.run("sync")
        try await laptop.withPages { client in
            let history = try client.page("/history").body
            #expect(history.contains("<del>Milk</del>") && history.contains("<ins>Oat milk</ins>"))
            let found = try client.page("/history/records?q=PASSPORT").body
            let path = try #require(Self.link("Bring this back", in: found))
            let plan = try client.get(path)
            #expect(plan.body.contains("1 record comes back") && plan.body.contains("Nothing is changed yet"))
            #expect(try laptop.tasks() == ["Oat milk"])
            let form = try #require(PageForm.all(in: plan.body).first { $0.content.contains("Bring back 1 record") })
            let done = try client.submit(form)
            #expect(done.body.contains("1 record brought back, on all devices."))
            #expect(try laptop.tasks() == ["Oat milk", "Renew the passport"])
            let undo = try #require(PageForm.all(in: done.body).first { $0.action.hasSuffix("/history/undo") })
            #expect(try client.submit(undo).body.contains("Taken back"))
            #expect(try laptop.tasks() == ["Oat milk"])
            // The plan on an old page is not what would follow now: it is shown anew.
            try laptop.sql("UPDATE tasks SET title = 'Rice milk' WHERE id = 't1';")
            let past = try client.page("/history?step=0").body
            let everything = try client.get(try #require(Self.link("What is different from now", in: past)))
            #expect(everything.body.contains("1 record comes back, 1 record goes back"))
            #expect(!everything.body.contains("decides"))
            let all = try #require(PageForm.all(in: everything.body).first { $0.content.contains("Bring back") })
            try laptop.sql(Device.task("t3", "New"))
            let stale = try client.submit(all)
            #expect(stale.status == 422 && stale.body.contains("Something changed meanwhile"))
        }
        try await tower.run("sync")
        #expect(try tower.tasks() == ["Oat milk"])
    }

    /// The address of the first link whose text begins so.
    static func link(_ text: String, in page: String) -> String? {
        for part in page.components(separatedBy: "<a href=\"").dropFirst() {
            guard let end = part.firstIndex(of: "\""), let start = part.firstIndex(of: ">") else { continue }
            if part[part.index(after: start)...].hasPrefix(text) { return PageForm.plain(String(part[..<end])) }
        }
        return nil
    }

    @Test("The history of a record says what a decision rejected")
    func rejected() async throws {
        let (_, tower) = try await Device.contested(in: sandbox)
        #expect(try await tower.run("resolve", "--all", "mine").status == 0)
        try await tower.withPages { client in
            let page = try client.page("/history/record?collection=tasks&key=t1").body
            #expect(page.contains("kept as it is, Soy &lt;i&gt;milk, not Oat milk"), "\(page)")
        }
    }

    @Test("A moment is read as people write it, and a wrong one is said")
    func moments() async throws {
        let (laptop, _) = try await Device.pair(in: sandbox)
        try await laptop.withPages { client in
            #expect(try client.page("/history?at=2100-01-01T00:00").body.contains("As of <time"))
            #expect(try client.page("/history?at=yesterday%2014:30").body.contains("<ul class=\"changes\"></ul>"))
            let wrong = try client.page("/history?at=soon")
            #expect(wrong.status == 422 && wrong.body.contains("expected a moment"))
            #expect(try client.page("/history?day=2026-02-31").status == 200)
            #expect(try client.page("/history?step=0").body.contains("As of <time"))
            #expect(try client.page("/history?store=/etc/passwd").status == 404)
            #expect(try client.page("/history/restore?ms=-5").status == 404)
            #expect(try client.page("/history/restore?ms=1").status == 422)
            #expect(try client.page("/history/record?collection=tasks&key=nobody").status == 404)
        }
    }

    @Test("An export shows the same pages, without forms and without addresses of a program")
    func export() async throws {
        let (laptop, _) = try await Device.contested(in: sandbox)
        let outcome = try await laptop.run("open", "--export", "pages")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("pages"))
        #expect(files.contains("index.html") && files.contains("conflicts.html") && files.contains("history.html"))
        // The pages tell what the apps know: nobody else reads them.
        let manager = FileManager.default
        #expect(try manager.attributesOfItem(atPath: sandbox.path("pages"))[.posixPermissions] as? Int == 0o700)
        for file in files {
            let found = try manager.attributesOfItem(atPath: sandbox.path("pages/\(file)"))[.posixPermissions]
            #expect(found as? Int == 0o600, "\(file)")
        }
        for file in files where file.hasSuffix(".html") {
            let page = String(decoding: try sandbox.bytes("pages/\(file)"), as: UTF8.self)
            #expect(!page.contains("<form") && !page.contains("<script") && !page.contains("127.0.0.1"))
            for part in page.components(separatedBy: "href=\"").dropFirst() {
                let target = part.prefix { $0 != "\"" }
                guard !target.hasPrefix("#"), !target.hasPrefix("data:") else { continue }
                #expect(files.contains(String(target)), "\(file) leads to \(target)")
            }
        }
        // The same again replaces it; another folder with files is left alone.
        #expect(try await laptop.run("open", "--export", "pages").status == 0)
        try FileManager.default.createDirectory(atPath: sandbox.path("other"), withIntermediateDirectories: true)
        try sandbox.write("other/letter.txt", "mine")
        #expect(try await laptop.run("open", "--export", "other").status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("other")) == ["letter.txt"])
    }

    @Test("Very many records are listed by pages")
    func many() async throws {
        let (laptop, _) = try await Device.pair(in: sandbox)
        try laptop.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
            INSERT INTO tasks (id, title, is_done, created_at, updated_at, archived)
            SELECT 'n' || i, 'Task ' || i, 0, '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z', 0 FROM n;
            """
        )
        try await laptop.run("sync")
        try await laptop.withPages { client in
            let page = try client.page("/history/records?page=3").body
            #expect(page.contains("Page 3 of 31") && page.contains("3002 records") || page.contains("3,002 records"))
            #expect(page.components(separatedBy: "<tr>").count == 102)
            #expect(try client.page("/history/records?q=Task%202999").body.contains("Task 2999"))
            #expect(try client.page("/history").body.contains("In all: added 3000 tasks."))
            #expect(try client.page("/history").body.contains("and 2980 more"))
        }
    }
}
