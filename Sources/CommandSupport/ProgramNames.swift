/// The names of the commands, as the person calls them who runs the program.
///
/// Messages name the part of the program that has a command, such as `foldersync repair`. Whoever runs `satchel` reads
/// `satchel sync repair`, as the other names need not be installed.
package enum ProgramNames {
    private static let isSatchel: Bool = {
        let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
        return !names.contains(name)
    }()

    private static let names: [Substring] = ["bzpack", "slate-backup", "tracker-export", "foldersync"]

    private static func part(_ name: Substring) -> String {
        switch name {
        case "bzpack": "timer"
        case "slate-backup": "slate"
        case "tracker-export": "time"
        case "foldersync": "sync"
        default: "study"
        }
    }

    /// Returns a message with the names of the commands as the program was called; quoted data stay as they are.
    package static func asCalled(_ message: String) -> String {
        guard isSatchel else { return message }
        // Titles of records are in quotes; an accent at the beginning of one makes no character with its quote.
        return message.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).map { Substring($0) }
            .enumerated().map { $0.isMultiple(of: 2) ? renamed($1) : String($1) }.joined(separator: "\"")
    }

    /// Returns a help text with the names of the commands as the program was called.
    package static func asCalled(help: String) -> String { isSatchel ? renamed(help[...]) : help }

    private static func renamed(_ text: Substring) -> String {
        // To make the expression takes longer than many a command.
        guard names.contains(where: { text.contains($0) }) else { return String(text) }
        let command = #/(^|[^\w/.-])(bzpack|slate-backup|tracker-export study|tracker-export|foldersync)(?=\s+[a-z])/#
        return String(text.replacing(command) { "\($0.1)satchel \(part($0.2))" })
    }
}
