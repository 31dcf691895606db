internal import ArgumentParser

extension Bzpack {
    struct SettingsGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings",
            abstract: "Show or change the settings, the plan among them.",
            subcommands: [Show.self, Set.self],
            defaultSubcommand: Show.self
        )
    }
}
