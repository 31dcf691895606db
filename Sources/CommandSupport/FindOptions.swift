package import ArgumentParser
package import StrictJSON

/// The options that `find` has in every app.
package struct FindOptions: ParsableArguments {
    /// The format of the result.
    @OptionGroup package var output: FormatOption

    /// The backups, and folders of backups, to search besides the store.
    @Option(
        name: .customLong("in"),
        parsing: .upToNextOption,
        help: ArgumentHelp("Look into these backups, and the backups of these folders.", valueName: "file|folder"),
        completion: .file()
    )
    package var places: [String] = []

    /// Searches the store alone.
    package init() {}

    /// Checks that there is something to search for.
    ///
    /// - Throws: 64 for a text without letters and digits.
    package func check(_ text: String) throws(CommandFailure) {
        guard !NameText.folded(text).isEmpty else { throw CommandFailure(.usage, "there is nothing to search for") }
    }

    /// Prints the result of a search, and warnings about files that it skipped.
    ///
    /// - Parameters:
    ///   - search: The search.
    ///   - store: The path of the store; nil where there is none.
    ///   - skipped: The warnings about skipped files.
    ///   - place: The member that says whether the store has a record.
    /// - Throws: 3 after the result if files were skipped.
    package func report<Record>(
        _ search: RecordSearch<Record>,
        store: String?,
        _ skipped: [Diagnostic],
        place: String = "inStore"
    ) throws {
        StandardError.write(DiagnosticRenderer().render(skipped))
        try output.print(search.report(store: store), search.json(skipped, place: place))
        if !skipped.isEmpty { throw ExitStatus.findings.exitCode }
    }
}
