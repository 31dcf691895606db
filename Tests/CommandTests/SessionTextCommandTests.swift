import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Sessions by hand")
struct SessionTextCommandTests {
    let sandbox: Sandbox
    init() throws { sandbox = try Sandbox() }

    @Test("A session is written, shown as text, read back from a file and changed")
    func whole() async throws {
        let store = try await sandbox.client(pro: true)
        let made = try await sandbox.bzpack(
            "new",
            "Tabata",
            "--text",
            "transition: Get ready 10 s / 8 x (Work 20 s [Cardio] / Rest 10 s)",
            "--store",
            store
        )
        #expect(made.status == 0, "\(made.errors)")
        let text = try await sandbox.bzpack("show", "tabata", "--as", "text", "--store", store)
        #expect(text.output.contains("8 x (\n  Work 20 s [Cardio]\n"))
        try sandbox.write("copy.txt", text.output)
        let copy = try await sandbox.bzpack(
            "new",
            "Second",
            "--file",
            sandbox.path("copy.txt"),
            "--store",
            store,
            "--format",
            "json"
        )
        #expect(copy.status == 0, "\(copy.errors)")
        #expect(try copy.json["items"]?.array?.count == 17)
        let before = try await sandbox.bzpack("show", "Tabata", "--format", "json", "--store", store).json
        let edited = try await sandbox.bzpack(
            "edit",
            "Tabata",
            "--text",
            "transition: Get ready 10 s / 4 x (Work 20 s [cardio] / Rest 10 s)",
            "--store",
            store
        )
        #expect(edited.status == 0, "\(edited.errors)")
        let after = try await sandbox.bzpack("show", "Tabata", "--format", "json", "--store", store).json
        #expect(after["id"] == before["id"])
        #expect(after["items"]?.array?.count == 9)
        #expect(after["items"]?.array?.first?["id"] == before["items"]?.array?.first?["id"])
    }

    @Test("A file of an older editor is read as Windows-1252 with a warning, and a byte order mark is none of its text")
    func encodings() async throws {
        let store = ["--store", try await sandbox.client(pro: true)]
        let text = "name: R\u{fc}cken\nDr\u{fc}cken 20 s -- f\u{fc}r Jos\u{e9}\n"
        try sandbox.write("windows.txt", text.unicodeScalars.map { UInt8($0.value) })
        let guessed = try await sandbox.bzpack(["new", "--file", sandbox.path("windows.txt")] + store)
        #expect(guessed.status == 3 && guessed.errors.contains(":1:1: warning[text.windows-1252]"), "\(guessed.errors)")
        let shown = try await sandbox.bzpack(["show", "R\u{fc}cken", "--as", "text"] + store)
        #expect(shown.output == text, "\(shown.output)\(shown.errors)")
        try sandbox.write("marked.txt", "\u{FEFF}name: Legs\nSquats 20 s\n")
        let marked = try await sandbox.bzpack(["new", "--file", sandbox.path("marked.txt")] + store)
        #expect(marked.status == 0, "\(marked.errors)")
        let edited = try await sandbox.bzpack(["edit", "Legs", "--file", sandbox.path("windows.txt")] + store)
        #expect(edited.status == 3 && edited.errors.contains("1 other session has this name"), "\(edited.errors)")
        try sandbox.write("wide.txt", [0xFF, 0xFE, 0x41, 0, 0x20, 0, 0x31, 0])
        let wide = try await sandbox.bzpack(["new", "Wide", "--file", sandbox.path("wide.txt")] + store)
        #expect(wide.status == 65 && wide.errors.contains("not UTF-8"), "\(wide.errors)")
    }

    @Test("The Free plan takes five sessions, and maps custom categories")
    func free() async throws {
        let store = try await sandbox.client()
        for number in 1...5 {
            let made = try await sandbox.bzpack("new", "S\(number)", "--text", "A 10 s [Dance]", "--store", store)
            #expect(made.status == 3)
        }
        #expect(try await sandbox.bzpack("new", "S6", "--text", "A 10 s", "--store", store).status == 77)
    }

