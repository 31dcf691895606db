import Foundation
import StrictJSON
import Testing
import TestSupport

struct SlatePlaceTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func folder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: false)
    }

    private func database(_ name: String, tasks: Int) async throws -> String {
        let file = try sandbox.backup("of-\(name).json", tasks: tasks)
        let path = sandbox.path(name)
        #expect(try await sandbox.slate("import", file, "--db", path, "--yes").status == 0)
        return path
    }

    private func export(_ database: String, _ output: String, _ extra: String...) async throws -> Outcome {
        let arguments = ["export", "--db", database, "--output", output, "--now", slateNow, "--yes"]
        return try await sandbox.slate(arguments + extra)
    }

    @Test("The database, what belongs to it and its safety copies are never replaced, not with --yes either")
    func databaseItself() async throws {
        let database = try await database("notes.json", tasks: 1)
        let bytes = try sandbox.bytes("notes.json")
        try FileManager.default.linkItem(atPath: database, toPath: sandbox.path("linked.json"))
        try folder("notes.json.safety")
        for output in ["notes.json", "./notes.json", database, "linked.json"] {
            let outcome = try await export(database, output)
            #expect(outcome.status == 64, "\(output) \(outcome.errors)")
            #expect(outcome.errors.contains("it is the database itself"))
        }
        for output in ["notes.json.safety", "notes.json.safety/", "notes.json.safety/x.json"] {
            let outcome = try await export(database, output)
            #expect(outcome.status == 64, "\(output) \(outcome.errors)")
            #expect(outcome.errors.contains("undo goes back to"))
        }
        #expect(try await export(database, "notes.json-wal").status == 64)
        #expect(try sandbox.bytes("notes.json") == bytes)
        #expect(try sandbox.leftovers().isEmpty)
    }

    @Test("A file's name ends as a backup's does, unless it is one already; the question says what it is")
    func names() async throws {
        let database = try await database("slate.db", tasks: 1)
        try sandbox.write("photo.jpg", "a photo")
        try sandbox.write("notes.json", "notes")
        try sandbox.backup("old.backup", tasks: 1)
        let missing = try await export(database, "backups")
        #expect(missing.status == 64)
        #expect(missing.errors.contains("backups is no folder: make it, or name a file that ends in .json or"))
        let photo = try await export(database, "photo.jpg")
        #expect(photo.status == 64)
        let refusal = "photo.jpg is no backup of Slate, so it is not replaced: name a file that ends in .json or"
        #expect(photo.errors.contains(refusal), "\(photo.errors)")
        let encrypted = try await export(database, "x.age", "--encrypt")
        #expect(encrypted.status == 64)
        #expect(encrypted.errors.contains("a file that ends in .json.age or .slatebackup.age"), "\(encrypted.errors)")
        for name in ["x.zip", "x.tar.zst"] {
            #expect(try await export(database, name).errors.contains("add --archive"))
            #expect(!sandbox.has(name))
        }
        #expect(try await export(database, "x.zip", "--archive", "tar.zst").status == 64)
        // A name says what is in the file.
        let packed = try await export(database, "z.json", "--archive", "zip")
        #expect(packed.status == 64 && packed.errors.contains("z.json is named like plain JSON"), "\(packed.errors)")
        let locked = try await export(database, "q.json", "--encrypt")
        #expect(locked.status == 64 && locked.errors.contains("ends in .json.age"), "\(locked.errors)")
        #expect(!sandbox.has("z.json") && !sandbox.has("q.json"))
        let asked = try await sandbox.slate("export", "--db", database, "--output", "notes.json")
        #expect(asked.status == 64)
        #expect(asked.errors.contains("Replace notes.json, which is no backup of Slate"))
        #expect(try await export(database, "old.backup").status == 0)
        #expect(try await export(database, "x.zip", "--archive", "zip").status == 0)
        #expect(!sandbox.has("backups"))
        #expect(try sandbox.bytes("photo.jpg") == Array("a photo".utf8))
    }

    @Test("A new backup is held against the other kind of its day, and a day does not erode")
    func sameDay() async throws {
        let (many, some, few) = (
            try await database("many.db", tasks: 100), try await database("some.db", tasks: 60),
            try await database("few.db", tasks: 1)
        )
        try folder("a")
        #expect(try await export(many, "a", "--plain").status == 0)
        let archive = try await export(few, "a", "--archive", "zip")
        #expect(archive.status == 3)
        #expect(archive.errors.contains("warning[slate.shrunk]") && archive.errors.contains("a/Slate-20260107.json"))
        let prune = ["prune", "a", "--keep-last", "1", "--yes", "--now", slateNow]
        #expect(try await sandbox.slate(prune).status == 0)
        #expect(sandbox.has("a/Slate-20260107.json"))
        try folder("b")
        #expect(try await export(many, "b/", "--archive", "zip").status == 0)
        #expect(try await export(few, "b/", "--plain").errors.contains("b/Slate-20260107.slatebackup"))
        try folder("c")
        #expect(try await export(many, "c", "--plain").status == 0)
        let kept = try await export(some, "c", "--plain")
        #expect(kept.status == 0)
        #expect(kept.errors.contains("c/Slate-20260107.json: note[slate.shrunk]: kept beside the new backup"))
        #expect(kept.output.contains("c/Slate-20260107-2.json"))
        #expect(try await export(many, "c", "--plain").output.contains("c/Slate-20260107.json "))
        #expect(try await export(few, "c", "--plain").status == 3)
    }
}
