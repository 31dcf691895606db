public import ArgumentParser

/// The frame around every program: parses, runs, and turns what was thrown into a message and an exit code.
public enum Program {
    /// Runs the program's root command with the process's arguments and ends the process.
    ///
    /// A wrong command line ends with 64, help and version with 0, a ``CommandFailure`` with its own code.
    ///
    /// - Parameter failure: What an error of a library means to the person who runs the program; nil for an error that
    ///   it does not know.
    public static func run(
        _ root: (some ParsableCommand).Type,
        failure: (any Error) -> CommandFailure? = { _ in nil }
    ) -> Never {
        let name = root.configuration.commandName ?? root._commandName
        do {
            var command = try root.parseAsRoot()
            try command.run()
            try StandardOutput.shared.flush()
        } catch let code as ExitCode {
            flushOrFail(root, name)
            root.exit(withError: code)
        } catch {
            try? StandardOutput.shared.flush()
            guard let failure = error as? CommandFailure ?? failure(error) else { root.exit(withError: error) }
            report(failure, program: name)
            root.exit(withError: failure.status.exitCode)
        }
        root.exit()
    }

    /// Writes a failure to the standard error stream: findings as they are, the message after the program's name.
    static func report(_ failure: CommandFailure, program: String) {
        var text = DiagnosticRenderer().render(failure.diagnostics)
        if let message = failure.message { text += "\(program): \(TerminalText.safe(message))\n" }
        StandardError.write(text)
    }

    private static func flushOrFail(_ root: (some ParsableCommand).Type, _ name: String) {
        do {
            try StandardOutput.shared.flush()
        } catch {
            report(error, program: name)
            root.exit(withError: error.status.exitCode)
        }
    }
}
