import AppList
import DirectorySync
import Foundation
import RecordStore
import StrictJSON
import TestSupport
import Testing

/// The commands for encrypted folders, as a person runs them.
@Suite("Commands for encrypted folders")
struct EncryptedProgramTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func laptop() async throws -> Machine {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.sql(Machine.task("t1", "Milk"))
        for (name, text) in [("pass", "correct horse\n"), ("wrong", "battery staple\n")] {
            let path = try sandbox.write(name, text)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let made = try await laptop.run(
            "init",
            "share",
            "--store",
            laptop.store,
            "--name",
            "Laptop",
            "--encrypt",
            "--passphrase-file",
            "pass",
            "--recovery-file",
            "recovery"
        )
        #expect(made.status == 0, "\(made.errors)")
        return laptop
    }

    private func join(_ machine: Machine, _ more: String...) async throws -> ProgramOutcome {
        let join = ["join", "share", "--create", "slate=\(machine.store)", "--name", machine.name]
        return try await machine.run(join + more)
    }

    @Test("A wrong passphrase is one line and 77, and changes nothing; the right one and the recovery code open")
    func join() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        let before = try sandbox.names()
        let wrong = try await join(tower, "--passphrase-file", "wrong")
        #expect(wrong.status == 77 && wrong.output.isEmpty)
        #expect(
            wrong.errors.split(separator: "\n").count == 1 && wrong.errors.contains("wrong-passphrase"),
            "\(wrong.errors)"
        )
        let none = try await join(tower)
        #expect(none.status == 77 && none.errors.contains("--passphrase-file"), "\(none.errors)")
        #expect(try sandbox.names() == before)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try tower.titles() == ["Milk"])
        let tablet = Machine("Tablet", in: sandbox)
        #expect(try await join(tablet, "--recovery-file", "recovery").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        let status = try await laptop.run("key", "status", "--format", "json").json
        #expect(status["number"]?.number?.int == 1 && status["devices"]?.array?.count == 3, "\(status)")
    }

    /// The slots of the folder with their bytes.
    private func slots() throws -> [String: [UInt8]] {
        let names = try sandbox.names().filter { $0.hasSuffix(".slot") }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try sandbox.bytes($0)) })
    }

    @Test("A new passphrase that opens the folder already is refused, and nothing is changed")
    func samePassphrase() async throws {
        let laptop = try await laptop()
        let before = try slots()
        let commands = [
            ["key", "rotate", "share", "--new-passphrase", "--passphrase-file", "pass", "--recovery-file", "r1"],
            ["key", "passphrase", "share", "--passphrase-file", "pass"],
        ]
        for command in commands {
            let outcome = try await laptop.run(command)
            #expect(outcome.status == 64 && outcome.errors.contains("opens the folder already"), "\(outcome)")
            #expect(try slots() == before && !sandbox.has("r1"))
        }
        #expect(try await laptop.run("key", "passphrase", "share", "--passphrase-file", "wrong").status == 0)
        #expect(try slots() != before)
    }

    @Test("An old passphrase, whose slot a transport brought back, opens nothing for a device that lacks today's key")
    func oldPassphrase() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        func rotate(_ file: String, _ code: String) async throws {
            let rotation = ["key", "rotate", "share", "--new-passphrase", "--passphrase-file", file]
            let rotated = try await laptop.run(rotation + ["--recovery-file", code])
            #expect(rotated.status == 0, "\(rotated.errors)")
        }
        var before = try slots()
        try await rotate("wrong", "r1")
        for (name, bytes) in before { try sandbox.write(name, bytes) }
        let old = try await join(tower, "--passphrase-file", "pass")
        #expect(old.status == 77 && old.output.isEmpty, "\(old)")
        #expect(old.errors.contains("opens an earlier key only") && old.errors.contains("nothing was changed"))
        #expect(!sandbox.has("Tower.db") && !sandbox.has("Tower.json"))
        #expect(try await join(tower, "--passphrase-file", "wrong").status == 0)
        #expect(try tower.titles() == ["Milk"])
        // The slots of the next key come later than its file.
        before = try slots()
        try await rotate("pass", "r2")
        let new = try slots()
        for name in new.keys { try sandbox.remove(name) }
        for (name, bytes) in before { try sandbox.write(name, bytes) }
        let locked = try await tower.run("key", "unlock", "share", "--passphrase-file", "wrong")
        #expect(locked.status == 77 && locked.output.isEmpty, "\(locked)")
        #expect(locked.errors.contains("opens an earlier key only"), "\(locked.errors)")
        for (name, bytes) in new { try sandbox.write(name, bytes) }
        let open = try await tower.run("key", "unlock", "share", "--passphrase-file", "pass")
        #expect(open.status == 0 && open.output.contains("is open on this device"), "\(open)")
        #expect(try await tower.run("sync").status == 0)
    }

    @Test("A new device takes a folder for plain only where its marker is whole", arguments: ["", "\u{0}\u{0}", "{}"])
    func damagedMarker(text: String) async throws {
        _ = try await laptop()
        let marker = try #require(sandbox.names().first { $0.hasSuffix(".root") })
        let whole = try sandbox.bytes(marker)
        try sandbox.write(marker, text)
        for folder in ["none", "share/keys", "share/sealed"] {
            if folder != "none" { try FileManager.default.removeItem(atPath: sandbox.path(folder)) }
            let tower = Machine("Tower", in: sandbox)
            let joined = try await join(tower)
            #expect(joined.status == 75 && joined.errors.contains("nothing was changed"), "\(joined.errors)")
            #expect(!sandbox.has("share/w"))
        }
        try sandbox.write(marker, whole)
        #expect(try await join(Machine("Tower", in: sandbox)).status == 77)
    }

    @Test("The inbox of a phone ends when the phone is removed: nothing is taken from it or written for it")
    func removePhone() async throws {
        let laptop = try await laptop()
        try FileManager.default.createDirectory(atPath: sandbox.path("phone"), withIntermediateDirectories: true)
        #expect(try await laptop.run("inbox", "add", "phone", "--device", "Phone").status == 0)
        func export(_ day: String, _ title: String) throws {
            try sandbox.write(
                "phone/Slate-\(day).json",
                """
                {"schema_version": 2, "exported_at": "\(day)T08:00:00Z", "meta": {}, "tasks": [{"id": "t1", "title": "\(title)", \
                "is_done": false, "created_at": "2026-01-01T08:00:00Z", "updated_at": "\(day)T08:00:00Z"}], "habits": [], \
                "habit_completions": [], "day_plan": [], "day_plan_items": [], "activity_log": [], "day_snapshots": []}
                """
            )
        }
        try export("2026-02-01", "Milk")
        #expect(try await laptop.run("sync").status == 0)
        let given = try sandbox.bytes("phone/Slate-synced-laptop.json")
        let removed = try await laptop.run(
            ["devices", "remove", "Phone", "--passphrase-file", "pass", "--recovery-file", "r2"]
        )
        #expect(removed.status == 0, "\(removed.output)\(removed.errors)")
        #expect(removed.output.contains("/phone are taken no more"), "\(removed.output)")
        try export("2026-02-02", "Thief")
        try laptop.sql(Machine.task("t2", "Secret"))
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Milk", "Secret"])
        #expect(try sandbox.bytes("phone/Slate-synced-laptop.json") == given)
    }

    @Test("A device that was removed gets nothing more, and says so at each sync without a storm")
    func remove() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        let retired = try await laptop.run("devices", "retire", "Tower")
        #expect(retired.output.contains("devices remove"), "\(retired.output)")
        let unsure = try await laptop.run(
            "devices",
            "remove",
            "Tower",
            "--passphrase-file",
            "wrong",
            "--recovery-file",
            "r1"
        )
        #expect(unsure.status == 77 && !sandbox.has("r1"))
        let removed = try await laptop.run(
            "devices",
            "remove",
            "Tower",
            "--passphrase-file",
            "pass",
            "--recovery-file",
            "r2"
        )
        #expect(removed.status == 0 && removed.output.contains("It is there for: Laptop."), "\(removed)")
        try laptop.sql(Machine.rename("t1", "Secret"))
        #expect(try await laptop.run("sync").status == 0)
        let late = try await tower.run("sync")
        #expect(late.status == 3 && late.output.contains("was replaced"), "\(late)")
        // One line for the key, and one for being retired.
        #expect(late.output.split(separator: "\n").count == 2, "\(late.output)")
        #expect(late.output.contains("does not wait for it any more"), "\(late.output)")
        #expect(try tower.titles() == ["Milk"])
        try tower.sql(Machine.rename("t1", "Stolen"))
        #expect(try await tower.run("sync").status == 4)
        #expect(try await laptop.run("verify").status == 0)
    }

    @Test("A new key is there for a device that has left as well, which is said, until it is removed")
    func leftDevice() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await !laptop.run("devices").output.contains("has left"))
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        let list = try await laptop.run("devices").output.split(separator: "\n")
        #expect(list.contains { $0.contains("Tower") && $0.hasSuffix("has left") }, "\(list)")
        func replace(_ arguments: String..., code: String) async throws -> ProgramOutcome {
            try await laptop.run(arguments + ["--passphrase-file", "pass", "--recovery-file", code])
        }
        let rotated = try await replace("key", "rotate", code: "r1")
        #expect(rotated.status == 0 && rotated.output.contains("\"Tower\" has left"), "\(rotated)")
        #expect(rotated.output.contains("devices remove Tower keeps it from reading on"), "\(rotated.output)")
        #expect(try await replace("devices", "remove", "Tower", code: "r2").status == 0)
        let again = try await replace("key", "rotate", code: "r3")
        #expect(again.status == 0 && !again.output.contains("Tower"), "\(again)")
    }

    @Test("A new key is there for a device that is retired as well, which is said")
    func retiredDevice() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("devices", "retire", "Tower").status == 0)
        let rotated = try await laptop.run(
            ["key", "rotate", "share", "--passphrase-file", "pass", "--recovery-file", "r0"]
        )
        #expect(rotated.output.contains("\"Tower\" is retired, and gets the new key"), "\(rotated)")
    }

    @Test("A device whose confirmation a new key came before is listed, and has confirmed nothing")
    func lateConfirmation() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        try laptop.sql(Machine.task("t2", "Bread"))
        #expect(try await laptop.run("sync").status == 0)
        let before = try Set(sandbox.names())
        #expect(try await tower.run("sync").status == 0)
        let late = try sandbox.names().filter { $0.hasSuffix(".sealed") && !before.contains($0) }
        #expect(!late.isEmpty)
        let bytes = try late.map { try sandbox.bytes($0) }
        for name in late { try sandbox.remove(name) }
        let rotated = try await laptop.run(["key", "rotate", "--passphrase-file", "pass", "--recovery-file", "r1"])
        #expect(rotated.status == 0, "\(rotated)")
        for (name, bytes) in zip(late, bytes) { try sandbox.write(name, bytes) }
        #expect(try await laptop.run("sync").status == 0)
        let status = try await laptop.run("status")
        #expect(status.output.contains("Tower") && !status.output.contains("no other device"), "\(status)")
        #expect(try await laptop.run("devices").output.contains("Tower"))
        #expect(try await tower.run("sync").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("status").output.contains("up to date"))
    }

    @Test("A change that an old key sealed is named by verify and doctor as by sync, until its device syncs again")
    func lateChange() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        let before = try Set(sandbox.names())
        try tower.sql(Machine.rename("t1", "Cream"))
        #expect(try await tower.run("sync").status == 0)
        let late = try sandbox.names().filter { $0.hasSuffix(".sealed") && !before.contains($0) }
        let bytes = try late.map { try sandbox.bytes($0) }
        for name in late { try sandbox.remove(name) }
        let rotated = try await laptop.run(["key", "rotate", "--passphrase-file", "pass", "--recovery-file", "r1"])
        #expect(rotated.status == 0, "\(rotated)")
        for (name, bytes) in zip(late, bytes) { try sandbox.write(name, bytes) }
        for command in ["sync", "status", "verify"] {
            let outcome = try await laptop.run(command)
            #expect(outcome.status == 3, "\(command): \(outcome)")
            #expect(outcome.output.contains("changes of Tower are not counted"), "\(command): \(outcome)")
        }
        let found = try await laptop.other("satchel", ["doctor"])
        let words = "FAULT Slate in \(sandbox.path("share")): 1 file sealed with an old key"
        #expect(found.status == 3 && found.output.contains(words), "\(found)")
        for machine in [tower, laptop] { #expect(try await machine.run("sync").status == 0) }
        #expect(try laptop.titles() == ["Cream"])
        #expect(try await laptop.run("verify").status == 0)
        #expect(try await laptop.other("satchel", ["doctor"]).output.contains("ok    Slate in"))
    }

    @Test("The next step for a folder without a key is to open it")
    func nextStep() async throws {
        let laptop = try await laptop()
        let keys = try sandbox.names().filter { !$0.hasPrefix("share/") && $0.hasSuffix(".keys") }
        #expect(!keys.isEmpty)
        for name in keys { try sandbox.remove(name) }
        let step = "satchel sync key unlock \(sandbox.path("share"))"
        let status = try await laptop.other("satchel", ["status", "--format", "json"])
        #expect(try status.json["next"]?.array == [.string(step)], "\(status)")
        #expect(try await laptop.run("key", "unlock", "share", "--passphrase-file", "pass").status == 0)
        let opened = try await laptop.other("satchel", ["status", "--format", "json"])
        #expect(opened.status == 0 && !opened.output.contains("key unlock"), "\(opened)")
    }

    @Test("Nothing is joined while the marker of an encrypted folder says that it is plain")
    func plainMarker() async throws {
        _ = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        let name = try #require(sandbox.names().first { $0.hasSuffix(".root") })
        let marker = try sandbox.bytes(name)
        let space = try Replica.space(of: sandbox.path("share"))
        try sandbox.write(name, #"{"format":"satchel-space","version":1,"space":"\#(space)"}"# + "\n")
        let before = try Set(sandbox.names())
        let refused = try await join(tower, "--passphrase-file", "pass")
        #expect(refused.status == 65 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("its marker says that it is not"), "\(refused)")
        // The empty folder of the keys stays, with its lock.
        let new = try sandbox.names().filter { !before.contains($0) && !$0.hasSuffix("lock") && $0.contains(".") }
        #expect(new.isEmpty, "\(new)")
        try sandbox.write(name, marker)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try tower.titles() == ["Milk"])
    }

    @Test("The list of who gets later keys has today's names, by which devices are removed")
    func names() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        #expect(try await tower.run("devices", "rename", "Studio").status == 0)
        try tower.sql(Machine.task("t2", "Bread"))
        #expect(try await tower.run("sync").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        let other = Machine("Other", in: sandbox)
        let named = [
            "join", "share", "--create", "slate=\(other.store)", "--name", "Tower", "--passphrase-file", "pass",
        ]
        #expect(try await other.run(named).status == 0)
        let status = try await laptop.run("key", "status").output
        #expect(status.contains("Studio") && status.contains("Tower") && !status.contains("Tower, Tower"), "\(status)")
        let secrets = ["--passphrase-file", "pass", "--recovery-file"]
        let rotated = try await laptop.run(["key", "rotate"] + secrets + ["r1"])
        #expect(rotated.status == 0 && rotated.output.contains("Studio"), "\(rotated)")
        let removed = try await laptop.run(["devices", "remove", "Studio"] + secrets + ["r2"])
        #expect(removed.output.contains("\"Studio\" is removed"), "\(removed)")
        // It has written nothing yet.
        let new = try await laptop.run(["devices", "remove", "Tower"] + secrets + ["r3"])
        #expect(new.output.contains("It is there for: Laptop."), "\(new)")
    }

    @Test("A new key names the devices of which the folder has no note, and which do not get it")
    func lostNotes() async throws {
        let laptop = try await laptop()
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower, "--passphrase-file", "pass").status == 0)
        try tower.sql(Machine.task("t2", "Bread"))
        #expect(try await tower.run("sync").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        for file in try sandbox.names() where file.hasSuffix(".sealed") { try sandbox.remove(file) }
        let rotated = try await laptop.run("key", "rotate", "--passphrase-file", "pass", "--recovery-file", "r1")
        #expect(rotated.status == 0 && rotated.errors.contains("Tower does not get the new key"), "\(rotated)")
        #expect(try await tower.run("key", "unlock", "--passphrase-file", "pass").status == 0)
        let again = try await laptop.run("key", "rotate", "--passphrase-file", "pass", "--recovery-file", "r2")
        #expect(again.status == 0 && !again.errors.contains("does not get"), "\(again)")
    }

    @Test("A recovery code is read as a person saved it; repair with --accept-old-key finds nothing to take in")
    func savedCode() async throws {
        let laptop = try await laptop()
        let code = String(decoding: try sandbox.bytes("recovery"), as: UTF8.self)
        let groups = code.split(separator: "\n")[0].split(separator: "-").joined(separator: "\u{2013}\n")
        try sandbox.write("saved", "\(groups)\n")
        let joined = try await join(Machine("Tower", in: sandbox), "--recovery-file", "saved")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try await laptop.run("repair", "--accept-old-key").status == 0)
    }

    @Test("A device asks, another admits it, and both compare words")
    func request() async throws {
        let laptop = try await laptop()
        let tablet = Machine("Tablet", in: sandbox)
        let asked = try await join(tablet, "--request")
        #expect(asked.status == 75)
        let words = try #require(asked.errors.firstMatch(of: /these words: ([a-z ]+)\./)).1
        let shown = try await laptop.run("devices", "admit")
        #expect(shown.status == 64 && shown.errors.contains(words))
        #expect(try await laptop.run("devices", "admit", "--words", "none of them").status == 66)
        let admitted = try await laptop.run("devices", "admit", "--words", String(words))
        let answer = try #require(admitted.output.firstMatch(of: /these words: ([a-z ]+)\n/)).1
        let wrong = try await join(tablet, "--words", String(words))
        #expect(wrong.status == 77 && !FileManager.default.fileExists(atPath: tablet.store))
        #expect(try await join(tablet, "--words", String(answer)).status == 0)
        #expect(try tablet.titles() == ["Milk"])
    }

    @Test("Scripts that name neither get a plain folder and a note; files without a reason are refused")
    func plain() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try sandbox.write("pass", "correct horse\n")
        let lacking = try await laptop.run(
            "init",
            "share",
            "--store",
            laptop.store,
            "--encrypt",
            "--passphrase-file",
            "pass"
        )
        #expect(lacking.status == 64 && lacking.errors.contains("--recovery-file") && !sandbox.has("share"))
        let odd = try await laptop.run(
            "init",
            "share",
            "--store",
            laptop.store,
            "--no-encrypt",
            "--passphrase-file",
            "pass"
        )
        #expect(odd.status == 64 && !sandbox.has("share"))
        guard !EncryptedRun.isOn else { return }
        let made = try await laptop.run("init", "share", "--store", laptop.store)
        #expect(made.status == 0 && made.errors.contains("not encrypted"))
        #expect(sandbox.has("share/w") && !sandbox.has("share/keys"))
        let tower = Machine("Tower", in: sandbox)
        let misled = try await join(tower, "--passphrase-file", "pass")
        #expect(misled.status == 65 && misled.errors.contains("is not encrypted"), "\(misled.errors)")
        #expect(try await laptop.run("key").status == 65)
    }

    @Test(
        "What is still plain after encrypt is told by key status, until all devices have gone over",
        .enabled(if: !EncryptedRun.isOn)
    )
    func stillPlain() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try sandbox.write("pass", "correct horse\n")
        #expect(try await laptop.run("init", "share", "--store", laptop.store).status == 0)
        let tower = Machine("Tower", in: sandbox)
        #expect(try await join(tower).status == 0)
        #expect(try await laptop.run("sync").status == 0)
        let secrets = ["--passphrase-file", "pass", "--recovery-file", "code"]
        let encrypted = try await laptop.run(["encrypt", "share"] + secrets)
        #expect(encrypted.status == 0, "\(encrypted)")
        let before = try await laptop.run("key").output
        #expect(before.contains("can still be read by whoever carries it"), "\(before)")
        #expect(try await tower.run("join", "share", "--passphrase-file", "pass").status == 0)
        for machine in [tower, laptop, tower, laptop] { _ = try await machine.run("sync") }
        let after = try await laptop.run("key").output
        #expect(!after.contains("can still be read"), "\(after)")
    }

    @Test("At a terminal a recovery code that is not typed back makes no folder")
    func terminal() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        let answers = "\ncorrect horse battery\ncorrect horse battery\nnone\nnone\nnone\n"
        let made = try await laptop.onTerminal("init share --store \(laptop.store)", answers: answers)
        #expect(made.output.contains("recovery code") && made.output.contains("was not typed back"), "\(made)")
        #expect(!sandbox.has("share") && !sandbox.has("Laptop-keys"))
    }

    @Test("Whoever carries the folder sees whether all files are whole")
    func carrier() async throws {
        _ = try await laptop()
        let nas = Machine("Nas", in: sandbox)
        #expect(try await nas.run("verify", "share").status == 0)
        let file = try #require(try sandbox.names().first { $0.hasSuffix(".sealed") })
        try sandbox.write(file, Array(sandbox.bytes(file).dropLast()))
        let found = try await nas.run("verify", "share")
        #expect(found.status == 3 && found.output.contains(file.dropFirst("share/".count)), "\(found)")
    }
}
