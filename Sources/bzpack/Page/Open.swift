internal import ArgumentParser
internal import CommandSupport

extension Bzpack {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show sessions in the browser, each as a page that runs.",
            discussion: OpenOptions.discussion
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var pages: OpenOptions

        func run() throws {
            _ = try store.reading()
            try pages.show(
                "BZ Timer",
                TimerProgram.pages(store: store.resolvedPath()),
                failure: CommandFailure.init(library:)
            )
        }
    }
}
