import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.serialized)
struct BrowserPageTests {
    /// Pictures of all pages, for whoever wants to look; git ignores the folder.
    private static let pictures = SharedFolder.project.appending(path: ".build/pages")

    /// Opens the pages of a device in a browser.
    private func enter(_ pages: ServedPages) throws -> BrowserSession {
        let browser = try BrowserSession()
        try browser.open(pages.address)
        return browser
    }

    /// What all addresses of the pages begin with.
    private func base(_ browser: BrowserSession) throws -> String {
        try browser.evaluate("document.querySelector('header nav a').href.replace(/\\/$/, '')").string ?? ""
    }

    /// The first address on the page that is open that has a text in it.
    private func address(_ text: String, in browser: BrowserSession) throws -> String {
        let script =
            "[...document.links].map(link => link.href).find(href => href.includes(\(Browser.literal(text)))) || ''"
        return try browser.evaluate(script).string ?? ""
    }

    /// An element by what it says or is called.
    private func element(_ kind: String, _ text: String) -> String {
        let name = "(element.getAttribute('aria-label') || '') + ' ' + element.textContent"
        return "[...document.querySelectorAll('\(kind)')].find(element => (\(name)).includes(\(Browser.literal(text))))"
    }

    /// The addresses of one page of each kind.
    private func kinds(_ browser: BrowserSession) throws -> [(name: String, address: String)] {
        let base = try base(browser)
        var kinds = [("home", "\(base)/")]
        for path in ["conflicts", "history", "backups", "slate", "time", "study", "sessions"] {
            kinds.append((path, "\(base)/\(path)"))
        }
        kinds += [
            ("time-week", "\(base)/time?view=week"), ("time-month", "\(base)/time?view=month"),
            ("time-range", "\(base)/time?view=range&from=2025-12-01&to=2026-03-05"),
            ("time-empty", "\(base)/time?view=day&date=2020-01-01"),
            ("time-refused", "\(base)/time?view=range&from=2026-03-05&to=2026-03-01"),
            ("backups-search", "\(base)/backups/search?text=a"), ("backups-undo", "\(base)/backups/undo"),
            ("missing", "\(base)/nowhere"),
        ]
        try browser.open("\(base)/conflicts")
        kinds.append(("conflicts-all", try address("/conflicts/all", in: browser)))
        try browser.open("\(base)/backups")
        kinds.append(("backups-file", try address("/backups/file", in: browser)))
        kinds.append(("backups-compare", try address("/backups/compare?", in: browser)))
        try browser.open(try address("/backups/file", in: browser))
        kinds.append(("backups-plan-one", try address("kind=task", in: browser)))
        kinds.append(("backups-plan-all", try address("mode=replace", in: browser)))
        try browser.open("\(base)/sessions")
        kinds.append(("sessions-run", try address("/sessions/run", in: browser)))
        return kinds.filter { !$0.1.isEmpty }
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `every page fits, can be read, has names, and is used by keyboard alone`() async throws {
        let world = try PageWorld()
        try await world.fill()
        try await world.share()
        let pages = try world.serve("laptop")
        let browser = try enter(pages)
        let origin = try browser.evaluate("location.origin").string ?? "?"
        try FileManager.default.createDirectory(at: Self.pictures, withIntermediateDirectories: true)
        var faults: [String] = []
        let kinds = try kinds(browser)
        #expect(kinds.count >= 20)
        for (name, address) in kinds {
            try browser.open(address)
            for (width, isDark) in [(375, false), (375, true), (1280, false), (1280, true), (320, false)] {
                let found = try browser.audit(width: width, isDark: isDark)
                faults += found.map { "\(name), \(width)\(isDark ? ", dark" : ""): \($0)" }
                if width > 320 {
                    let picture = Self.pictures.appending(path: "\(name)-\(width)-\(isDark ? "dark" : "light").png")
                    try Data(browser.wholePicture(width: width)).write(to: picture)
                }
            }
            try browser.prefer(dark: false)
            try browser.resize(width: 1280, height: 900)
            faults += try browser.auditKeyboard().map { "\(name), keyboard: \($0)" }
            // Names are text.
            if try browser.evaluate("document.title === 'had' || !!document.querySelector('img[src=\"x\"]')").bool
                != false
            {
                faults.append("\(name): a name became markup")
            }
        }
        #expect(faults == [])
        // The page that is missing and the one that is refused are told as such by the browser.
        let said = browser.complaints.filter { !$0.contains("status of 404") && !$0.contains("status of 422") }
        #expect(said == [])
        #expect(browser.asked.filter { !$0.hasPrefix(origin + "/") } == [])
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `a conflict that is decided by clicks is found decided on the other device`() async throws {
        let world = try PageWorld()
        try await world.fill()
        try await world.share()
        #expect(try await world.satchel("tower", ["sync", "conflicts"]).contains("paint"))
        do {
            let pages = try world.serve("laptop")
            let browser = try enter(pages)
            try browser.open("\(try base(browser))/conflicts")
            try browser.follow(element("button", "Keep the value of laptop for title"))
            #expect(
                try browser.evaluate("document.querySelector('.notice').textContent").string?.contains("paint") == true
            )
            try browser.follow(element("button", "Keep the value of tower for notes"))
            #expect(try browser.evaluate("document.body.textContent.includes('No conflicts')").bool == true)
            #expect(browser.complaints == [])
        }
        try await world.satchel("laptop", ["sync", "--now", "2026-03-05T18:30:00Z"])
        try await world.satchel("tower", ["sync", "--now", "2026-03-05T18:31:00Z"])
        let tower = world.store("tower", "slate.db")
        #expect(try await world.text(tower, "SELECT title FROM tasks WHERE id = 'task-2'") == "Buy green paint")
        let notes = try await world.text(tower, "SELECT notes FROM tasks WHERE id = 'task-4'")
        #expect(notes == "The office opens at ten. Take two photos and the old one.")
        #expect(try await !world.satchel("tower", ["sync", "conflicts"]).contains("paint"))
    }

    @Test(
        .enabled(if: Browser.path != nil, "this machine lacks chromium"),
        arguments: [false, true]
    )
    func `a deleted task comes back by clicks, with its plan shown, and goes again by undo`(
        withoutScript: Bool
    ) async throws {
        let world = try PageWorld()
        try await world.fill()
        let slate = world.store("laptop", "slate.db")
        let count = "SELECT CAST(count(*) AS TEXT) FROM tasks WHERE title = 'Order seeds'"
        try await world.change(slate, "DELETE FROM tasks WHERE title = 'Order seeds'")
        let pages = try world.serve("laptop")
        let browser = try enter(pages)
        try browser.open("\(try base(browser))/backups")
        try browser.call("Emulation.setScriptExecutionDisabled", ["value": .bool(withoutScript)])
        try browser.click("document.querySelector('input[type=search]')")
        try browser.call("Input.insertText", ["text": "seeds"])
        try browser.press("Enter", code: 13, text: "\r")
        try browser.waitForPage()
        #expect(
            try browser.evaluate("document.querySelector('.panel').textContent").string?.contains("not in Slate now")
                == true
        )
        try browser.follow(element("a", "Bring back Order seeds"))
        #expect(try await world.text(slate, count) == "0")
        try browser.follow(element("button", "Bring it back"))
        #expect(
            try browser.evaluate("document.querySelector('.notice').textContent").string?.contains("Brought back")
                == true
        )
        #expect(try await world.text(slate, count) == "1")
        try browser.follow(element("button", "Undo…"))
        try browser.follow(element("button", "Go back"))
        #expect(try await world.text(slate, count) == "0")
        #expect(browser.complaints == [])
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `a restoration whose plan is out of date changes nothing and shows the new plan`() async throws {
        let world = try PageWorld()
        try await world.fill()
        let slate = world.store("laptop", "slate.db")
        let pages = try world.serve("laptop")
        let browser = try enter(pages)
        try browser.open("\(try base(browser))/backups")
        try browser.open(try address("/backups/file", in: browser))
        try browser.open(try address("mode=replace", in: browser))
        try await world.change(slate, "UPDATE tasks SET title = 'Changed meanwhile' WHERE id = 'task-2'")
        try browser.follow(element("button", "Restore it"))
        #expect(try browser.evaluate("document.body.textContent.includes('nothing was done')").bool == true)
        #expect(try await world.text(slate, "SELECT title FROM tasks WHERE id = 'task-2'") == "Changed meanwhile")
        try browser.follow(element("button", "Restore it"))
        #expect(try await world.text(slate, "SELECT title FROM tasks WHERE id = 'task-2'") == "Buy paint")
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `an export opens as files, and its links lead on`() async throws {
        let world = try PageWorld()
        try await world.fill(hasYears: false)
        try await world.share()
        let folder = world.sandbox.path("pages")
        try await world.satchel("laptop", ["open", "--export", folder, "--now", "2026-03-05T18:20:00Z"])
        let browser = try BrowserSession()
        let first = "file://\(folder)/index.html"
        try browser.open(first)
        let links = try browser.texts("[...document.querySelectorAll('header nav a')].map(link => link.href)")
        #expect(links.count >= 7)
        var faults: [String] = []
        for link in links {
            try browser.open(link)
            for (width, isDark) in [(375, false), (1280, true)] {
                faults += try browser.audit(width: width, isDark: isDark).map { "\(link.suffix(30)), \(width): \($0)" }
            }
            faults += try browser.texts(
                "[...document.querySelectorAll('form, button')].map(e => 'of no use: ' + e.outerHTML)"
            )
            if try browser.evaluate("getComputedStyle(document.body).margin").string != "0px" {
                faults.append("no style")
            }
            let files = try browser.texts(
                "[...document.links].map(link => link.href.replace(/#.*/, '')).filter(href => href.startsWith('file:'))"
            )
            for file in Set(files) where !FileManager.default.fileExists(atPath: String(file.dropFirst(7))) {
                faults.append("\(link) leads to \(file), which is not there")
            }
        }
        #expect(faults == [])
        #expect(browser.complaints == [])
        #expect(browser.asked.filter { !$0.hasPrefix("file://\(folder)/") } == [])
        let table = try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".csv") }
        let text = try String(contentsOfFile: "\(folder)/\(try #require(table))", encoding: .utf8)
        #expect(text.contains("Work") && !text.contains("<html"))
    }

    /// `make pictures` sets the variable.
    private static let picturesFolder = ProcessInfo.processInfo.environment["SATCHEL_PICTURES"]

    @Test(
        .enabled(if: Browser.path != nil, "this machine lacks chromium"),
        .enabled(if: picturesFolder != nil, "only make pictures makes the pictures of the README")
    )
    func `the pictures of the README`() async throws {
        let folder = try #require(Self.picturesFolder)
        let world = try PageWorld()
        try await world.fill(isHostile: false)
        try await world.share()
        let pages = try world.serve("laptop")
        let browser = try enter(pages)
        let base = try base(browser)
        let shown: [(name: String, path: String, from: String, height: Int, isDark: Bool)] = [
            ("conflicts", "/conflicts", "body", 620, false), ("history", "/history", "body", 620, false),
            ("time", "/time?date=2026-03-04", ".report", 490, true), ("slate", "/slate", ".legend", 390, false),
        ]
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for picture in shown {
            try browser.prefer(dark: picture.isDark)
            try browser.resize(width: 900, height: picture.height)
            try browser.open(base + picture.path)
            // Few machines that make pictures have a font with emoji.
            try browser.evaluate("document.querySelectorAll('.emoji, svg .icon').forEach(icon => icon.remove())")
            try browser.evaluate("document.querySelector('\(picture.from)').scrollIntoView()")
            let bytes = try browser.picture(width: 900, height: picture.height, scale: 0.75)
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(picture.name).png"))
        }
    }
}
