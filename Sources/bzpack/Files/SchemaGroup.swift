internal import ArgumentParser

extension Bzpack {
    struct SchemaGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Check any JSON file against a JSON Schema; print the schemas of .bztimer.",
            subcommands: [Check.self, Print.self]
        )
    }
}
