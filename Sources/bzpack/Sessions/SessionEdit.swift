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
                editor opens. A text that cannot be read changes nothing and stays in the file that the message names.
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

        func run() throws {
            let before = try Selection(store.reading().read { try $0.sessions() })(session)
            let content: SessionText
            if let text {
                content = try SessionTextInput.parse(text, name: "--text")
            } else if let file {
                let input = try InputFile(reading: file, limit: 1 << 22)
                content = try SessionTextInput.parse(String(decoding: input.bytes, as: UTF8.self), name: input.name)
            } else {
                content = try SessionTextInput.edit(SessionText(before).text)
            }
            var changed = content.session(changing: before, name: before.name, newID: newIdentifier)
            guard changed != before else {
                return try output.print(Messages.nothingChanged, before.json)
            }
            let remapped = try store.writing(mustExist: true).write { records in
                // The editor may have been open for long.
                guard try records.sessions().contains(before) else {
                    throw CommandFailure(
                        .badData,
                        Messages.changedMeanwhile(before.name)
                    )
                }
                let remapped = try SessionCategories.settle(&changed, records.settings(), records)
                try records.update(changed)
                return remapped
            }
            let blocks = Words.count(changed.items.count, "block")
            let lines = remapped + [Messages.changedSession(changed.name, blocks, Words.length(changed.totalSeconds))]
            try output.print(lines.map { TerminalText.safe($0) + "\n" }.joined(), changed.json)
            if !remapped.isEmpty { throw ExitStatus.findings.exitCode }
        }
    }
}
