internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Show: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show all records of a store as they were at a time.",
            discussion: """
                What is printed is the document of the app's format, which its other programs read. With --changes it is what \
                restore would do, with who edited each record last. It reaches back as far as the files of the folder do.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var past: MomentOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var format: FormatOption

        @Flag(help: "Show what is different from now instead.")
        var changes = false

        @Option(
            name: .shortAndLong,
            help: "Write the document to this file; - is the standard output.",
            completion: .file()
        )
        var output = "-"

        func validate() throws {
            if changes, output != "-" { throw ValidationError(Messages.changesToFile) }
        }

        func run() throws {
            let moment = try past.moment(echo: changes ? format.format : .text)
            let registry = try options.config.file().read()
            let target = try options.only()
            let environment = try ThisDevice.environment(registry)
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            guard changes else {
                let document = try moment.reading { try replica.document(at: moment.milliseconds) }
                let bytes = document.encoded(.indented)
                let file = OutputFile(output)
                try confirmation.requireReplacing(file)
                try file.write(bytes)
                return try file.reportWritten()
            }
            let differences = try moment.reading { try replica.differences(toMoment: moment.milliseconds) }
            let report = DifferenceReport(differences: differences, target: target, moment: moment)
            try format.print(report.text, report.json())
        }
    }
}