    @Test("A text that cannot be read changes nothing, and without a terminal no editor opens")
    func refusals() async throws {
        let store = try await sandbox.client()
        let bad = try await sandbox.bzpack("new", "X", "--text", "A 10 s\nPlank", "--store", store)
        #expect(bad.status == 65)
        #expect(bad.errors.contains("--text:2:"))
        #expect(try await sandbox.bzpack("new", "X", "--store", store).status == 64)
        #expect(
            try await sandbox.bzpack("list", "--store", store, "--format", "json").json["sessions"]?.array?.isEmpty
                == true
        )
    }

    @Test("A name that a session has is refused, unless a second one is asked for")
    func duplicates() async throws {
        let store = try await sandbox.client()
        let new = ["new", "Legs", "--text", "Squats 45 s", "--store", store]
        #expect(try await sandbox.bzpack(new).status == 0)
        let again = try await sandbox.bzpack(["new", "LEGS", "--text", "A 1 s", "--store", store])
        #expect(again.status == 64)
        #expect(
            again.errors.contains("there is a session \"Legs\" already") && again.errors.contains("--allow-duplicates"),
            "\(again.errors)"
        )
        // The command that is printed changes the store that was named, and not the usual one.
        #expect(again.errors.contains("bzpack edit \"Legs\" --store \(store), or"), "\(again.errors)")
        let named = try await sandbox.bzpack("new", "--text", "name: legs\nA 1 s", "--store", store)
        #expect(named.status == 64, "\(named.errors)")
        #expect(
            try await sandbox.bzpack("list", "--store", store, "--format", "json").json["sessions"]?.array?.count == 1
        )
        #expect(try await sandbox.bzpack(new + ["--allow-duplicates"]).status == 0)
        // Two sessions of one name are told apart where they are found.
        let found = try await sandbox.bzpack("find", "legs", "--store", store)
        let heads = found.output.split(separator: "\n").filter { $0.hasPrefix("session \"Legs\" (id ") }
        #expect(heads.count == 2 && Set(heads).count == 2, "\(found.output)\(found.errors)")
    }

    @Test("A command that is printed names a session so that a shell reads it as it is")
    func printedCommands() async throws {
        let store = try await sandbox.client(pro: true)
        func add(_ name: String, _ more: String...) async throws -> Outcome {
            try await sandbox.bzpack(["new", name, "--text", "Plank 1 min", "--store", store] + more)
        }
        #expect(try await add("Core work").output.contains("bzpack show \"Core work\" --store "))
        for name in ["`touch PWNED`", "5\" Sprint", "Core $tark", "a!b"] {
            let added = try await add(name)
            #expect(added.status == 0 && !added.output.contains("bzpack show \""), "\(added.output)")
            let words = try #require(added.output.split(separator: "bzpack show ").last?.split(separator: " ").first)
            let shown = try await sandbox.bzpack("show", String(words), "--store", store)
            #expect(shown.status == 0 && shown.output.hasPrefix("\(name)\n"), "\(shown.output)\(shown.errors)")
            let again = try await add(name)
            #expect(again.status == 64 && again.errors.contains("bzpack edit \(words) --store "), "\(again.errors)")
        }
        // Of two sessions of one name only the id names one.
        let second = try await add("Core work", "--allow-duplicates")
        #expect(second.status == 0 && !second.output.contains("bzpack show \""), "\(second.output)")
        let renamed = try await sandbox.bzpack("session", "rename", "Core $tark", "core work", "--store", store)
        #expect(renamed.status == 0, "\(renamed.errors)")
        #expect(renamed.errors.contains("note: 2 other sessions have this name"), "\(renamed.errors)")
        let alone = try await sandbox.bzpack("session", "rename", "a!b", "Alone", "--store", store)
        #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone.errors)")
    }

    @Test("A text without tags and days keeps them, and what else it leaves out is named")
    func leftOut() async throws {
        let store = try await sandbox.client(pro: true)
        let text =
            "name: Leg day\ntags: Sarah, legs\ndays: Mon Thu\nSquats 36 s {color=#ff0000} -- keep the back straight\nRest 30 s"
        #expect(try await sandbox.bzpack("new", "--text", text, "--store", store).status == 0)
        let edited = try await sandbox.bzpack("edit", "Leg day", "--text", "Squats 45 s / Rest 30 s", "--store", store)
        #expect(edited.output.contains("\"Squats\" had, and it is removed: notes, colour"), "\(edited.output)")
        let shown = try await sandbox.bzpack("show", "Leg day", "--as", "text", "--store", store).output
        #expect(shown.contains("tags: Sarah, legs\ndays: Mon Thu\n"), "\(shown)")
        let emptied = "tags:\nSquats 45 s / Rest 30 s"
        #expect(try await sandbox.bzpack("edit", "Leg day", "--text", emptied, "--store", store).status == 0)
        #expect(try await !sandbox.bzpack("show", "Leg day", "--as", "text", "--store", store).output.contains("tags"))
        let both = ["edit", "Leg day", "--text", "Rest 5 s", "--file", "none.txt", "--store", store]
        #expect(try await sandbox.bzpack(both).status == 64)
    }
}
