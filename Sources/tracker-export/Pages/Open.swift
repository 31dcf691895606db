internal import ArgumentParser
internal import CommandSupport
internal import StudyTimer

extension TrackerTool {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show days, weeks, clients and study in the browser.",
            discussion: """
                \(OpenOptions.discussion) Shows the usual stores of Time Tracker and Study Timer, or the one that --store \
                names.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var pages: OpenOptions

        func run() throws {
            guard store.store.path != nil else {
                let sources = try TimeProgram.pages()
                guard !sources.isEmpty else { _ = try store.store.reading(); return }
                return try pages.show("Time", sources, failure: failure)
            }
            switch try store.kind() {
            case .tracker:
                _ = try store.store.reading()
                let sources = [TimePages(store: store.store.path, timeZone: pages.zone.timeZone)]
                try pages.show("Time", sources, failure: failure)
            case .study:
                _ = try store.readingStudy()
                try pages.show("Study", [StudyPages(store: store.store.path)], failure: failure)
            }
        }
    }
}
