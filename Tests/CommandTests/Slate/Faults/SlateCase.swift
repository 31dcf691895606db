import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import Subprocess
import Testing
import TestSupport

/// A command that is interrupted.
enum SlateCommand: String, CaseIterable, CustomTestStringConvertible {
    case replace, merge, first, log, undo, mend, json, archive, prune

    var testDescription: String { rawValue }

    /// What is run in the folder.
    var arguments: [String] { arguments(at: slateNow) }

    /// What is run in the folder when it is interrupted and run again; of an export the moment is in the bytes.
    var laterArguments: [String] {
        [.json, .archive, .prune].contains(self) ? arguments : arguments(at: "2026-01-07T20:45:00Z")
    }

    private func arguments(at moment: String) -> [String] {
        let now = ["--now", moment, "--time-zone", "UTC"]
        switch self {
        case .replace, .first, .log: return ["import", "new.json", "--db", "slate.db", "--yes"] + now
        case .merge: return ["import", "new.json", "--mode", "merge", "--db", "slate.db", "--yes"] + now
        case .undo, .mend: return ["undo", "--db", "slate.db", "--yes", "--now", moment]
        case .json: return ["export", "--db", "slate.db", "--output", ".", "--plain"] + now
        case .archive: return ["export", "--db", "slate.db", "--output", ".", "--archive", "tar.zst"] + now
        case .prune: return ["prune", ".", "--keep-last", "3", "--yes"] + now
        }
    }

    /// What runs before, in a folder with `old.json`, `new.json` and a few older backups.
    fileprivate func prepare(_ sandbox: Sandbox) async throws {
        let old = ["import", "old.json", "--db", "slate.db", "--yes"]
        if self != .first { #expect(try await sandbox.slate(old).status == 0) }
        switch self {
        case .undo, .mend:
            // The copy of the empty database goes, so that there is one import to undo.
            try sandbox.remove("slate.db.safety")
            #expect(try await sandbox.slate("import", "new.json", "--db", "slate.db", "--yes").status == 0)
            if self == .mend { try sandbox.write("slate.db", "no database any more") }
        case .log:
            let queue = try DatabaseQueue(path: sandbox.path("slate.db"))
            _ = try await queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
            try queue.close()
        case .archive:
            let export = ["export", "--db", "other.db", "--output", "Slate-20260107.slatebackup", "--now", slateNow]
            #expect(try await sandbox.slate("import", "Slate-20260103.json", "--db", "other.db", "--yes").status == 0)
            #expect(try await sandbox.slate(export).status == 0)
        default: break
        }
        for name in ["other.db", "other.db.safety"] { try sandbox.remove(name) }
    }
}

/// A command over a prepared folder: what is there before and after it, and what must hold whenever it is interrupted.
struct SlateCase {
    let command: SlateCommand
    let before: SlateState
    let after: SlateState
    private let files: Sandbox
    private let copies: [String]

    /// Prepares the folder, and runs the command once.
    ///
    /// - Parameter rows: How many tasks and log entries the database has at least.
    init(_ command: SlateCommand, rows: Int) async throws {
        self.command = command
        files = try Sandbox()
        try files.write("old.json", Self.export(rows: 0..<rows, "as it was", day: 1))
        try files.write("new.json", Self.export(rows: rows / 4..<rows + rows / 4, "as it is", day: 2))
        for day in 1...7 { try files.backup("Slate-2026010\(day).json", tasks: day) }
        try await command.prepare(files)
        copies = try Self.copies(in: files)
        before = try SlateState(of: files)
        let folder = try Self.copy(files)
        let outcome = try await folder.slate(command.arguments)
        try #require(outcome.status == 0, "\(command): \(outcome.errors)")
        after = try SlateState(of: folder)
        try #require(before != after)
    }

    /// A folder in which the command may be run.
    func folder() throws -> Sandbox { try Self.copy(files) }

    /// Puts the prepared files into a folder.
    func fill(_ folder: Sandbox) throws { try Self.copy(files, into: folder) }

