import Testing
import TestSupport

/// A command that is refused leaves no store where there was none.
@Suite struct NewStoreTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Files that every program refuses, and some that one of them takes.
    private static let files: [String: String] = [
        "empty": "", "text.txt": "no export", "cut.json": "{\"schema_version\": 2,", "other.json": "{}",
        "broken.ics": "BEGIN:VCALENDAR\nnothing\n", "cut.xml": "<?xml version=\"1.0\"?><HealthData>",
        "table.csv": "Project,Start date,Start time\n\"", "tracker.csv": "id,button_id\n1\n",
    ]

    @Test("A file that is refused, or a question that nobody answers, leaves no new store")
    func refused() async throws {
        for (name, content) in Self.files { try sandbox.write(name, content) }
        // Not a zip, and one that is cut off: what Apple Health exports is read from its archive piece by piece.
        try sandbox.write("cut.zip", "PK\u{3}\u{4}")
        try sandbox.write("gzip.gz", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1])
        let log = try await sandbox.sampleLog("source.db")
        try await sandbox.exportedLog(log, to: "log.json")
        try await sandbox.exportedLog(log, to: "log.csv")
        let names = try sandbox.names()
        for file in names.filter({ $0 != "source.db" }) {
            let new = sandbox.path("new.db")
            let path = sandbox.path(file)
            for outcome in [
                try await sandbox.tracker("import", path, "--store", new),
                try await sandbox.run(Built.path("slate-backup"), ["import", path, "--db", new], input: nil),
                try await sandbox.bzpack("import", path, "--store", new),
                try await sandbox.bzpack("import", "--from-storage", path, "--store", new),
                try await sandbox.bzpack("presets", "import", path, "--store", new),
                // Where the store of the program's own would lie, no folder is made either.
                try await sandbox.tracker("import", path),
                try await sandbox.run(Built.path("slate-backup"), ["import", path], input: nil),
                try await sandbox.bzpack("import", path),
            ] {
                #expect(outcome.status != 0 && outcome.status != 3, "\(file): \(outcome.output)")
                #expect(try sandbox.names() == names, "\(file): \(outcome.errors)")
            }
        }
    }
}
