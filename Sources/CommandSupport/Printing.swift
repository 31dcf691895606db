internal import Synchronization

/// The settings of output, from the options that every command takes.
///
/// ``Program`` takes these options out of the command line before anything else reads it.
package struct Printing: Sendable, Equatable {
    /// The use of colours.
    package enum Color: String, Sendable, CaseIterable {
        /// Colours on a terminal that knows them, unless the environment says otherwise.
        case auto
        /// Always.
        case always
        /// Never.
        case never
    }

    /// True if nothing is printed but errors and what was asked for.
    package var isQuiet = false
    /// True if reads and writes are reported, and lists have more.
    package var isVerbose = false
    /// The use of colours.
    package var color = Color.auto
    /// True if a long listing may go through a pager.
    package var usesPager = true
    /// True if the command's output is a list or another answer, and no report.
    var isListing = true
    /// True if the output is what was asked for, which `--quiet` leaves: an answer, or a dry run.
    var isAnswer = true

    /// The process's way to print.
    package static var current: Printing { shared.withLock { $0 } }

    static let shared = Mutex(Printing())

    /// True if a command's report on what it did is left out.
    package var leavesOutReports: Bool { isQuiet && !isAnswer }

    /// The lines of every command's help.
    static let help = """

        COMMON OPTIONS:
          -q, --quiet             Print errors and what was asked for, nothing else.
          -v, --verbose           Tell what is read and written; list more.
          --color <when>          Use colours: auto, always or never. (default: auto)
          --no-pager              Do not show long lists in a pager.

        """
}

/// A command whose output is what was asked for: it is printed with `--quiet`, and a pager may show it.
package protocol ListingCommand {}

/// The command line without the options that every command takes.
struct CommandLineOptions {
    /// The settings from these options.
    private(set) var printing = Printing()
    /// All other arguments.
    private(set) var rest: [String] = []

    /// True if the result is text: no `--format` asks for anything else.
    var isText: Bool {
        let joined = rest.last { $0.hasPrefix("--format=") }.map { String($0.dropFirst(9)) }
        let format = joined ?? rest.lastIndex(of: "--format").flatMap { rest[($0 + 1)...].first }
        return format.map { $0 == "text" } ?? true
    }

    /// Takes the options from anywhere before `--`.
    ///
    /// - Throws: 64 where they contradict each other, or a value is none of those expected.
    init(_ arguments: some Sequence<String>) throws(CommandFailure) {
        var waiting = Array(arguments)[...]
        // The buttons of Time Tracker have colours of their own.
        let hasOwnColor = waiting.prefix { $0 != "--" }.contains("buttons")
        while let argument = waiting.popFirst() {
            switch argument {
            case "--":
                rest += [argument] + waiting
                waiting = []
            case "-q", "--quiet": printing.isQuiet = true
            case "-v", "--verbose": printing.isVerbose = true
            case "--no-pager": printing.usesPager = false
            case "--color" where !hasOwnColor || waiting.first.flatMap(Printing.Color.init) != nil:
                printing.color = try Self.color(waiting.popFirst())
            case _ where argument.hasPrefix("--color=") && !hasOwnColor:
                printing.color = try Self.color(String(argument.dropFirst(8)))
            default: take(argument)
            }
        }
        if printing.isQuiet, printing.isVerbose {
            throw CommandFailure(.usage, "--quiet and --verbose contradict each other")
        }
    }

    /// Takes another argument, and what it has of `-q` and `-v` where single letters were joined, as in `-qy`.
    private mutating func take(_ argument: String) {
        let letters = argument.dropFirst()
        guard argument.hasPrefix("-"), letters.count > 1, letters.allSatisfy({ "qvy".contains($0) }) else {
            rest.append(argument)
            return
        }
        if letters.contains("q") { printing.isQuiet = true }
        if letters.contains("v") { printing.isVerbose = true }
        let others = letters.filter { $0 == "y" }
        if !others.isEmpty { rest.append("-\(others)") }
    }

    /// - Throws: 64 for a value that is none of those expected.
    private static func color(_ value: String?) throws(CommandFailure) -> Printing.Color {
        if let value, let color = Printing.Color(rawValue: value) { return color }
        let found = value.map { "found \"\($0)\"" } ?? "found nothing"
        throw CommandFailure(.usage, "--color is auto, always or never; \(found)")
    }
}
