internal import ArgumentParser
package import CommandSupport
internal import DirectorySync
package import Pages

extension FolderSyncTool {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show devices, conflicts and history in the browser.",
            discussion: OpenOptions.discussion
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var pages: OpenOptions

        func run() throws {
            try pages.show("foldersync", SyncProgram.pages(config.file(), pages), failure: failure)
        }
    }
}

extension SyncProgram {
    /// Returns the pages of sync, for what this device has joined.
    ///
    /// - Throws: 64 where nothing tells where that is kept, or the time that `--now` names does not exist.
    package static func pages(_ options: OpenOptions) throws -> [any PageSource] {
        try pages(ConfigOption.usual(), options)
    }

    fileprivate static func pages(_ file: RegistryFile, _ options: OpenOptions) throws -> [any PageSource] {
        let stores = PageStores(registry: file.path, now: try options.clock.given(in: options.zone.clock()))
        return [SyncOverview(stores: stores), ConflictsPage(stores: stores), HistoryPage(stores: stores)]
    }

    /// Returns the failure for an error of the libraries, for the person who looks at pages.
    package static func meaning(of error: any Error) -> CommandFailure? { failure(error) }
}
