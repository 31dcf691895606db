internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack {
    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change a session as text, in your editor.",
            discussion: """
                The text is what "bzpack show --as text" prints. Blocks that stay keep their identifiers. With --text or --file no \
                editor opens, and name, tags and days stay where the text has no such line: "tags:" alone removes them. A text \
                that cannot be read changes nothing and stays in the file that the message names.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Option(help: "Take this text instead of opening an editor.")
        var text: String?

        @Option(
            help: ArgumentHelp("Take the text of this file; - reads the input.", valueName: "path"),
            completion: .file()
        )
        var file: String?

        @Argument(help: ArgumentHelp("The session.", valueName: "name|id"), completion: .sessions)
        var session: String

        func validate() throws {
            if text != nil, file != nil { throw ValidationError(Messages.exclude("--text", "--file")) }
        }

        func run() throws {
            let before = try Selection(store.reading().read { try $0.sessions() })(session)
            let result: Changed
            if let text {
                result = try change(before, SessionTextInput.parse(text, name: "--text"))
            } else if let file {
                result = try change(before, SessionTextInput.read(file))
            } else {
                result = try SessionTextInput.edit(SessionText(before).text) { try change(before, $0) }
            }
            let (changed, remapped, sameName, hasWarnings) = result
            guard changed != before else {
                try output.print(Messages.nothingChanged, before.json)
                if hasWarnings { throw ExitStatus.findings.exitCode }
                return
            }
            let blocks = Words.count(changed.items.count, "block")
            let lines =
                remapped + [Messages.changedSession(changed.name, blocks, Words.length(changed.totalSeconds))]
                + Self.removed(from: before, in: changed)
            try output.report(lines.map { TerminalText.safe($0) + "\n" }.joined(), changed.json, isDryRun: false)
            if sameName > 0 { StandardError.write(Messages.sameName(sameName) + "\n") }
            if !remapped.isEmpty || hasWarnings { throw ExitStatus.findings.exitCode }
        }

        /// The session, lines on categories that it lost, the number of other sessions of a new name, and whether the
        /// encoding of the text was guessed.
        private typealias Changed = (
            session: SessionTemplate, remapped: [String], sameName: Int, hasWarnings: Bool
        )

        private func change(_ before: SessionTemplate, _ input: SessionTextInput) throws -> Changed {
            var content = input.text
            if text != nil || file != nil {
                content.tags = content.tags ?? before.tags
                content.days = content.days ?? before.scheduledDaysOfWeek
            }
            var changed = content.session(changing: before, name: before.name, newID: newIdentifier)
            guard changed != before else { return (before, [], 0, input.hasWarnings) }
            return try store.writing(mustExist: true).write { records in
                let sessions = try records.sessions()
                // The editor may have been open for long.
                guard sessions.contains(before) else {
                    throw CommandFailure(
                        .badData,
                        Messages.changedMeanwhile(before.name)
                    )
                }
                let remapped = try SessionCategories.settle(&changed, records.settings(), records)
                try records.update(changed)
                let others = sessions.filter { $0.id != changed.id && Categories.areSame($0.name, changed.name) }
                let isRenamed = !Categories.areSame(changed.name, before.name)
                return (changed, remapped, isRenamed ? others.count : 0, input.hasWarnings)
            }
        }

        /// Lines for blocks that stay without something that they had: a text that leaves it out removes it.
        private static func removed(from before: SessionTemplate, in after: SessionTemplate) -> [String] {
            let old = Dictionary(before.items.map { ($0.id, $0) }) { first, _ in first }
            var told: Set<String> = []
            let lines = after.items.compactMap { block -> String? in
                guard let earlier = old[block.id] else { return nil }
                let parts = [
                    earlier.notes != nil && block.notes == nil ? "notes" : nil,
                    earlier.category != nil && block.category == nil ? "category" : nil,
                    earlier.color != nil && block.color == nil ? "colour" : nil,
                    earlier.icon != nil && block.icon == nil ? "icon" : nil,
                ].compactMap(\.self)
                return parts.isEmpty ? nil : Messages.withoutParts(block.label, parts.joined(separator: ", "))
            }
            return lines.filter { told.insert($0).inserted }
        }
    }
}
