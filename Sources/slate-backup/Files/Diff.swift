internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Diff: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "Compare two backups by record and field.",
            discussion: """
                + is a record that only the second has, - one that only the first has, ~ one that differs. The moment of \
                the export does not count, nor do the order of rows and the way in which they are written. Ends with 0 \
                where there is no difference, with 3 where there is one.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Option(
            parsing: .singleValue,
            help: ArgumentHelp("Compare this table, or meta, alone; may be repeated.", valueName: "table")
        )
        var only: [String] = []

        @Argument(help: "The first backup; - is the standard input.", completion: .file())
        var old: String

        @Argument(help: "The second backup; - is the standard input.", completion: .file())
        var new: String

        func run() throws {
            try InputPaths.check([old, new])
            let parts = try PartArgument.parts(only)
            let left = try SlateInput.require(old, output)
            let right = try SlateInput.require(new, output)
            let report = try DiffReport(left.file, right.file, output.format)
            try SlateDiff(left.content, right.content).forEach { record in
                if parts.contains(record.part) { try report.add(record) }
            }
            try report.finish()
            let hasWarnings = [left, right].contains { $0.report.status != .success }
            if report.count > 0 || hasWarnings { throw ExitStatus.findings.exitCode }
        }
    }
}

/// The option `--only`.
enum PartArgument {
    /// Returns the parts of those names; all where there are none.
    ///
    /// - Throws: 64 where a name is none of them.
    static func parts(_ names: [String]) throws(CommandFailure) -> Set<SlatePart> {
        guard !names.isEmpty else { return Set(SlatePart.allCases) }
        var parts: Set<SlatePart> = []
        for name in names {
            guard let part = SlatePart(name: name) else {
                let known = SlatePart.allCases.map(\.name).joined(separator: ", ")
                throw CommandFailure(.usage, Messages.noTable("\(name)", known))
            }
            parts.insert(part)
        }
        return parts
    }
}
