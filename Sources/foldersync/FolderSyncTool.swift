internal import ArgumentParser
internal import CommandSupport

/// Devices in step through a directory.
@main
enum Main {
    static func main() { Program.run(FolderSyncTool.self) }
}

struct FolderSyncTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foldersync",
        abstract: "Keep stores of several devices in step through a shared directory."
    )
}
