internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Migrate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn a .bztimer file into another version.",
            discussion: """
                On the way down, what the older version cannot hold is parked under "x-preserved" and comes back on the way \
                up; what a reader of the older version will not see is said, and the exit code is 3, as with warnings.
                """
        )

        @Option(help: ArgumentHelp("The version to write: 1, 2 or 3.", valueName: "version"))
        var to: Int

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @Flag(help: "Write canonical JSON: RFC 8785, but integers keep their digits.")
        var canonical = false

        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var file: String

        func run() throws {
            try VersionArgument.check(to)
            let input = try BztimerInput.require(file)
            let reading = input.reading
            let migrated: Migrated
            do throws(AppFormatError) {
                migrated = try reading.migrated(to: to)
            } catch {
                let position = error.pointer.flatMap(reading.position)
                throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: reading.name, position: position)])
            }
            let target = OutputFile(output)
            try confirmation.requireReplacing(target, unless: { Losses.isBztimer(target) })
            try target.write(migrated.value.encoded(canonical ? .canonical : .indented))
            Losses.report(
                migrated.losses,
                notes: migrated.notes,
                file: reading.name,
                position: reading.position
            )
            if !migrated.losses.isEmpty || input.status != .success { throw ExitStatus.findings.exitCode }
        }
    }
}
