#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The terminal that the standard output leads to.
package enum Terminal {
    /// The number of columns that a line may take; nil where the standard output is no terminal.
    ///
    /// `COLUMNS` wins over what the terminal says.
    package static var columns: Int? { StandardOutput.shared.isTerminal ? columns(of: STDOUT_FILENO) : nil }

    /// The number of columns that a line of the standard error stream may take; nil where that is no terminal.
    static var errorColumns: Int? { StandardError.isTerminal ? columns(of: STDERR_FILENO) : nil }

    private static func columns(of descriptor: Int32) -> Int {
        if let text = variable("COLUMNS"), let columns = Int(text), columns > 0 { return columns }
        let columns = size(of: descriptor).columns
        return columns > 0 ? columns : 80
    }

    /// The number of lines that the terminal shows.
    static var rows: Int {
        if let text = variable("LINES"), let rows = Int(text), rows > 0 { return rows }
        let rows = size(of: STDOUT_FILENO).rows
        return rows > 0 ? rows : 24
    }

    /// True if the terminal knows no more than characters, as `TERM` says.
    static var isDumb: Bool { ["", "dumb"].contains(variable("TERM") ?? "") }

    /// Returns a variable of the environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// The role of a piece of text, which decides its colour.
package enum TextStyle: Sendable {
    /// An error, or what goes: red.
    case error, removed
    /// A warning, or what changes: yellow.
    case warning, changed
    /// A success, or an addition: green.
    case done, added
    /// A heading: bold.
    case heading

    /// The number that a terminal takes for it.
    fileprivate var code: Int {
        switch self {
        case .error, .removed: 31
        case .done, .added: 32
        case .warning, .changed: 33
        case .heading: 1
        }
    }
}

/// Puts text into colour, where there is a terminal that shows it.
///
/// The text must be fit for a terminal already: see ``TerminalText``.
package struct Painter: Sendable {
    /// True if there are colours.
    package let hasColors: Bool

    /// Makes a painter.
    package init(hasColors: Bool) { self.hasColors = hasColors }

    /// Leaves text as it is.
    package static let plain = Painter(hasColors: false)

    /// The painter of the standard output.
    package static var output: Painter { Painter(isTerminal: StandardOutput.shared.isTerminal) }

    /// The painter of the standard error stream.
    package static var errors: Painter { Painter(isTerminal: StandardError.isTerminal) }

    private init(isTerminal: Bool) {
        hasColors = Self.hasColors(Printing.current.color, isTerminal: isTerminal, Terminal.variable)
    }

    /// Tells whether to print colours.
    ///
    /// The option decides first, then `NO_COLOR`, `CLICOLOR_FORCE` and the terminal.
    static func hasColors(_ option: Printing.Color, isTerminal: Bool, _ variable: (String) -> String?) -> Bool {
        func isSet(_ name: String) -> Bool { variable(name).map { !$0.isEmpty } ?? false }
        func isOn(_ name: String) -> Bool { isSet(name) && variable(name) != "0" }
        switch option {
        case .always: return true
        case .never: return false
        case .auto:
            if isSet("NO_COLOR") { return false }
            if isOn("CLICOLOR_FORCE") || isOn("FORCE_COLOR") { return true }
            return isTerminal && variable("CLICOLOR") != "0" && isSet("TERM") && variable("TERM") != "dumb"
        }
    }

    /// Returns the text in a style.
    package func paint(_ text: String, _ style: TextStyle) -> String {
        guard hasColors, !text.isEmpty else { return text }
        return "\u{1B}[\(style.code)m\(text)\u{1B}[0m"
    }

    /// Returns a report in colours: green and red as ``paintChange(_:)`` has it, and what was done in green.
    func paintReport(_ text: String) -> String {
        guard hasColors else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { paintDone(paintChange(String($0))) }.joined(separator: "\n")
    }

    private func paintDone(_ text: String) -> String {
        let word = text.prefix { $0.isLetter }
        guard Self.doneWords.contains(String(word)) else { return text }
        return paint(String(word), .done) + text.dropFirst(word.count)
    }

    private static let doneWords: Set<String> = [
        "Added", "Changed", "Deleted", "Exported", "Imported", "Joined", "Left", "Made", "Merged", "Packed", "Planned",
        "Put", "Removed", "Renamed", "Restored", "Set", "Started", "Stopped", "Took", "Undone", "Unpacked", "Updated",
        "Wrote",
    ]

    /// Returns a line of a plan or a comparison, green where something comes and red where something goes.
    package func paintChange(_ line: String) -> String {
        guard hasColors else { return line }
        let word = line.drop { $0 == " " }.prefix { $0 != " " }
        switch word {
        case "+", "create", "added", "add": return paint(line, .added)
        case "-", "remove", "delete", "removed", "deleted", "refuse": return paint(line, .removed)
        case "~", "update", "conflict": return paint(line, .changed)
        default: return line
        }
    }

    /// Returns a finding's line with its severity in a colour.
    func paintFinding(_ line: String) -> String {
        guard hasColors else { return line }
        for (word, style) in [("error[", TextStyle.error), ("warning[", .warning)] {
            let isFirst = line.hasPrefix(word)
            guard let found = isFirst ? line.startIndex : line.firstRange(of: ": \(word)")?.lowerBound else { continue }
            let start = line.index(found, offsetBy: isFirst ? 0 : 2)
            guard let end = line[start...].firstIndex(of: "]") else { continue }
            return line[..<start] + paint(String(line[start...end]), style) + line[line.index(after: end)...]
        }
        return line
    }
}
