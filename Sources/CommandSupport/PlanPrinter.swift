package import StrictJSON

/// Shows what will be done, asks, and says what was done.
///
/// Where a question follows, the plan comes before it; else plan and result are printed together once all is done, so that a
/// reader who goes away in between cannot stop the work. In JSON, where the plan is part of the result, a person who is
/// asked reads it on the standard error stream.
package final class PlanPrinter {
    /// The form of the result.
    package let output: FormatOption
    private let confirmation: ConfirmationOption
    private let isDryRun: Bool
    private var plan = ""

    /// - Parameters:
    ///   - output: How the result is printed.
    ///   - confirmation: Whether there is a question at all.
    ///   - isDryRun: Whether nothing is done.
    package init(output: FormatOption, confirmation: ConfirmationOption, isDryRun: Bool) {
        self.output = output
        self.confirmation = confirmation
        self.isDryRun = isDryRun
    }

    /// Takes the plan.
    package func show(_ lines: [String]) {
        let painter = output.format == .text ? Painter.output : .errors
        plan = lines.map { painter.paintChange(TerminalText.safe($0)) + "\n" }.joined()
    }

    /// Asks for consent to the plan.
    ///
    /// - Throws: 64 where nobody is there to ask, and where the answer is no.
    package func require(_ question: String) throws(CommandFailure) {
        if !confirmation.yes {
            switch output.format {
            case .text:
                try StandardOutput.shared.write(plan)
                try StandardOutput.shared.flush()
                plan = ""
            case .json: StandardError.write(plan)
            }
        }
        try confirmation.require(question)
    }

    /// Says what was done, or would be.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func finish(_ line: String, _ json: @autoclosure () -> JSONValue) throws(CommandFailure) {
        try output.report(plan + TerminalText.safe(line) + "\n", json(), isDryRun: isDryRun)
    }
}
