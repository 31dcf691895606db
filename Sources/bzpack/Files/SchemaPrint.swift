internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack.SchemaGroup {
    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the JSON Schema of a .bztimer version.")

        @Argument(help: "The version.")
        var version = BztimerFile.currentVersion

        func run() throws {
            guard let text = BztimerSchemas.text(version) else {
                throw CommandFailure(
                    .usage,
                    "bztimer has no version \(version); there are versions 1 to \(BztimerFile.currentVersion)"
                )
            }
            try StandardOutput.shared.write(text)
        }
    }
}
