internal import StudyTimer
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension TrackerTool {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Prove that a log restores: import, export and compare it.",
            discussion: """
                Of files, each is brought into a new store in a temporary folder, in which nothing may be missing; what is \
                exported from there is imported into a second one, and its export must be the same bytes. Without a file the \
                store itself is exported and goes the same way.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var entries: EntryOptions
        @OptionGroup var output: FormatOption

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["json", "csv", "xml", "ics"])
        )
        var files: [String] = []

        func run() throws {
            try InputPaths.check(files)
            var results: [TrialImport] = []
            let progress = ProgressLine()
            if files.isEmpty {
                progress.show("Importing for trial")
                let isStudy = try store.kind() == .study
                results = [try isStudy ? TrialImport(of: store.readingStudy()) : TrialImport(of: store.store.reading())]
            }
            try progress.forEach(files, "Importing for trial", "files") { results.append(try importForTrial($0)) }
            for result in results { StandardError.write(result.report.text) }
            try output.print(
                results.map { $0.summary + "\n" }.joined(),
                ["files": .array(results.map(\.json))]
            )
            let worst = results.map(\.report).worst
            if worst != .success { throw worst.exitCode }
        }

        private func importForTrial(_ file: String) throws -> TrialImport {
            do {
                let input = try InputSource(log: file)
                return try StudyInput.isStudy(input) ? TrialImport(ofStudy: input) : TrialImport(of: input, entries)
            } catch {
                guard let report = FileReport(error, in: file) else { throw error }
                return TrialImport(failed: report)
            }
        }
    }
}
