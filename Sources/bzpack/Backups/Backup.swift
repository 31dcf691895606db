internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import RecordStore
internal import StrictJSON

extension Bzpack {
    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write everything in the store to one file.",
            discussion: """
                Settings, library, sessions, presets and history, on every plan. "bzpack restore" brings them back. To share \
                sessions, use export.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file to write; - is the standard output.", completion: .file())
        var file: String

        func run() throws {
            let opened = try store.reading()
            let now = try clock.moment().description
            let backup = try opened.read { try TimerBackup($0, createdAt: now, generator: Backups.generator) }
            try Backups.checkComplete(opened)
            let output = OutputFile(file)
            try confirmation.requireReplacing(output)
            try output.write(backup.json.encoded(.indented))
            guard !output.isStandardOutput else { return }
            try StandardOutput.shared.write(TerminalText.safe("Wrote \(file): \(Backups.words(backup)).") + "\n")
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace everything in the store by a backup.",
            discussion: """
                The file is checked first, and the change is made as a whole. What the store held before is written to a file \
                beside it, which "bzpack restore" takes to undo this.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "A file that bzpack backup wrote; - is the standard input.", completion: .file())
        var file: String

        func run() throws {
            let input = try InputFile(reading: file)
            let backup: TimerBackup
            do {
                backup = try TimerBackup(parsing: input.bytes, file: input.name)
            } catch let error as UnusableDocument {
                throw CommandFailure(.badData, "nothing was changed", diagnostics: error.findings)
            }
            let now = try clock.moment()
            let before = try store.readingIfPresent().map { opened in
                let before = try opened.read {
                    try TimerBackup($0, createdAt: now.description, generator: Backups.generator)
                }
                try Backups.checkComplete(opened)
                return before
            }
            let held = before.map { Backups.words($0) } ?? "nothing"
            guard !dryRun else {
                let line = "Would replace \(held) by \(Backups.words(backup)). Nothing was changed."
                return try StandardOutput.shared.write(TerminalText.safe(line) + "\n")
            }
            let path = try store.resolvedPath()
            if before != nil { try confirmation.require("Replace \(held) in \(path) by \(Backups.words(backup))?") }
            let opened = try store.writing(mustExist: false)
            var safety: String?
            if let before {
                let file = "\(path).before-\(Backups.fileMoment(now)).json"
                try OutputFile(file).write(before.json.encoded(.indented))
                safety = file
            }
            try opened.write { try backup.restore(to: $0) }
            var lines = ["Restored \(Backups.words(backup)) to \(path)."]
            if let safety { lines.append("Undo: bzpack restore \(safety)") }
            try StandardOutput.shared.write(lines.map { TerminalText.safe($0) + "\n" }.joined())
        }
    }
}

/// What backup and restore have in common.
private enum Backups {
    static var generator: String { "bzpack \(SatchelVersion.current)" }

    /// - Throws: 65 where a record cannot be read, as the backup would lack it.
    static func checkComplete(_ store: BztimerStore) throws(CommandFailure) {
        guard !store.faults.isEmpty else { return }
        let count = Words.count(store.faults.count, "record")
        throw CommandFailure(
            .badData,
            "\(count) of the store cannot be read and would be missing from the backup; nothing was written"
        )
    }

    static func words(_ backup: TimerBackup) -> String {
        let nouns = ["sessions": "session", "activities": "activity", "presets": "preset", "history": "history entry"]
        let parts = backup.counts.filter { $0.count > 0 }.map {
            Words.count($0.count, nouns[$0.collection] ?? "record")
        }
        return parts.isEmpty ? "settings" : parts.joined(separator: ", ") + " and settings"
    }

    /// A moment as names of files have it: `20261121-073000`.
    static func fileMoment(_ moment: Timestamp) -> String {
        let digits = moment.description.filter(\.isNumber)
        return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(6))"
    }
}
