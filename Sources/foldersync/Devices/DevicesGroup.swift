internal import ArgumentParser

extension FolderSyncTool {
    struct DevicesGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "devices",
            abstract: "List the devices that take part, give them names, and retire those that are gone.",
            subcommands: [List.self, Rename.self, Retire.self, Admit.self, Remove.self],
            defaultSubcommand: List.self
        )
    }
}
