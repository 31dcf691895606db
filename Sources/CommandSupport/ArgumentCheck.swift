internal import ArgumentParser
internal import FileSystem
internal import JSONSchemaValidation
internal import CivilTime

/// Refuses command lines that ArgumentParser takes for a request for help.
enum ArgumentCheck {
    /// - Throws: 64 for `-dash.txt`, which is read as single letters with `-h` among them, for `-2h` that follows no
    ///   option, and for `help nope`.
    static func check(_ arguments: [String], _ root: any ParsableCommand.Type) throws(CommandFailure) {
        var previous = ""
        for argument in arguments.prefix(while: { $0 != "--" }) {
            defer { previous = argument }
            guard isHiddenHelp(argument) else { continue }
            if (try? TimeExpression(argument)) != nil {
                if previous.hasPrefix("--") { continue }
                throw CommandFailure(.usage, "there is no option \(argument); write -- \(argument) for a time")
            }
            let isText = previous.hasPrefix("--") && argument.contains(where: \.isWhitespace)
            let advice = isText ? dashedValue(argument, of: previous) : "write ./\(argument) for a file of that name"
            throw CommandFailure(.usage, "there is no option \(argument); \(advice)")
        }
        guard arguments.first == "help" else { return try checkCommand(arguments, root) }
        var command = root
        for name in arguments.dropFirst() where !name.hasPrefix("-") {
            let commands = command.configuration.subcommands
            guard let next = commands.first(where: { names(of: $0).contains(name) }) else {
                let known = commands.map { $0._commandName }.joined(separator: ", ")
                let hint = known.isEmpty ? "it has none" : "there are \(known)"
                throw CommandFailure(.usage, "\(command._commandName) has no command \"\(name)\"; \(hint)")
            }
            command = next
        }
    }

    /// Returns the failure of an option that is followed by a value with a dash, which is read as an option; nil for others.
    ///
    /// - Parameter message: The parser's message.
    static func missingValue(_ message: String, _ arguments: [String]) -> CommandFailure? {
        let start = "Missing value for '"
        guard message.hasPrefix(start) else { return nil }
        let option = String(message.dropFirst(start.count).prefix { $0 == "-" || ("a"..."z").contains($0) })
        let given = arguments.prefix { $0 != "--" }
        guard let value = zip(given, given.dropFirst()).first(where: { $0 == option && $1.hasPrefix("-") })?.1 else {
            return nil
        }
        return CommandFailure(.usage, "\(option) has no value; \(dashedValue(value, of: option))")
    }

    private static func dashedValue(_ value: String, of option: String) -> String {
        "write \(option)=\(ShellText.quoted(value)) for a value that begins with a dash"
    }

    /// - Throws: 64 for a word in the place of a command that is none, with the command that was probably meant.
    private static func checkCommand(
        _ arguments: [String],
        _ root: any ParsableCommand.Type
    ) throws(CommandFailure) {
        var command = root
        var path = root._commandName
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
            if let next = commands.first(where: { names(of: $0).contains(argument) }) {
                command = next
                path += " \(next._commandName)"
                continue
            }
            let known = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            let nearest = Suggestion.nearest(to: argument, among: known)
            // Where there is a command for what comes without one, the word may be its argument.
            if command.configuration.defaultSubcommand != nil {
                guard nearest != nil, (try? Files.exists(argument)) != true else { return }
            }
            let hint = nearest.map { "did you mean \"\(path) \($0)\"?" } ?? "there are \(known.joined(separator: ", "))"
            throw CommandFailure(.usage, "\(path) has no command \"\(argument)\"; \(hint)")
        }
    }

    /// - Throws: 64 for an argument that is no UTF-8, of which a file of another name would be made.
    static func checkEncoding() throws(CommandFailure) {
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            let shown = TerminalText.safe(String(cString: argument))
            throw CommandFailure(.usage, "the argument \"\(shown)\" is no UTF-8; give the file another name")
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }

    private static func isHiddenHelp(_ argument: String) -> Bool {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--"), argument != "-h" else { return false }
        return argument.prefix { $0 != "=" }.contains("h")
    }
}
