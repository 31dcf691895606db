internal import ArgumentParser
internal import CommandSupport

extension Bzpack {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show sessions in the browser, each as a page that runs.",
            discussion: """
                With files, the page shows their sessions and presets, and not those of the store. \
                \(OpenOptions.discussion)
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var pages: OpenOptions

        @Argument(
            help: "The files to show; without any, the store.",
            completion: .file(extensions: ["bztimer", "bzpack", "json"])
        )
        var files: [String] = []

        func run() throws {
            if files.isEmpty { _ = try store.reading() }
            for file in files { _ = try Runnable.all(in: file) }
            try pages.show(
                "BZ Timer",
                files.isEmpty
                    ? TimerProgram.pages(store: store.resolvedPath()) : [TimerPages(store: store.path, files: files)],
                failure: CommandFailure.init(library:)
            )
        }
    }
}
