internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.HistoryGroup {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the entries of a file that history export wrote.",
            discussion: "Entries that the store has are skipped. All entries are added, or none."
        )

        @OptionGroup var store: StoreOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["json"]))
        var file: String

        func run() throws {
            let input = try InputFile(reading: file)
            let entries = try Self.entries(input)
            func new(_ known: [SessionHistoryEntry]) throws -> [SessionHistoryEntry] {
                var byID = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                return try entries.filter { entry in
                    guard let same = byID[entry.id] else {
                        byID[entry.id] = entry
                        return true
                    }
                    // The session may have been deleted here or there since.
                    guard same.sessionName == entry.sessionName, same.completedAt == entry.completedAt else {
                        let what = "\"\(entry.sessionName)\" of \(entry.completedAt)"
                        throw CommandFailure(
                            .badData,
                            "\(input.name): \(what) has the id \(entry.id) of another entry; nothing was imported"
                        )
                    }
                    return false
                }
            }
            var added: [SessionHistoryEntry]
            if dryRun {
                added = try new(store.readingIfPresent()?.read { try $0.history() } ?? [])
            } else {
                added = []
                try store.writing(mustExist: false).write { records in
                    let sessions = Set(try records.sessions().map(\.id))
                    added = try new(records.history())
                    for var entry in added {
                        if let session = entry.sessionId, !sessions.contains(session) { entry.sessionId = nil }
                        try records.insert(entry)
                    }
                }
            }
            let skipped = entries.count - added.count
            let rest = skipped > 0 ? "; \(skipped) skipped, as the store has the same" : ""
            let verb = dryRun ? "Would import" : "Imported"
            let place = dryRun || added.isEmpty ? "" : " into \(TerminalText.safe(try store.resolvedPath()))"
            try StandardOutput.shared.report("\(verb) \(Words.count(added.count, "history entry"))\(place)\(rest).\n")
        }

        private static func entries(_ input: InputFile) throws(CommandFailure) -> [SessionHistoryEntry] {
            let document: JSONDocument
            do throws(JSONError) {
                document = try JSONDocument(parsing: input.bytes)
            } catch {
                throw CommandFailure(
                    .badData,
                    "nothing was imported",
                    diagnostics: [error.diagnostic(file: input.name)]
                )
            }
            guard document.root.kind == .array else {
                throw CommandFailure(
                    .badData,
                    "\(input.name): found no array, expected what bzpack history export writes"
                )
            }
            var entries: [SessionHistoryEntry] = []
            for (index, node) in document.root.elements.enumerated() {
                do throws(AppFormatError) {
                    entries.append(try SessionHistoryEntry(json: node.value, at: JSONPointer(tokens: [String(index)])))
                } catch {
                    throw CommandFailure(
                        .badData,
                        "nothing was imported",
                        diagnostics: [
                            Diagnostic(
                                code: error.code.description,
                                message: error.message,
                                file: input.name,
                                position: node.position,
                                pointer: error.pointer
                            )
                        ]
                    )
                }
            }
            return entries
        }
    }
}
