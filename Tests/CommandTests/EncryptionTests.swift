import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import CommandSupport

@Suite("Encrypted backups") struct EncryptionTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try secret("pass", "correct horse\n")
        try secret("wrong", "correct cow\n")
        try FileManager.default.createDirectory(atPath: sandbox.path("b"), withIntermediateDirectories: true)
    }

    private func secret(_ name: String, _ text: String) throws {
        let path = try sandbox.write(name, text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Makes an identity, and gives its recipient.
    private func key(_ name: String = "key") async throws -> String {
        let made = try await sandbox.run(Built.path("satchel"), ["key", "new", sandbox.path(name)])
        #expect(made.status == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .newlines)
    }

    private func export(_ options: [String], to target: String = "b", db: String = "slate.db") async throws -> Outcome {
        let place = ["--db", sandbox.path(db), "--output", sandbox.path(target), "--now", slateNow, "--yes"]
        return try await sandbox.slate(["export"] + place + options)
    }

    private func keyed(_ name: String) -> [String] { ["--passphrase-file", sandbox.path(name)] }

    /// Whether a text lies anywhere in a folder as it is.
    private func isFound(_ text: String, in folder: String) throws -> Bool {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.path(folder)).contains { name in
            let data = try? Data(contentsOf: URL(filePath: sandbox.path("\(folder)/\(name)")))
            return data?.range(of: Data(text.utf8)) != nil
        }
    }

    private func lines(_ text: String) -> Int { text.split(separator: "\n").count }

    @Test("With a passphrase: export, verify, import; the folder holds no plain text")
    func passphrase() async throws {
        try await sandbox.sampleDatabase()
        for (options, target, name) in [
            ([], "b/x.json.age", "x.json.age"), (["--archive", "zip"], "b", "Slate-20260107.slatebackup.age"),
        ] {
            let made = try await export(options + keyed("pass") + ["--format", "json"], to: target)
            #expect(made.status == 0, "\(made.errors)")
            #expect(try made.json["encrypted"]?.bool == true && made.json["file"]?.string?.hasSuffix(name) == true)
            #expect(try sandbox.bytes("b/\(name)").starts(with: Array("age-encryption.org/v1\n-> scrypt ".utf8)))
        }
        #expect(try sandbox.leftovers().isEmpty)
        #expect(try !isFound("schema_version", in: "b"))
        // The same again takes the place of the first.
        let again = try await export(keyed("pass") + ["--archive", "zip", "--format", "json"])
        #expect(try again.status == 0 && again.json["replaced"]?.bool == true, "\(again.errors)")
        let verified = try await sandbox.slate(
            ["verify", "--from", sandbox.path("b"), "--now", slateNow] + keyed("pass")
        )
        #expect(verified.status == 0, "\(verified.errors)")
        let place = ["--from", sandbox.path("b"), "--db", sandbox.path("new.db"), "--now", slateNow, "--yes"]
        let imported = try await sandbox.slate(["import"] + place + keyed("pass"))
        #expect(imported.status == 0, "\(imported.errors)")
        let exports = (
            try await sandbox.exported(sandbox.path("new.db")), try await sandbox.exported(sandbox.path("slate.db"))
        )
        #expect(exports.0 == exports.1)
    }

    @Test("A passphrase that is wrong or missing: 77, one line, nothing changed")
    func wrongPassphrase() async throws {
        try await sandbox.sampleDatabase()
        #expect(try await export(keyed("pass"), to: "b/x.json.age").status == 0)
        for options in [keyed("wrong"), []] {
            let place = [sandbox.path("b/x.json.age"), "--db", sandbox.path("new.db"), "--yes"]
            let outcome = try await sandbox.slate(["import"] + place + options)
            #expect(outcome.status == 77 && lines(outcome.errors) == 1, "\(outcome.errors)")
            #expect(!sandbox.has("new.db"))
        }
        // Nor is an older one taken that is not encrypted.
        try sandbox.backup("b/Slate-20250107.json", tasks: 2, ids: "task-")
        #expect(try await export(keyed("pass")).status == 0)
        let place = ["--from", sandbox.path("b"), "--db", sandbox.path("new.db"), "--now", slateNow, "--yes"]
        #expect(try await sandbox.slate(["import"] + place + keyed("wrong")).status == 77)
        #expect(!sandbox.has("new.db"))
        let verified = try await sandbox.slate(["verify", sandbox.path("b/x.json.age")] + keyed("wrong"))
        #expect(verified.status == 77 && lines(verified.errors) == 1)
        #expect(verified.errors.contains("the passphrase is wrong"), "\(verified.errors)")
        #expect(verified.output.hasSuffix("x.json.age: encrypted, not opened\n"), "\(verified.output)")
        // Plain JSON that is to be replaced is not asked about as if it could be encrypted.
        try sandbox.write("b/plain.json", "{}")
        let plain = try await sandbox.slate(
            "export",
            "--db",
            sandbox.path("slate.db"),
            "-o",
            sandbox.path("b/plain.json")
        )
        #expect(plain.status == 64 && plain.errors.contains("which is no backup of Slate?"), "\(plain.errors)")
        #expect(!plain.errors.contains("another key"))
    }

    @Test("For recipients: each command that reads a backup opens it with the identity")
    func recipients() async throws {
        let recipient = try await key()
        let other = try await key("other")
        try await sandbox.sampleDatabase()
        let file = sandbox.path("b/Slate-20260107.json.age")
        let both = ["--recipient", other, "--recipient", recipient]
        #expect(try await export(both, to: "b/Slate-20260107.json.age").status == 0)
        try sandbox.write("recipients", "# both\n\(recipient)\n\(other)\n")
        #expect(
            try await export(["--recipients-file", sandbox.path("recipients")], to: "b/x.slatebackup.age").status == 0
        )
        let identity = ["--identity", sandbox.path("key")]
        let db = ["--db", sandbox.path("slate.db"), "--now", slateNow]
        for arguments in [
            ["verify", file], ["inspect", file], ["diff", file, sandbox.path("b/x.slatebackup.age")],
            ["stats", file] + db, ["list", "--verify", sandbox.path("b")],
            ["prune", sandbox.path("b"), "--keep-last", "1", "--dry-run", "--now", slateNow],
        ] {
            let outcome = try await sandbox.slate(arguments + identity)
            #expect(outcome.status == 0, "\(arguments[0]): \(outcome.errors)")
            let without = try await sandbox.slate(arguments)
            #expect(without.status == (arguments[0] == "prune" ? 0 : 77), "\(arguments[0]): \(without.errors)")
        }
        let store = ["--db", sandbox.path("slate.db")]
        let found = try await sandbox.slate(
            ["find", "a", "--in", sandbox.path("b")] + store + identity + ["--format", "json"]
        )
        #expect(found.status == 0 && found.output.contains(".age"), "\(found.errors)")
        let unopened = try await sandbox.slate(["find", "a", "--in", sandbox.path("b")] + store)
        #expect(unopened.status == 3)
    }

    @Test(
        "A key file that cannot be used ends each command before it looks at a backup, and is named",
        arguments: [("missing", 66), ("folder", 66), ("empty", 77), ("cut", 77)]
    )
    func unusableKeyFile(name: String, status: Int32) async throws {
        let recipient = try await key()
        try await sandbox.sampleDatabase()
        try sandbox.backup("b/Slate-20250107.json", tasks: 2, ids: "task-")
        #expect(try await export(["--recipient", recipient]).status == 0)
        let text = String(decoding: try sandbox.bytes("key"), as: UTF8.self)
        try sandbox.write("cut", String(text.dropLast(30)))
        try sandbox.write("empty", "")
        try FileManager.default.createDirectory(atPath: sandbox.path("folder"), withIntermediateDirectories: true)
        let place = ["--db", sandbox.path("new.db")]
        for arguments in [
            ["import", "--from", sandbox.path("b"), "--yes", "--now", slateNow] + place,
            ["verify", "--from", sandbox.path("b")],
            ["list", "--verify", sandbox.path("b")], ["find", "a", "--in", sandbox.path("b")] + place,
            ["prune", sandbox.path("b"), "--keep-last", "1", "--yes", "--now", slateNow],
        ] {
            for option in ["--identity", "--passphrase-file"] where name != "cut" || option == "--identity" {
                let outcome = try await sandbox.slate(arguments + [option, sandbox.path(name)])
                #expect(outcome.status == status, "\(arguments[0]) \(option): \(outcome.errors)")
                #expect(outcome.errors.contains(sandbox.path(name)) && outcome.output.isEmpty, "\(outcome.errors)")
                #expect(!outcome.errors.contains("Slate-2"), "\(outcome.errors)")
            }
        }
        #expect(!sandbox.has("new.db"))
    }

    @Test("A prune that cannot open the newest backup removes nothing, and ends with 77")
    func lockedPrune() async throws {
        let recipient = try await key()
        _ = try await key("other")
        try await sandbox.sampleDatabase()
        // With the older one a plain backup is left that verifies, and it is as old as the rule allows.
        for day in ["04", "05"] {
            let moment = "2026-01-\(day)T20:30:00Z"
            try sandbox.backup("b/Slate-202601\(day).json", tasks: 2, exportedAt: moment, ids: "task-")
        }
        #expect(try await export(["--recipient", recipient], to: "b/Slate-20260107.json.age").status == 0)
        let prune = ["prune", sandbox.path("b"), "--keep-last", "1", "--yes", "--now", slateNow]
        for keys in [[], ["--identity", sandbox.path("other")]] {
            let outcome = try await sandbox.slate(prune + keys)
            #expect(outcome.status == 77, "\(outcome.output)\(outcome.errors)")
            #expect(
                outcome.output.contains("keep Slate-20260107.json.age: cannot be opened with the keys at hand"),
                "\(outcome.output)"
            )
            #expect(
                outcome.output.contains("keep Slate-20260104.json: the newest cannot be opened"),
                "\(outcome.output)"
            )
            #expect(sandbox.has("b/Slate-20260104.json") && sandbox.has("b/Slate-20260105.json"))
        }
        let opened = try await sandbox.slate(prune + ["--identity", sandbox.path("key"), "--dry-run"])
        #expect(opened.status == 0 && opened.output.contains("remove Slate-20260105.json"), "\(opened.output)")
    }

    @Test("A second export of a day beside one that cannot be opened replaces nothing, and is no fault")
    func unopenable() async throws {
        let recipient = try await key()
        try await sandbox.sampleDatabase()
        for name in ["Slate-20260107.slatebackup.age", "Slate-20260107-2.slatebackup.age"] {
            #expect(try await export(["--recipient", recipient, "--archive", "zip"]).status == 0)
            #expect(sandbox.has("b/\(name)"))
        }
    }

    @Test("A damaged file, or one that would take 2^40 steps, is bad data and changes nothing")
    func damaged() async throws {
        try await sandbox.sampleDatabase()
        #expect(try await export(keyed("pass"), to: "b/x.json.age").status == 0)
        let bytes = try sandbox.bytes("b/x.json.age")
        var turned = bytes
        turned[bytes.count - 20] ^= 1
        let salt = String(repeating: "A", count: 22)
        let key = String(repeating: "A", count: 43)
        let hostile = "age-encryption.org/v1\n-> scrypt \(salt) 40\n\(key)\n--- \(key)\n0123456789abcdef"
        let files: [(String, [UInt8])] = [
            ("turned", turned), ("cut", Array(bytes.dropLast(9))), ("longer", bytes + [0]),
            ("hostile", Array(hostile.utf8)),
        ]
        for (name, bytes) in files {
            let file = try sandbox.write("\(name).age", bytes)
            let outcome = try await sandbox.slate(
                ["import", file, "--db", sandbox.path("new.db"), "--yes"] + keyed("pass")
            )
            #expect(outcome.status == 65, "\(name): \(outcome.errors)")
            #expect(!sandbox.has("new.db"))
        }
    }

    @Test("Command lines that contradict themselves are refused before anything is written")
    func usage() async throws {
        let recipient = try await key()
        try await sandbox.sampleDatabase()
        for options in [
            ["--encrypt"], ["--recipient", "age1nobody"], ["--recipient", recipient] + keyed("pass"),
            ["--recipient", "ssh-ed25519 AAAA"],
        ] {
            #expect(try await export(options).status == 64, "\(options)")
        }
        #expect(try await export([], to: "b/x.json.age").status == 64)
        #expect(try await export(["--passphrase-file", sandbox.path("none")]).status == 66)
        try secret("two", "a\nb\n")
        #expect(try await export(keyed("two")).status == 65)
        try secret("empty", "\n")
        #expect(try await export(keyed("empty")).status == 65)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("b")).isEmpty)
    }

    @Test("A file with a secret that others can read is named")
    func permissions() async throws {
        try await sandbox.sampleDatabase()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: sandbox.path("pass"))
        let outcome = try await export(keyed("pass"))
        #expect(outcome.status == 0 && outcome.errors.contains("note[key.permissions]"))
    }

    @Test("The timer's backup and packs are encrypted and come back")
    func timer() async throws {
        let recipient = try await key()
        _ = try await key("other")
        let store = try await sandbox.trainer()
        let backup = sandbox.path("timer.age")
        #expect(try await sandbox.bzpack(["backup", backup, "--store", store] + keyed("pass")).status == 0)
        let target = ["--store", sandbox.path("new.db"), "--yes"]
        #expect(try await sandbox.bzpack(["restore", backup] + target + keyed("wrong")).status == 77)
        #expect(!sandbox.has("new.db"))
        let restored = try await sandbox.bzpack(["restore", backup] + target + keyed("pass"))
        #expect(restored.status == 0, "\(restored.errors)")
        let pack = sandbox.path("p.bzpack.age")
        let file = Fixtures.path("bztimer/v3/leg-day.json")
        let packed = try await sandbox.bzpack(["pack", file, "-o", pack, "--recipient", recipient])
        #expect(packed.status == 0 || packed.status == 3, "\(packed.errors)")
        for arguments in [["unpack", pack, "--list"], ["inspect", pack], ["validate", pack]] {
            let opened = try await sandbox.bzpack(arguments + ["--identity", sandbox.path("key")])
            #expect(opened.status == packed.status || opened.status == 0, "\(arguments[0]): \(opened.errors)")
            let refused = try await sandbox.bzpack(arguments + ["--identity", sandbox.path("other")])
            #expect(refused.status == 77, "\(arguments[0]): \(refused.errors)")
        }
        let client = ["import", pack, "--store", sandbox.path("client.db")]
        #expect(try await sandbox.bzpack(client).status == 77)
        #expect(!sandbox.has("client.db"))
        let imported = try await sandbox.bzpack(client + ["--identity", sandbox.path("key")])
        #expect(imported.status == 0 || imported.status == 3, "\(imported.errors)")
    }

    @Test("No command writes what is readable under the name of an encrypted file")
    func readableNames() async throws {
        let recipient = try await key()
        let store = try await sandbox.trainer()
        try await sandbox.sampleDatabase()
        let backup = sandbox.path("timer.AGE")
        let encrypted = try await sandbox.bzpack(["backup", backup, "--store", store, "--recipient", recipient])
        #expect(encrypted.status == 0, "\(encrypted.errors)")
        let before = try sandbox.bytes("timer.AGE")
        let file = Fixtures.path("bztimer/v3/leg-day.json")
        let new = sandbox.path("new.age")
        for (arguments, words) in [
            (["backup", backup, "--store", store, "--yes"], "named like an encrypted file: add --encrypt"),
            (["pack", file, "-o", new], "named like an encrypted file: add --encrypt"),
            (["export", new, "--store", store], "what would be written is not encrypted"),
            (["migrate", file, "--to", "2", "-o", new], "what would be written is not encrypted"),
            (["merge", file, file, "-o", new], "what would be written is not encrypted"),
        ] {
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 64, "\(arguments[0]): \(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(arguments[0]): \(outcome.errors)")
        }
        let slate = try sandbox.backup("a.json", tasks: 1)
        let merged = try await sandbox.slate("merge", slate, slate, "-o", new)
        #expect(merged.status == 64 && merged.errors.contains("is not encrypted"), "\(merged.errors)")
        #expect(try sandbox.bytes("timer.AGE") == before)
        #expect(!sandbox.has("new.age"))
    }

    @Test("A new identity's file is its owner's alone and replaces nothing")
    func keys() async throws {
        let recipient = try await key()
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.path("key"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let before = try sandbox.bytes("key")
        #expect(try await sandbox.run(Built.path("satchel"), ["key", "new", sandbox.path("key")]).status == 73)
        #expect(try sandbox.bytes("key") == before)
        let named = try await sandbox.run(Built.path("satchel"), ["key", "recipient", sandbox.path("key")])
        #expect(named.output == recipient + "\n")
    }

    @Test(
        "age opens what export wrote",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/age"), "this machine lacks age")
    )
    func age() async throws {
        let recipient = try await key()
        let database = try await sandbox.sampleDatabase()
        #expect(try await export(["--recipient", recipient], to: "b/x.json.age").status == 0)
        let outcome = try await sandbox.run(
            "/usr/bin/age",
            ["-d", "-i", sandbox.path("key"), sandbox.path("b/x.json.age")]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try await Array(outcome.output.utf8) == sandbox.exported(database))
    }

    @Test(
        "A simple estimate tells weak passphrases from strong ones",
        arguments: [
            ("password", PassphraseStrength.weak), ("111111111111111111", .weak), ("abcdefghijklmnop", .weak),
            ("understanding", .weak), ("two words", .weak), ("", .weak), ("correct horse battery staple", .fair),
            ("correct horse battery staple again", .strong), ("kX3!vR9pQ2z", .strong), ("a a a a a a a a", .weak),
        ]
    )
    func strength(passphrase: String, expected: PassphraseStrength) {
        #expect(PassphraseStrength(passphrase) == expected, "\(PassphraseStrength.bits(passphrase)) bits")
    }
}

