internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import Interchange
internal import Pages

extension Bzpack {
    struct Page: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "page",
            abstract: "Write a page that runs a session or a preset in a browser.",
            discussion: """
                One HTML file for a client without the app: it counts down, beeps and speaks, and needs no network. \
                The settings of the store say how long the countdown before a session is, and how long before the end \
                of a block the warning comes. Without --output the page gets the name of the session, such as \
                leg-day.html, and replaces an earlier page of it. "bzpack show --html" makes a page to print.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var page: PageOutput
        @OptionGroup var choice: RunnableOptions
        @OptionGroup var confirmation: ConfirmationOption

        func run() throws {
            let (found, status, isAlone) = try choice.find(in: store)
            let content = try RunningPage(found, settings: try store.timerSettings())
            let name = page.output == nil ? content.freeName(isAlone: isAlone) : content.fileName
            try page.write(content.html, named: name, mark: HTMLPage.mark, confirmation)
            if status != .success { throw status.exitCode }
        }
    }
}
