internal import BZTimer
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack.HistoryGroup {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the history to a file (Pro).",
            discussion: "The file is a JSON array of entries, oldest first, as the app keeps it under sessionHistory."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file to write; - is the standard output.", completion: .file())
        var file: String

        func run() throws {
            let (entries, plan) = try store.reading().read { (try $0.history(), try $0.settings().plan) }
            guard plan == .pro else { throw CommandFailure(.needsPro, Messages.historyIsPro + Messages.turnOnPro) }
            let output = OutputFile(file)
            try confirmation.requireReplacing(output)
            let json = SessionHistoryEntry.latestFirst(entries).reversed().map(\.json)
            try output.write(JSONValue.array(json).encoded(.indented))
            guard !output.isStandardOutput else { return }
            let text = "Exported \(Words.count(entries.count, "history entry")) to \(file)."
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
        }
    }
}