    /// Which of the two states a folder is in after an interruption; all that must hold whatever happened is checked.
    func isDone(_ folder: Sandbox, _ comment: Comment) throws -> Bool {
        // Looking takes an interrupted change back, which is for the next run of the command to do.
        let folder = try Self.copy(folder)
        let state = try SlateState(of: folder)
        if command == .prune {
            let gone = before.backups.keys.filter { state.backups[$0] == nil }.sorted()
            #expect(gone == before.backups.keys.sorted().prefix(gone.count).map(\.self), comment)
            #expect(state.backups.allSatisfy { before.backups[$0.key] == $0.value }, comment)
            #expect(after.backups.allSatisfy { state.backups[$0.key] == $0.value }, comment)
            #expect(state.database == before.database, comment)
        } else {
            #expect(state == before || state == after, comment)
        }
        try checkCopies(folder, isDone: state == after, comment)
        return state == after
    }

    /// A copy that has its name holds all of the database as it was; those that were there stay.
    private func checkCopies(_ folder: Sandbox, isDone: Bool, _ comment: Comment) throws {
        let found = try Self.copies(in: folder)
        let kept = found.filter { copies.contains($0) || copies.contains($0.replacing(".used.db", with: ".db")) }
        #expect(kept.count == copies.count, comment)
        let made = found.filter { !kept.contains($0) }
        for name in made { #expect(try SlateState.dump(folder.path(name)) == before.database, comment) }
        if isDone, !before.database.isEmpty, before.database != after.database { #expect(made.count == 1, comment) }
    }

    /// Runs the command again without any help: it ends in the state after, and nothing is left lying.
    func finish(_ folder: Sandbox, wasDone: Bool, _ comment: Comment) async throws {
        let outcome = try await folder.slate(command.laterArguments)
        let hasNothingToUndo = wasDone && [.undo, .mend].contains(command)
        #expect(outcome.status == (hasNothingToUndo ? 66 : 0), "\(comment): \(outcome.errors)")
        #expect(try SlateState(of: folder) == after, comment)
        let left = try folder.names().filter { name in
            name != "tmp" && [".tmp", "-journal", "-wal", "-shm"].contains { name.hasSuffix($0) }
        }
        if !hasNothingToUndo { #expect(left == [], comment) }
    }

    /// Takes an import that has been finished back: the copies are good for that.
    func goBack(_ folder: Sandbox, _ comment: Comment) async throws {
        guard [.replace, .merge, .log].contains(command) else { return }
        let undo = try await folder.slate("undo", "--db", "slate.db", "--yes")
        if undo.status == 66 {
            // It was killed after the change and before the copy had its last name: whether it was done, nobody can tell.
            let copy = try #require(try Self.copies(in: folder).first { $0.hasSuffix(".pending.db") }, comment)
            #expect(undo.errors.contains("\(copy) is from before an interrupted import: --copy"), comment)
            #expect(try await folder.slate("undo", "--db", "slate.db", "--yes", "--copy", copy).status == 0, comment)
        } else {
            #expect(undo.status == 0, "\(comment): \(undo.errors)")
        }
        #expect(try SlateState(of: folder).database == before.database, comment)
    }

    // MARK: Files

    private static func copies(in folder: Sandbox) throws -> [String] {
        try folder.names().filter { $0.hasPrefix("slate.db.safety/") && $0.hasSuffix(".db") }
    }

    private static func copy(_ files: Sandbox) throws -> Sandbox {
        let folder = try Sandbox()
        try copy(files, into: folder)
        return folder
    }

    private static func copy(_ files: Sandbox, into folder: Sandbox) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: files.folder.path) {
            try FileManager.default.copyItem(atPath: files.path(name), toPath: folder.path(name))
        }
    }

    private static func export(rows: Range<Int>, _ words: String, day: Int) -> [UInt8] {
        let stamp: JSONValue = .string("2026-01-0\(day)T08:00:00Z")
        let tasks = rows.map { number -> JSONValue in
            [
                "id": .string("t\(number)"), "title": .string("Task \(number) \(words)"), "created_at": stamp,
                "updated_at": stamp,
            ]
        }
        let log = rows.map { number -> JSONValue in
            [
                "id": .string("l\(number)"), "timestamp": stamp, "entity_type": "task",
                "entity_id": .string("t\(number)"), "action_type": "done", "details": ["words": .string(words)],
            ]
        }
        let json: JSONValue = [
            "schema_version": 2, "exported_at": .string(slateNow),
            "meta": ["last_open_date": .string("2026-01-0\(day)")],
            "tasks": .array(tasks), "habits": [], "habit_completions": [], "day_plan": [], "day_plan_items": [],
            "activity_log": .array(log), "day_snapshots": [],
        ]
        return json.encoded(.indented)
    }
}
