import Foundation
import TestSupport
import Testing

@testable import CommandSupport

@Suite("Files of other kinds")
struct FileGuessTests {
    static let kinds: [(file: String, kind: String)] = [
        ("interchange/toggl.csv", "Toggl"), ("interchange/clockify.csv", "Clockify"),
        ("interchange/harvest.csv", "Harvest"), ("interchange/kimai.csv", "Kimai"),
        ("interchange/tracker.csv", "Time Tracker"), ("interchange/windows-1252.csv", "table"),
        ("interchange/mixed.ics", "calendar"), ("interchange/apple-health.xml", "Apple Health"),
    ]

    @Test("A file is named for what it seems to be, with the command that reads it", arguments: kinds)
    func known(_ entry: (file: String, kind: String)) async throws {
        let file = SharedFolder.project.appending(path: "fixtures/\(entry.file)").path
        let outcome = try await Sandbox().bzpack("import", file)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("looks like"), "\(outcome.errors)")
        #expect(outcome.errors.contains(entry.kind), "\(outcome.errors)")
        #expect(outcome.errors.contains("satchel time import"), "\(outcome.errors)")
    }

    @Test("An archive is named, with the command that unpacks it")
    func archives() async throws {
        let sandbox = try Sandbox()
        var tar = [UInt8](repeating: 0, count: 1_024)
        tar.replaceSubrange(0..<10, with: "f1.bztimer".utf8)
        tar.replaceSubrange(257..<262, with: "ustar".utf8)
        try sandbox.write("x.tar", tar)
        for command in ["validate", "import"] {
            let outcome = try await sandbox.bzpack(command, "x.tar")
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("a tar archive: unpack it first, with tar -xf x.tar"), "\(outcome.errors)")
        }
        #expect(FileGuess.description(of: Array("PK\u{3}\u{4}".utf8))?.command == "unpack it first, with unzip")
    }

    @Test("A copy of a store is named, and the commands that look into it: none that writes to it")
    func stores() async throws {
        let sandbox = try Sandbox()
        try await sandbox.client("client.db", pro: true)
        for command in [["import"], ["inspect"], ["validate"], ["pack", "-o", "x.bzpack"]] {
            let outcome = try await sandbox.bzpack(command + ["client.db"])
            #expect(outcome.status == 65)
            let way = "a store of BZ Timer: bzpack list --store client.db lists what it has, bzpack restore client.db "
            #expect(outcome.errors.contains(way), "\(outcome.errors)")
            #expect(!outcome.errors.contains("sync init"))
        }
        #expect(FileGuess.description(of: Array("SQLite format 3\0".utf8))?.command == nil)
    }

    @Test("A backup of a store is named, with the command that brings it back")
    func backups() async throws {
        let sandbox = try Sandbox()
        let store = try await sandbox.client("client.db")
        #expect(try await sandbox.bzpack("backup", "b.json", "--store", store).status == 0)
        let outcome = try await sandbox.bzpack("import", "b.json", "--store", store)
        #expect(outcome.status == 65 && outcome.errors.contains("use bzpack restore"), "\(outcome.errors)")
    }

    @Test(
        "A workout of another program is named, with what is read of workouts",
        arguments: [
            ("[COURSE HEADER]\nVERSION = 2\n", "(.erg or .mrc)"),
            ("\u{E}\u{10}\u{1}\u{8}\u{1}\0\0\0.FIT", "a FIT file"),
            ("Type,Local Number,Message,Field 1\nData,0,workout,name\n", "a table of a FIT file"), ("<gpx/>", "<gpx>"),
        ]
    )
    func workouts(_ text: String, _ kind: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.write("w", text)
        let outcome = try await sandbox.bzpack("import", "w")
        #expect(outcome.status == 65)
        let way = "\(kind), which no command here reads; of workouts bzpack convert reads those of Zwift, .zwo"
        #expect(outcome.errors.contains(way), "\(outcome.errors)")
    }

    @Test("XML of no known kind is named by its root element, and no command is suggested")
    func unknownXML() {
        let text = "<?xml version=\"1.0\"?>\n<!-- a run -->\n<gpx creator=\"x\"><trk/></gpx>"
        for text in [text, "<gpx/>", "<gpx>"] {
            let found = FileGuess.description(of: Array(text.utf8))
            #expect(found?.kind == "XML with the root element <gpx>" && found?.command == nil, "\(text)")
        }
        let known = FileGuess.description(of: Array("<tracker-export version=\"1\">".utf8))
        #expect(known?.command == "satchel time import")
    }

    @Test(
        "What is nothing that is known keeps the reader's own words",
        arguments: ["hello", "xyz, and more words\n", ""]
    )
    func unknown(_ text: String) {
        #expect(FileGuess.description(of: Array(text.utf8))?.kind.contains("report") != true)
    }

    @Test("Text that is cut in a character, and every first byte there is, does no harm")
    func anything() {
        for byte in UInt8.min...UInt8.max {
            _ = FileGuess.description(of: [byte])
            _ = FileGuess.description(of: [UInt8](repeating: byte, count: 512))
        }
    }
}
