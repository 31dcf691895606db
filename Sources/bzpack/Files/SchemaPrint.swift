internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit

extension Bzpack.SchemaGroup {
    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print",
            abstract: "Print the JSON Schema of a .bztimer version."
        )

        @Argument(help: "The version.")
        var version = BztimerFormat.currentVersion

        func run() throws {
            guard let text = BztimerFormat.versions.schemaText(version) else {
                throw CommandFailure(
                    .usage,
                    "bztimer has no version \(version); there are versions 1 to \(BztimerFormat.currentVersion)"
                )
            }
            try StandardOutput.shared.write(text)
        }
    }
}