/// What is asked at a terminal, which `script` of util-linux plays; answers are typed once the question is there.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "this machine lacks script"))
struct PassphrasePromptTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Runs slate-backup; gives the status and what was on the screen.
    private func onTerminal(_ arguments: String, _ dialogue: [(question: String, answer: String)]) async throws
        -> Outcome
    {
        let typing = dialogue.map { entry in
            "until grep -q '\(entry.question)' log || ! kill -0 $!; do sleep 0.05; done; printf '\(entry.answer)' >&3"
        }
        let script = """
            rm -f in log; mkfifo in; : >log
            script -qefc "'\(Built.path("slate-backup"))' \(arguments)" log <in >/dev/null 2>&1 &
            exec 3>in
            \(typing.joined(separator: "\n"))
            wait $!; status=$?
            cat log; exit $status
            """
        return try await sandbox.run("/bin/sh", ["-c", script])
    }

    @Test("A new passphrase is asked for twice and not shown; an import asks for it once", .timeLimit(.minutes(5)))
    func asks() async throws {
        try await sandbox.sampleDatabase()
        let export = "export --encrypt --output x.json.age --db slate.db --yes"
        let made = try await onTerminal(
            export,
            [("New passphrase", "sesame rose\\n"), ("once more", "sesame rose\\n")]
        )
        #expect(made.status == 0 && sandbox.has("x.json.age"), "\(made.output)")
        #expect(!made.output.contains("sesame") && made.output.contains("weak"))
        let read = try await onTerminal("verify x.json.age", [("Passphrase for x.json.age", "sesame rose\\n")])
        #expect(read.status == 0 && !read.output.contains("sesame"), "\(read.output)")
        let wrong = try await onTerminal("verify x.json.age", [("Passphrase for x.json.age", "sesame nose\\n")])
        #expect(wrong.status == 77, "\(wrong.output)")
    }

    @Test("Passphrases that differ, or none, write nothing", .timeLimit(.minutes(5)))
    func refuses() async throws {
        try await sandbox.sampleDatabase()
        let export = "export --encrypt --output x.json.age --db slate.db --yes"
        let differing = try await onTerminal(export, [("New passphrase", "a\\n"), ("once more", "b\\n")])
        #expect(differing.status == 64, "\(differing.output)")
        let empty = try await onTerminal(export, [("New passphrase", "\\n")])
        #expect(empty.status == 64, "\(empty.output)")
        let interrupted = try await onTerminal(export, [("New passphrase", "\\003")])
        #expect(interrupted.status == 130, "\(interrupted.output)")
        #expect(!sandbox.has("x.json.age"))
    }
}
