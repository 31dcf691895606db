#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
package import ArgumentParser
internal import StrictJSON
internal import Synchronization

/// The frame around every program: parses, runs, and turns what was thrown into a message and an exit code.
package enum Program {
    /// Runs the program's root command with the process's arguments and ends the process.
    ///
    /// A wrong command line ends with 64, help and version with 0, a ``CommandFailure`` with its own code. With `--format
    /// json` a failure is an object on the standard output as well, unless the command has written its result there.
    ///
    /// - Parameters:
    ///   - unparsed: Gives the work of arguments that need no parser, nil for all others. Where a command does little,
    ///     the parser takes twice as long as the command.
    ///   - failure: What an error of a library means to the person who runs the program; nil for an error that it does
    ///     not know.
    ///   - atEnd: Called when the command has ended, however that was: reports what is left to report. What it gives is
    ///     the exit code of a command that would end with 0.
    package static func run(
        _ root: any ParsableCommand.Type,
        unparsed: ([String]) -> (() throws -> Void)? = { _ in nil },
        failure: (any Error) -> CommandFailure? = { _ in nil },
        atEnd: () -> ExitStatus = { .success }
    ) -> Never {
        run(opened: root, unparsed, failure, atEnd)
    }

    private static func run(
        opened root: (some ParsableCommand).Type,
        _ unparsed: ([String]) -> (() throws -> Void)?,
        _ failure: (any Error) -> CommandFailure?,
        _ atEnd: () -> ExitStatus
    ) -> Never {
        // A file that may not become larger is a failure to report, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        var isParsed = false
        do {
            try ArgumentCheck.checkEncoding()
            let options = try CommandLineOptions(CommandLine.arguments.dropFirst())
            Printing.shared.withLock { $0 = options.printing }
            if let work = unparsed(options.rest) {
                isParsed = true
                prepare(isListing: false, options)
                try work()
            } else {
                try ArgumentCheck.check(options.rest, root)
                var command = try root.parseAsRoot(options.rest)
                isParsed = true
                prepare(isListing: command is any ListingCommand, options)
                try DecryptionKeys.load()
                try command.run()
            }
            try StandardOutput.shared.finish()
        } catch let code as ExitCode {
            if !code.isSuccess, Self.failedFiles.withLock({ !$0.isEmpty }) {
                answer(CommandFailure(ExitStatus(rawValue: code.rawValue) ?? .internalError, diagnostics: []))
            }
            flushOrFail(root)
            _ = atEnd()
            endProcess(code)
        } catch {
            if !isParsed, asksForJSON { answersPrograms.store(true, ordering: .relaxed) }
            try? StandardOutput.shared.finish()
            _ = atEnd()
            let missing = isParsed ? nil : ArgumentCheck.missingValue(root.message(for: error), arguments)
            guard let failure = error as? CommandFailure ?? failure(error) ?? missing else {
                let code = root.exitCode(for: error)
                if code.isSuccess { exit(withHelp: root.fullMessage(for: error), root, error) }
                let status = ExitStatus(rawValue: code.rawValue) ?? .internalError
                answer(CommandFailure(status, root.message(for: error)))
                root.exit(withError: error)
            }
            answer(failure)
            report(failure, program: root.configuration.commandName ?? root._commandName)
            endProcess(failure.status.exitCode)
        }
        let status = atEnd()
        if status != .success { endProcess(status.exitCode) }
        root.exit()
    }

    /// The process's arguments without the options that every command takes.
    package static var arguments: [String] {
        let arguments = CommandLine.arguments.dropFirst()
        return (try? CommandLineOptions(arguments).rest) ?? Array(arguments)
    }

    /// Prepares the streams for what a command prints.
    private static func prepare(isListing: Bool, _ options: CommandLineOptions) {
        Printing.shared.withLock { printing in
            printing.isListing = isListing
            printing.isAnswer = isListing || ["--dry-run", "--list"].contains(where: options.rest.contains)
        }
        guard isListing, options.printing.usesPager, options.isText, StandardOutput.shared.isTerminal, !Terminal.isDumb,
            let pager = Pager.command(ProcessInfo.processInfo.environment)
        else { return }
        StandardOutput.shared.usePager(pager)
    }

    /// Prints the help that was asked for, with the options that every command takes, or whatever else it was.
    private static func exit(withHelp text: String, _ root: any ParsableCommand.Type, _ error: any Error) -> Never {
        if let script = CompletionScript.completed(text) {
            try? StandardOutput.shared.write(script + (text.hasSuffix("\n") ? "" : "\n"))
            flushOrFail(root)
            root.exit()
        }
        guard ["OVERVIEW: ", "USAGE: "].contains(where: text.hasPrefix) else { root.exit(withError: error) }
        try? StandardOutput.shared.write(
            ProgramNames.asCalled(help: text) + (text.hasSuffix("\n") ? "" : "\n") + Printing.help
        )
        flushOrFail(root)
        root.exit()
    }

    /// True if a program reads the standard output, as `--format json` says.
    static let answersPrograms = Atomic(false)

    /// True if a command line that could not be parsed asks for JSON.
    private static var asksForJSON: Bool {
        let given = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        return given.last { $0.hasPrefix("--format=") } == "--format=json"
            || zip(given, given.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }

    /// Reports of files that could not be used, for the object that a failure is.
    static let failedFiles = Mutex<[JSONValue]>([])

    /// Writes a failure for the program that reads the standard output.
    private static func answer(_ failure: CommandFailure) {
        let output = StandardOutput.shared
        guard answersPrograms.load(ordering: .relaxed), !output.isUsed else { return }
        let files = failedFiles.withLock { $0 }
        var object = JSONObject()
        if !files.isEmpty { object["files"] = .array(files) }
        object["failure"] = failure.json(or: files.lazy.compactMap { $0["diagnostics"]?.array?.first }.first)
        // Each line of watch is a result.
        let isLine = arguments.prefix(2).contains("watch")
        try? output.write(
            JSONValue.object(object).encoded(isLine ? .compact : .indented) + (isLine ? [UInt8(ascii: "\n")] : [])
        )
        try? output.flush()
    }

    /// Writes a failure to the standard error stream: findings as they are, the message after the program's name.
    static func report(_ failure: CommandFailure, program: String) {
        var text = DiagnosticRenderer().render(failure.diagnostics)
        if let message = failure.message {
            text += "\(Painter.errors.paint("\(program):", .error)) \(TerminalText.safe(message))\n"
        }
        StandardError.write(text)
    }

    private static func flushOrFail(_ root: any ParsableCommand.Type) {
        do {
            try StandardOutput.shared.finish()
        } catch {
            report(error, program: root.configuration.commandName ?? root._commandName)
            endProcess(error.status.exitCode)
        }
    }
}

/// Ends the process: `exit(withError:)` of a command would first make the text of its usage, which a code never shows.
private func endProcess(_ code: ExitCode) -> Never { exit(code.rawValue) }
