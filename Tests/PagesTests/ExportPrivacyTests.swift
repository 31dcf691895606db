import Foundation
import Pages
import SQLiteDatabase
import TestSupport
import Testing

@Suite("An export does not tell the folders of this device") struct ExportPrivacyTests {
    @Test(
        "Paths in sentences lose their folders",
        arguments: [
            ("/home/me/Secret Love/slate.db is locked", "slate.db is locked"),
            ("the folder /mnt/Secret Love cannot be read now", "the folder … cannot be read now"),
            ("slate backup --store '/home/me/Secret Love/x/slate.db'.", "slate backup --store 'slate.db'."),
            ("/home/other/secret/a.json: cut short", "a.json: cut short"),
            ("Love/slate.db is no file; 1/2 and/or Lovely /history", "slate.db is no file; 1/2 and/or Lovely /history"),
            ("/mnt/Secret Lovely", "Secret Lovely"), ("all is well.", "all is well."), ("", ""),
        ]
    )
    func sentences(_ text: String, _ expected: String) {
        let places = LocalPlaces(
            files: ["/home/me/Secret Love/slate.db", "Love/slate.db", "./a", "b"],
            folders: ["/mnt/Secret Love/", "/"]
        )
        #expect(places.hidden(in: text) == expected)
    }

    /// The word that stands in the name of every folder.
    private static let telltale = "tattle7"

    /// Files of an export whose names or bytes have the word, in any case and encoding of a path.
    private func told(_ folder: String) throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count > 3)
        return try files.filter { file in
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), as: UTF8.self)
            return "\(file)\n\(text)".lowercased().contains(Self.telltale)
        }
    }

    @Test("of everything, in good order and with faults")
    func everything() async throws {
        let world = try PageWorld(in: "\(Self.telltale) of mine")
        try await world.fill(hasYears: false)
        try await world.share()
        let export = world.sandbox.path("pages")
        let open = ["open", "--export", export, "--now", "2026-03-05T18:20:00Z"]
        try await world.satchel("laptop", open)
        #expect(try told(export) == [])
        // A second store of the same app is told by a number.
        let second = world.store("laptop", "second.db")
        try await world.satchel("laptop", ["slate", "init", "--sample", "--store", second, "--now", PageWorld.now])
        let folder = world.path("More")
        let arguments = ["sync", "init", folder, "--store", second, "--no-encrypt", "--now", PageWorld.now]
        try await world.satchel("laptop", arguments)
        try await world.satchel("laptop", open)
        #expect(try told(export) == [])
        let history = try String(contentsOfFile: "\(export)/history.html", encoding: .utf8)
        #expect(history.contains("Slate 1") && history.contains("Slate 2"))
        // Faults name files.
        try FileManager.default.removeItem(atPath: world.path("Sync"))
        try Data("no database".utf8).write(to: URL(filePath: second))
        try Data("no database".utf8).write(to: URL(filePath: world.store("laptop", "tracker.db")))
        let backups = world.path("laptop/home/Backups/Slate")
        try Data("cut".utf8).write(to: URL(filePath: "\(backups)/Slate-20260303.slatebackup"))
        try await world.satchel("laptop", open)
        #expect(try told(export) == [])
        let home = try String(contentsOfFile: "\(export)/index.html", encoding: .utf8)
        #expect(home.contains("cannot be read"))
    }

    @Test("of files and stores that are named")
    func named() async throws {
        let world = try PageWorld(in: Self.telltale)
        try await world.fill(hasYears: false)
        let export = world.sandbox.path("pages")
        let backup = world.path("laptop/home/Backups/Slate/Slate-20260303.slatebackup")
        for arguments in [
            ["slate", "open", backup], ["slate", "open", "--store", world.store("laptop", "slate.db")],
            ["time", "open", "--store", world.store("laptop", "tracker.db")],
            ["timer", "open", "--store", world.store("laptop", "bztimer.db")],
            ["slate", "open", "\(Self.telltale)/laptop/home/Backups/Slate/Slate-20260303.slatebackup"],
        ] {
            try? FileManager.default.removeItem(atPath: export)
            try await world.satchel("laptop", arguments + ["--export", export, "--now", PageWorld.now])
            #expect(try told(export) == [], "\(arguments)")
        }
    }

    @Test("A table for spreadsheets runs nothing: cells that would be formulas have an apostrophe in front")
    func formulas() async throws {
        let world = try PageWorld()
        try await world.fill(hasYears: false)
        let names = ["=HYPERLINK(\"http://evil.example\")", "+1+2", "-2+3", "@SUM(1)", "\t=1", "＝1", "plain"]
        let store = world.store("laptop", "tracker.db")
        for (number, name) in names.enumerated() {
            let sql =
                "UPDATE activity SET name = ? WHERE key = (SELECT key FROM activity ORDER BY start_ms DESC LIMIT 1 OFFSET ?)"
            try await world.change(store, sql, [name, number + 1])
        }
        let pages = try world.serve("laptop")
        let client = try PageClient(pages.address)
        let table = try client.page("/time/entries.csv?view=month&date=2026-03-01").body
        let export = world.sandbox.path("pages")
        try await world.satchel("laptop", ["open", "--export", export, "--now", "2026-03-05T18:20:00Z"])
        let files = try FileManager.default.contentsOfDirectory(atPath: export).filter { $0.hasSuffix(".csv") }
        let tables = try files.map { try String(contentsOfFile: "\(export)/\($0)", encoding: .utf8) } + [table]
        for table in tables {
            let cells = table.split { $0.isNewline }.flatMap { $0.split(separator: ",") }
                .map { $0.hasPrefix("\"") ? $0.dropFirst() : $0 }
            #expect(cells.count > 10)
            #expect(cells.filter { "=+-@\t＝".contains($0.first ?? " ") } == [])
        }
        for name in ["'=HYPERLINK", "'+1+2", "'-2+3", "'@SUM", "plain"] { #expect(table.contains(name), "\(name)") }
        try client.end()
    }

    @Test("Home names the commands that back up an app whose backups have no page")
    func ways() async throws {
        let world = try PageWorld()
        try await world.fill(hasYears: false)
        let pages = try world.serve("laptop")
        let client = try PageClient(pages.address)
        let home = try client.page("/").body
        for command in [
            "timer backup FILE", "timer restore FILE", "time restore FILE NAME", "study restore FILE SUBJECT",
        ] {
            #expect(home.contains("<code>satchel \(command)</code>"), "\(command)")
        }
        try client.end()
    }
}
