import Foundation
import Testing
import TestSupport

/// Faults at exact calls: at the first of each series of equal calls and, for kills, at another one of it; with
/// `SATCHEL_ALL_FAULTS` set, at all.
@Suite(.enabled("no C compiler, or no LD_PRELOAD") { await FaultLibrary.isAvailable.value })
struct SlateFaultTests {
    @Test(
        "Killed at a certain call, a command leaves all as it was or as it should be",
        arguments: SlateCommand.allCases
    )
    func kill(_ command: SlateCommand) async throws {
        try await forEachFault([.kill, .torn], command) { prepared, folder, outcome, comment in
            #expect(outcome.status == 137, comment)
            let isDone = try prepared.isDone(folder, comment)
            try await prepared.finish(folder, wasDone: isDone, comment)
            try await prepared.goBack(folder, comment)
            return isDone
        }
    }

    @Test(
        "On a disk that becomes full, nothing is changed, and it says so",
        arguments: SlateCommand.allCases.filter { ![.merge, .prune].contains($0) }
    )
    func full(_ command: SlateCommand) async throws {
        try await forEachFault([.full], command) { prepared, folder, outcome, comment in
            let isDone = try prepared.isDone(folder, comment)
            #expect([0, 73, 74].contains(outcome.status), "\(comment): \(outcome.errors)")
            #expect(isDone == (outcome.status == 0), "\(comment): \(outcome.errors)")
            if outcome.status == 74 {
                #expect(Self.reasons.contains(where: outcome.errors.contains), "\(comment): \(outcome.errors)")
            }
            #expect(try folder.leftovers() == [], comment)
            try await prepared.finish(folder, wasDone: isDone, comment)
            return isDone
        }
    }

    private static let reasons = ["o space left on device", "disk is full"]

    @Test("Where a call fails, all is as it was, or as it should be", arguments: SlateCommand.allCases)
    func failure(_ command: SlateCommand) async throws {
        try await forEachFault([.io], command) { prepared, folder, outcome, comment in
            let isDone = try prepared.isDone(folder, comment)
            #expect([0, 73, 74].contains(outcome.status), "\(comment): \(outcome.errors)")
            #expect(outcome.status != 0 || isDone, comment)
            #expect(!outcome.errors.contains("not an error"), "\(comment): \(outcome.errors)")
            try await prepared.finish(folder, wasDone: isDone, comment)
            return isDone
        }
    }

    @Test("An export whose writing went wrong unnoticed gets no name", arguments: [SlateCommand.json, .archive])
    func lost(_ command: SlateCommand) async throws {
        // What is written after the backup has its name is the note about it.
        try await forEachFault([.lost], command, until: "rename", where: { $0.name == "write" }) {
            prepared,
            folder,
            outcome,
            comment in
            #expect([65, 70, 74].contains(outcome.status) as Bool, "\(comment): \(outcome.errors)")
            let isDone = try prepared.isDone(folder, comment)
            #expect(!isDone, comment)
            #expect(try folder.leftovers() == [], comment)
            return false
        }
    }

    @Test("What is renamed is on the disk, and so is its new name", arguments: SlateCommand.allCases)
    func durable(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 30)
        let (outcome, calls) = try await run(command.arguments, in: try prepared.folder())
        #expect(outcome.status == 0)
        // What goes last of all is the log, when the database has it all.
        let last = calls.lastIndex { ["rename", "unlink", "write"].contains($0.name) && !$0.isTemporary }
        let change = try #require(last)
        #expect(command == .log || calls[change...].contains { $0.name == "fsync" }, "\(calls[change...])")
        for (index, call) in calls.enumerated() where call.name == "rename" {
            #expect(calls[..<index].last?.name == "fsync", "\(calls[..<index].suffix(3))")
            #expect(calls[index...].dropFirst().first?.name == "fsync", "\(calls[index...].prefix(3))")
        }
        // The journal is on the disk before the database is written to, and the database before the journal goes.
        guard let removed = calls.lastIndex(where: { $0.name == "unlink" && $0.path == "slate.db-journal" }),
            let written = calls.firstIndex(where: { $0.name == "write" && $0.path == "slate.db" })
        else {
            #expect(![.replace, .merge, .first, .undo].contains(command))
            return
        }
        #expect(calls[..<written].last { $0.path == "slate.db-journal" }?.name == "fsync")
        #expect(calls[..<removed].last { $0.path == "slate.db" }?.name == "fsync")
    }

    // MARK: Faults

    private func run(_ arguments: [String], in folder: Sandbox, _ fault: Fault? = nil) async throws
        -> (Outcome, [FileCall])
    {
        try await FaultLibrary.run(Built.path("slate-backup"), arguments, in: folder, fault)
    }

    private typealias Body = (SlateCase, Sandbox, Outcome, Comment) async throws -> Bool

    /// Runs a command once for each fault; demands that some come before its change.
    private func forEachFault(
        _ kinds: [Fault.Kind],
        _ command: SlateCommand,
        until last: String? = nil,
        where isWanted: (FileCall) -> Bool = { _ in true },
        _ body: Body
    ) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let prepared = try await SlateCase(command, rows: 30)
        let (whole, calls) = try await run(command.arguments, in: try prepared.folder())
        #expect(whole.status == 0)
        var (early, late) = (0, 0)
        let isKill = kinds.contains(.kill)
        let end = calls.firstIndex { $0.name == last } ?? calls.endIndex
        for index in FaultLibrary.points(calls, both: isKill, using: &random)
        where index < end && isWanted(calls[index]) {
            let isFirst = index == 0 || calls[index - 1] != calls[index]
            for kind in kinds where kind != .torn || calls[index].name == "write" && (!isFirst || FaultLibrary.isEach) {
                let fault = Fault(kind: kind, number: index + 1)
                let folder = try prepared.folder()
                let (outcome, _) = try await run(command.arguments, in: folder, fault)
                let comment: Comment = "\(command), \(fault): \(calls[index].name) \(calls[index].path)"
                if try await body(prepared, folder, outcome, comment) { late += 1 } else { early += 1 }
            }
        }
        print(
            "\(command), seed \(seed), \(kinds): \(calls.count) calls, faults \(early) before the change, \(late) after"
        )
        #expect(early > 0)
    }
}

extension FileCall {
    /// Whether the file is one that nobody would miss.
    fileprivate var isTemporary: Bool { path.hasSuffix(".tmp") || path.hasPrefix("etilqs_") }
}
