package import ArgumentParser

/// The options for the file of an HTML page.
package struct PageOutput: ParsableArguments {
    /// The path of the page; nil for the name that the command gives it.
    @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
    package var output: String?

    /// True if the page is opened.
    @Flag(help: "Open the page in the browser.")
    package var open = false

    /// Makes the default: a file in the current folder, not opened.
    package init() {}

    /// Refuses to open the standard output.
    ///
    /// - Throws: A usage error where both are asked for.
    package func validate() throws {
        if open, output == "-" { throw ValidationError("--open needs a file") }
    }

    /// Writes a page and says where.
    ///
    /// - Parameters:
    ///   - html: The page.
    ///   - name: The name of the file where the person gave none.
    ///   - mark: What is near the beginning of every page that may be replaced without a question.
    ///   - confirmation: Whether another file may be replaced.
    /// - Throws: 3 where the page was written and could not be opened.
    package func write(
        _ html: String,
        named name: String,
        mark: String,
        _ confirmation: ConfirmationOption
    ) throws {
        let target = OutputFile(output ?? name)
        try target.check()
        try confirmation.requireReplacing(target, unless: { Self.has(mark, target) })
        try target.write(Array(html.utf8))
        guard !target.isStandardOutput else { return }
        try StandardOutput.shared.report(TerminalText.safe("Wrote \(target.path).") + "\n")
        guard open else { return }
        try StandardOutput.shared.flush()
        guard Browser.open(file: target.path) else {
            StandardError.write("warning: there is no program that opens it; open it in a browser\n")
            throw ExitStatus.findings.exitCode
        }
    }

    private static func has(_ mark: String, _ output: OutputFile) -> Bool {
        let head = try? InputFile.head(of: output.path)
        return head.map { String(decoding: $0, as: UTF8.self).contains(mark) } ?? false
    }
}
