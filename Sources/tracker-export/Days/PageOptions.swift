internal import ArgumentParser
internal import CommandSupport
internal import Interchange
internal import Pages

/// The options for what a page shows, where it goes, and whether it is opened.
struct PageOptions: ParsableArguments {
    @Flag(help: "List the stretches without an activity.")
    var gaps = false

    @OptionGroup var file: PageOutput

    /// Writes a page and says where.
    ///
    /// - Throws: 3 where the page was written and could not be opened.
    func write(_ page: TimeReport, named name: String, _ confirmation: ConfirmationOption) throws {
        try file.write(page.html, named: name, mark: HTMLPage.mark, confirmation)
    }
}
