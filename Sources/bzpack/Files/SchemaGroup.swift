internal import ArgumentParser

extension Bzpack {
    struct SchemaGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Check JSON files against a schema; bundle, describe, lint and print schemas.",
            subcommands: [Check.self, Bundle.self, Describe.self, Lint.self, Print.self]
        )
    }
}
