internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import StrictJSON

extension Bzpack {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write sessions of the store to a .bztimer file (Pro).",
            discussion: """
                With one session in the store no option is needed. Where an older version cannot \
                hold everything, warnings name what its readers will not see, and the exit code is 3. A file that holds \
                a session which the new one does not hold is replaced only with consent.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption

        @Option(
            name: .customLong("session"),
            parsing: .singleValue,
            help: ArgumentHelp("Export this session; may be repeated.", valueName: "name|id"),
            completion: .sessions
        )
        var sessions: [String] = []

        @Flag(help: "Export all sessions.")
        var all = false

        @Flag(help: "Include the saved activities that the sessions were made from.")
        var activities = false

        @Option(help: ArgumentHelp("Write this version, for older programs.", valueName: "version"))
        var toVersion = BztimerFormat.currentVersion

        @Flag(help: "Write canonical JSON: RFC 8785, but integers keep their digits.")
        var canonical = false

        @Argument(help: "The file to write; - is the standard output.", completion: .file(extensions: ["bztimer"]))
        var file: String

        func validate() throws {
            if all, !sessions.isEmpty { throw ValidationError(Messages.exclude("--all", "--session")) }
        }

        func run() throws {
            try VersionArgument.check(toVersion)
            let store = try store.reading()
            let (content, conflicts) = try store.read { records in
                let content = try contentToExport(records)
                try requireReadable(store.faults)
                return content
            }
            try requireHoldable(content)
            let output = OutputFile(file)
            let written = try content.encoded(version: toVersion, style: canonical ? .canonical : .indented)
            try requireImportable(written.bytes)
            try TimerRecords(content).requireReplacing(output, confirmation)
            try output.write(written.bytes)
            StandardError.write(DiagnosticRenderer().render(conflicts))
            Losses.report(written.losses, notes: written.notes, file: output.isStandardOutput ? nil : file)
            if !output.isStandardOutput {
                let count = Words.count(content.sessions.count, "session")
                let text = "Exported \(count) to \(file) (version \(toVersion))."
                try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
            }
            if !written.losses.isEmpty { throw ExitStatus.findings.exitCode }
        }

        private func contentToExport(_ records: BztimerRecords) throws -> (file: BztimerFile, conflicts: [Diagnostic]) {
            if let refusal = try records.settings().plan.refusalToExport {
                throw CommandFailure(.needsPro, refusal + Messages.turnOnPro)
            }
            let chosen = try select(try records.envelopedSessions())
            let shared = activities ? try referenced(by: chosen.map(\.record), records) : nil
            var merge = EnvelopeMerge(file: file)
            for session in chosen { merge.add(session.envelope, of: "session \"\(session.record.name)\"") }
            for activity in shared ?? [] { merge.add(activity.envelope, of: "activity \"\(activity.record.label)\"") }
            let content = BztimerFile(
                exporting: chosen.map(\.record),
                activities: shared?.map(\.record),
                generator: "bzpack \(SatchelVersion.current)",
                exportedAt: try clock.moment(),
                extra: merge.envelope
            )
            return (content, merge.conflicts)
        }

        /// Checks that no session is unreadable in an export of all sessions, which people take for a copy of the
        /// store.
        private func requireReadable(_ faults: [StoreFault]) throws(CommandFailure) {
            guard sessions.isEmpty, let fault = faults.first(where: { $0.kind == .session }) else { return }
            throw CommandFailure(
                .badData,
                "\(fault); nothing was written; name the sessions to export with --session"
            )
        }

        /// Checks that nobody gets a file which no import takes.
        private func requireImportable(_ bytes: [UInt8]) throws(CommandFailure) {
            let errors = BztimerFormat.read(bytes, name: file).diagnostics.filter { $0.severity == .error }
            if !errors.isEmpty { throw CommandFailure(.badData, Messages.notImportable, diagnostics: errors) }
        }

        /// Versions 1 and 2 hold one session.
        private func requireHoldable(_ content: BztimerFile) throws(CommandFailure) {
            guard toVersion < 3, content.sessions.count > 1 else { return }
            throw CommandFailure(
                .usage,
                "version \(toVersion) holds one session, and these are \(content.sessions.count): "
                    + "name one with --session, or leave out --to-version"
            )
        }

        private typealias Stored = BztimerRecords.Enveloped<SessionTemplate>

        private func select(_ stored: [Stored]) throws(CommandFailure) -> [Stored] {
            if all || (sessions.isEmpty && stored.count == 1) {
                guard !stored.isEmpty else { throw CommandFailure(.noInput, Messages.noSessions) }
                return stored
            }
            guard !sessions.isEmpty else {
                if stored.isEmpty { throw CommandFailure(.noInput, Messages.noSessions) }
                throw CommandFailure(
                    .usage,
                    "the store has \(stored.count) sessions: name them with --session, or use --all"
                )
            }
            let find = Selection(kind: "session", records: stored, id: \.record.id, name: \.record.name)
            var chosen: [Stored] = []
            for name in sessions {
                let found = try find(name)
                if !chosen.contains(where: { $0.record.id == found.record.id }) { chosen.append(found) }
            }
            return chosen
        }

        private func referenced(
            by sessions: [SessionTemplate],
            _ records: BztimerRecords
        ) throws -> [BztimerRecords.Enveloped<BlockTemplate>] {
            let ids = Set(sessions.flatMap { $0.items.compactMap(\.templateId) })
            return try records.envelopedActivities().filter { ids.contains($0.record.id) }
        }
    }
}
