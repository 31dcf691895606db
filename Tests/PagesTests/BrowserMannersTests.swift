import Foundation
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

@Suite("Pages in the hands of people: double clicks, names, print, forced colours", .serialized)
struct BrowserMannersTests {
    private func enter(_ pages: ServedPages) throws -> (browser: BrowserSession, base: String) {
        let browser = try BrowserSession()
        try browser.open(pages.address)
        let script = "document.querySelector('header nav a').href.replace(/\\/$/, '')"
        return (browser, try browser.evaluate(script).string ?? "")
    }

    private func button(_ text: String) -> String {
        "[...document.querySelectorAll('button')].find(element => ((element.getAttribute('aria-label') || '') + ' ' "
            + "+ element.textContent).includes(\(Browser.literal(text))))"
    }

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"), arguments: [false, true])
    func `a double click decides once`(withoutScript: Bool) async throws {
        let world = try PageWorld()
        try await world.fill(hasYears: false)
        try await world.share()
        let pages = try world.serve("laptop")
        let (browser, base) = try enter(pages)
        try browser.open("\(base)/conflicts")
        try browser.call("Emulation.setScriptExecutionDisabled", ["value": .bool(withoutScript)])
        try browser.doubleClick(button("Keep the value of laptop for title"))
        try browser.waitForPage()
        // Where both clicks were sent, the second found it decided.
        try browser.open("\(base)/conflicts")
        let slate = world.store("laptop", "slate.db")
        let title = "SELECT title FROM tasks WHERE id = 'task-2'"
        #expect(try await world.text(slate, title) == "Buy green paint")
        let log = try await world.satchel("laptop", ["sync", "log"])
        #expect(log.components(separatedBy: "18:20").count == 2, "\(log)")
        try browser.follow(button("Keep the value of laptop for notes"))
        #expect(try browser.evaluate("document.querySelector('.notice') !== null").bool == true)
        let notes = try await world.text(slate, "SELECT notes FROM tasks WHERE id = 'task-4'")
        #expect(notes == "The office opens at nine. Take two photos.")
    }

    /// Names that are long, go the other way, have faces, or look like markup.
    private static let names = [
        String(repeating: "Donaudampfschifffahrtsgesellschaft", count: 9), PageWorld.hostile,
        "לימוד מתמטיקה \u{202E}abc\u{202C} שיעור", "رياضيات ١٢٣ (algebra)", "👩‍👩‍👧‍👦🏳️‍🌈 🧮 e\u{301}\u{301}\u{301}\u{301}",
        "=1+2",
        String(repeating: "a b ", count: 100),
    ]

    @Test(.enabled(if: Browser.path != nil, "this machine lacks chromium"))
    func `Study with any names fits from 320 pixels on, in print, in forced colours, and by keyboard`() async throws {
        let world = try PageWorld()
        try await world.fill(hasYears: false)
        let store = world.store("laptop", "timer.db")
        for (number, name) in Self.names.enumerated() {
            let rows = "SELECT id FROM session ORDER BY start_time DESC LIMIT 1 OFFSET \(number * 2)"
            try await world.change(store, "UPDATE session SET title = ? WHERE id = (\(rows))", [name])
            try await world.satchel(
                "laptop",
                ["study", "goal", name, "4h/week", "--now", PageWorld.now],
                ends: [0, 3, 64, 65]
            )
        }
        let slate = world.store("laptop", "slate.db")
        let tasks = try await world.text(slate, "SELECT group_concat(id) FROM tasks") ?? ""
        for (id, name) in zip(tasks.split(separator: ","), Self.names) {
            try await world.change(slate, "UPDATE tasks SET title = ? WHERE id = ?", [name, String(id)])
        }
        try await world.share()
        let pages = try world.serve("laptop")
        let (browser, base) = try enter(pages)
        var faults: [String] = []
        for path in ["/study", "/slate", "/time", "/conflicts", "/history", "/history/records", "/"] {
            try browser.open(base + path)
            for width in [320, 375, 1280] {
                faults += try browser.audit(width: width, isDark: false).map { "\(path), \(width): \($0)" }
            }
            if try browser.evaluate("document.title === 'had' || !!document.querySelector('img')").bool != false {
                faults.append("\(path): a name became markup")
            }
            for (media, features) in [("print", [:]), ("screen", ["forced-colors": "active"])]
                as [(String, [String: String])]
            {
                try browser.emulate(media: media, features)
                try browser.resize(width: 700, height: 1000)
                let found = try browser.texts(Self.unseen)
                faults += found.map { "\(path), \(media) \(features): \($0)" }
            }
            try browser.emulate(media: "", [:])
            try browser.resize(width: 1280, height: 900)
            faults += try browser.auditKeyboard().map { "\(path), keyboard: \($0)" }
        }
        #expect(faults == [])
        #expect(browser.complaints == [])
    }

    /// Texts that are not told from what is behind them, and what does not fit a sheet.
    private static let unseen = """
        (() => {
          const faults = [];
          if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than ' + innerWidth);
          for (const element of document.querySelectorAll('h1, h2, h3, p, li, td, th, a, button, label, .badge')) {
            if (!element.checkVisibility() || !element.textContent.trim()) continue;
            let back = element;
            const clear = 'rgba(0, 0, 0, 0)';
            while (back.parentElement && getComputedStyle(back).backgroundColor === clear) back = back.parentElement;
            const behind = getComputedStyle(back).backgroundColor;
            const [text, ground] = [getComputedStyle(element).color, behind === clear ? 'rgb(255, 255, 255)' : behind];
            if (text === ground) faults.push('not to be seen: ' + element.textContent.trim().slice(0, 40));
          }
          return faults;
        })()
        """
}
