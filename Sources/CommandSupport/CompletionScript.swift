/// Adds the options that every command takes to the completion scripts of ArgumentParser, which does not know them.
enum CompletionScript {
    /// Returns a script with these options; nil where a text is no completion script.
    static func completed(_ script: String) -> String? {
        if script.hasPrefix("#!/bin/bash") { return bash(script) }
        if script.hasPrefix("#compdef ") { return zsh(script) }
        if script.hasPrefix("function "), script.contains("\ncomplete -c ") { return fish(script) }
        return nil
    }

    private static let quiet = "Print errors and what was asked for, nothing else."
    private static let verbose = "Tell what is read and written; list more."
    private static let color = "Use colours."
    private static let noPager = "Do not show long lists in a pager."

    private static func lines(_ script: String) -> [String] {
        script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func bash(_ script: String) -> String {
        lines(script).map { line in
            if line.contains("non_repeating_flags=("), line.hasSuffix(")") {
                return added("-q --quiet -v --verbose --no-pager", to: line)
            }
            // The buttons of Time Tracker have colours of their own.
            if line.contains("non_repeating_options=("), line.hasSuffix(")"), !line.contains("--color") {
                return added("--color", to: line)
            }
            guard line.hasSuffix("local -r prev=\"${3}\"") else { return line }
            return line + """


                    if [[ "${prev}" = --color && " ${COMP_WORDS[*]} " != *" buttons "* ]]; then
                        COMPREPLY=($(compgen -W 'auto always never' -- "${cur}"))
                        return
                    fi
                """
        }.joined(separator: "\n")
    }

    /// Adds words to those in the parentheses at the end of a line.
    private static func added(_ words: String, to line: String) -> String {
        let start = line.dropLast()
        return "\(start)\(start.hasSuffix("(") ? "" : " ")\(words))"
    }

    private static func zsh(_ script: String) -> String {
        var result: [String] = []
        var block: [String]?
        for line in lines(script) {
            guard let open = block else {
                result.append(line)
                if line.hasSuffix("local -ar arg_specs=(") { block = [] }
                continue
            }
            guard line == "    )" else {
                block = open + [line]
                continue
            }
            let margin = String(repeating: " ", count: 8)
            var specs = [
                "'(-q --quiet)'{-q,--quiet}'[\(quiet)]'", "'(-v --verbose)'{-v,--verbose}'[\(verbose)]'",
                "'--no-pager[\(noPager)]'",
            ]
            if !open.contains(where: { $0.contains("'--color") }) {
                specs.append("'--color[\(color)]:when:(auto always never)'")
            }
            result += specs.map { margin + $0 } + open + [line]
            block = nil
        }
        return (result + (block ?? [])).joined(separator: "\n")
    }

    private static func fish(_ script: String) -> String {
        var result: [String] = []
        var hasOptions = false
        for line in lines(script) {
            let isParsing = line.contains("_parse_subcommand ") && !line.hasPrefix("function ")
            guard isParsing else {
                result.append(line)
                guard !hasOptions, line.hasPrefix("complete -c "), line.hasSuffix(" -f") else { continue }
                hasOptions = true
                let command = line.dropLast(3)
                result += [
                    "\(command) -s q -l quiet -d '\(quiet)'", "\(command) -s v -l verbose -d '\(verbose)'",
                    "\(command) -l no-pager -d '\(noPager)'",
                    "\(command) -n 'not contains buttons (commandline -pco)' -l color -x -a 'auto always never' -d '\(color)'",
                ]
                continue
            }
            let own = line.contains("'color=") ? "" : " 'color='"
            result.append("\(line) 'q/quiet' 'v/verbose' 'no-pager'\(own)")
        }
        return result.joined(separator: "\n")
    }
}
