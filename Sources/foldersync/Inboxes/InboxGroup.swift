internal import ArgumentParser

extension FolderSyncTool {
    struct InboxGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inbox",
            abstract: "Take in the exports of devices that can do no more, such as phones.",
            subcommands: [Add.self, List.self, Remove.self],
            defaultSubcommand: List.self
        )
    }
}
