package import ArgumentParser
package import StrictJSON
internal import Synchronization

/// The forms in which a command prints its result.
package enum OutputFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// Text for people.
    case text
    /// JSON for programs: stable, and described by a schema in `Schemas/cli/`.
    case json

    /// Reads the option's value, and notes that the reader is a program: failures are for it as well.
    package init?(argument: String) {
        guard let format = OutputFormat(rawValue: argument) else { return nil }
        if format == .json { Program.answersPrograms.store(true, ordering: .relaxed) }
        self = format
    }
}

/// The option `--format`.
package struct FormatOption: ParsableArguments {
    /// The form of the result.
    @Option(help: "Print the result as text or as JSON.")
    package var format: OutputFormat = .text

    /// Makes the default: text.
    package init() {}

    /// Prints the result in the form that was asked for; what a command did is left out with `--quiet`.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func print(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) throws(CommandFailure) {
        switch format {
        case .text: try StandardOutput.shared.report(text())
        case .json: try StandardOutput.shared.write(json().encoded(.indented))
        }
    }

    /// Prints the report on what was done, or would be.
    ///
    /// - Throws: 74 where the standard output cannot be written; where something was done, the message says so.
    package func report(
        _ text: String,
        _ json: @autoclosure () -> JSONValue,
        isDryRun: Bool
    ) throws(CommandFailure) {
        do throws(CommandFailure) {
            try print(text, json())
            try StandardOutput.shared.flush()
        } catch {
            guard !isDryRun else { throw error }
            let message = error.message ?? "cannot write"
            throw CommandFailure(error.status, "\(message); what was asked for is done, only the report is missing")
        }
    }
}

/// The option `--yes`, and the questions that it answers.
package struct ConfirmationOption: ParsableArguments {
    /// True if every question is answered with yes.
    @Flag(name: [.short, .long], help: "Answer every question with yes.")
    package var yes = false

    /// Makes the default: questions are asked.
    package init() {}

    /// Asks for consent.
    ///
    /// - Throws: 64 where nobody is there to ask, and where the answer is no.
    package func require(_ question: String) throws(CommandFailure) {
        if yes { return }
        guard StandardInput.isTerminal, StandardError.isTerminal else {
            throw CommandFailure(
                .usage,
                "\(question) There is no terminal to answer at: use --yes; nothing was changed"
            )
        }
        StandardError.write("\(TerminalText.safe(question)) [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        guard answer == "y" || answer == "yes" else { throw CommandFailure(.usage, "stopped; nothing was changed") }
    }

    /// Asks before a file is replaced, unless `isExpected` says that it is one of the kind that is to be written.
    ///
    /// - Throws: 64 where nobody is there to ask, and where the answer is no.
    package func requireReplacing(
        _ output: OutputFile,
        being what: String = "which is there already",
        unless isExpected: () -> Bool = { false }
    ) throws(CommandFailure) {
        guard output.exists, !yes, !isExpected() else { return }
        try require("Replace \(output.path), \(what)?")
    }
}
