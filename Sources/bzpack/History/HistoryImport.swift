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
            discussion: """
                Entries that the store has are skipped, also under another id: the same session's name, moment and \
                length are the same run. All others are added, or none. An entry of a session that the store does not \
                have goes with its only session of that name. Ends with 3 where the store has an entry with another \
                length, and where entries are older than the settings and the plan keep: the next history add removes \
                them.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["json"]))
        var file: String

        func run() throws {
            let input = try InputFile(reading: file)
            let entries = try Self.entries(input)
            var differing: [String] = []
            var isTwice = false
            var sameRuns = 0
            func new(_ known: [SessionHistoryEntry]) throws -> [SessionHistoryEntry] {
                let stored = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                var earlier: [String: SessionHistoryEntry] = [:]
                var runs = SessionHistoryEntry.Runs(of: known, besides: entries)
                return try entries.filter { entry in
                    guard let same = stored[entry.id] ?? earlier[entry.id] else {
                        earlier[entry.id] = entry
                        guard runs.take(entry) else { return true }
                        sameRuns += 1
                        return false
                    }
                    let isStored = stored[entry.id] != nil
                    if !isStored { isTwice = true }
                    // The session may have been deleted here or there since.
                    guard same.sessionName == entry.sessionName, same.completedAt == entry.completedAt else {
                        let what = "\"\(entry.sessionName)\" of \(entry.completedAt)"
                        throw CommandFailure(
                            .badData,
                            "\(input.name): \(what) has the id \(entry.id) of another entry; nothing was imported"
                        )
                    }
                    if same.totalDurationSeconds != entry.totalDurationSeconds {
                        let known = Words.length(same.totalDurationSeconds)
                        let given = Words.length(entry.totalDurationSeconds)
                        differing.append(
                            isStored
                                ? Messages.otherLength(entry, stored: known, given: given)
                                : Messages.twiceInHistory(entry, known, given)
                        )
                    }
                    return false
                }
            }
            let now = try clock.moment()
            var added: [SessionHistoryEntry] = []
            var (linked, expired) = (0, 0)
            func plan(
                _ known: [SessionHistoryEntry],
                _ sessions: [SessionTemplate],
                _ settings: TimerSettings,
                _ taken: Set<String>
            ) throws {
                added = try new(known)
                // An entry that cannot be read stays as it is.
                for index in added.indices where taken.contains(added[index].id) { added[index].id = newIdentifier() }
                linked = Self.link(&added, to: sessions)
                let retention = settings.historyRetention
                expired = HistoryRetention.split(added, retention, plan: settings.plan, now: now).removed.count
            }
            if dryRun {
                if let opened = try store.readingIfPresent() {
                    try opened.read { try plan($0.history(), $0.sessions(), $0.settings(), $0.takenIds().history) }
                } else {
                    try plan([], [], TimerSettings(), [])
                }
            } else {
                try store.writing(mustExist: false).write { records in
                    try plan(records.history(), records.sessions(), records.settings(), records.takenIds().history)
                    for entry in added { try records.insert(entry) }
                }
            }
            let skipped = entries.count - added.count - sameRuns
            let reason =
                isTwice
                ? "as the store or the file has them already"
                : "as the store has \(differing.isEmpty ? "the same" : "them")"
            var rest = skipped > 0 ? "; \(skipped) skipped, \(reason)" : ""
            if sameRuns > 0 { rest += "; \(sameRuns) skipped, as the store has the same run under another id" }
            if linked > 0 { rest += "; \(linked) linked to the session of the same name" }
            let verb = dryRun ? "Would import" : "Imported"
            let place = dryRun || added.isEmpty ? "" : " into \(TerminalText.safe(try store.resolvedPath()))"
            try StandardOutput.shared.report("\(verb) \(Words.count(added.count, "history entry"))\(place)\(rest).\n")
            for line in differing { StandardError.write(TerminalText.safe(line) + "\n") }
            if expired > 0 { StandardError.write(Messages.expiredHistory(expired) + "\n") }
            guard expired > 0 || !differing.isEmpty else { return }
            throw ExitStatus.findings.exitCode
        }

        /// Links entries of sessions that the store does not have to its only session of that name; others are of none.
        ///
        /// - Returns: The number of entries that were linked by a name.
        private static func link(_ entries: inout [SessionHistoryEntry], to sessions: [SessionTemplate]) -> Int {
            let known = Set(sessions.map(\.id))
            let named = Dictionary(grouping: sessions, by: \.name)
            var linked = 0
            for index in entries.indices {
                guard let session = entries[index].sessionId, !known.contains(session) else { continue }
                let namesakes = named[entries[index].sessionName] ?? []
                entries[index].sessionId = namesakes.count == 1 ? namesakes[0].id : nil
                if namesakes.count == 1 { linked += 1 }
            }
            return linked
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
                                message: Self.found(error, in: document.root) + error.message,
                                file: input.name,
                                position: error.pointer.flatMap { document.root[$0]?.position } ?? node.position,
                                pointer: error.pointer
                            )
                        ]
                    )
                }
            }
            return entries
        }

        /// Returns the value that a member has instead of what is expected, as the beginning of a message.
        private static func found(_ error: AppFormatError, in root: JSONNode) -> String {
            guard error.message.hasPrefix("expected "), let pointer = error.pointer, let node = root[pointer] else {
                return ""
            }
            let text = TerminalText.cut(node.value.text(.compact), to: Words.nameColumns)
            return "found \(text), "
        }
    }
}
