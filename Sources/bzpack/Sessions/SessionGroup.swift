internal import ArgumentParser
internal import CommandSupport

extension Bzpack {
    struct SessionGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "session",
            abstract: "Rename, duplicate or delete a session.",
            subcommands: [Rename.self, Duplicate.self, Delete.self]
        )
    }
}
