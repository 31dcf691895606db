package import ArgumentParser

/// The files that `merge` takes: `OURS THEIRS`, or `BASE OURS THEIRS` as git gives them to a merge driver.
package struct MergeFiles: ParsableArguments {
    /// The file that both files come from.
    @Option(
        help: ArgumentHelp(
            "The file that both come from; without one, all that differs is a conflict. An empty file is none.",
            valueName: "file"
        ),
        completion: .file()
    )
    package var base: String?

    /// The file to write.
    @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
    package var output = "-"

    /// The files.
    @Argument(help: "Base, ours and theirs; or ours and theirs alone.", completion: .file())
    package var files: [String]

    /// Makes the options without files.
    package init() {}

    /// Returns the files by their part.
    ///
    /// The base is read here, as a pipe cannot be read twice.
    ///
    /// - Parameter limit: The most bytes of a base.
    /// - Returns: The base is nil where there is none, or where it is an empty file.
    /// - Throws: 64 where their number is wrong; what reading the base throws.
    package func parts(
        limit: Int = InputFile.largest
    ) throws(CommandFailure) -> (base: InputFile?, ours: String, theirs: String) {
        guard files.count == (base == nil ? max(2, min(files.count, 3)) : 2) else {
            let expected = base == nil ? "two files, or three with the base first" : "two files beside --base"
            throw CommandFailure(.usage, "expected \(expected), found \(Words.count(files.count, "file"))")
        }
        let ours = files[files.count - 2]
        let theirs = files[files.count - 1]
        let named = base ?? (files.count == 3 ? files[0] : nil)
        try InputPaths.check([named, ours, theirs].compactMap(\.self))
        guard let named else { return (nil, ours, theirs) }
        let base = try InputFile(reading: named, limit: limit)
        return (base.bytes.isEmpty ? nil : base, ours, theirs)
    }

    /// Checks that the result and the report do not go to one place.
    ///
    /// - Throws: 64 where both would go to the standard output.
    package func check(_ format: FormatOption) throws(CommandFailure) {
        guard output == "-", format.format == .json else { return }
        throw CommandFailure(.usage, "--format json prints the report: name a file for the merged one with --output")
    }
}
