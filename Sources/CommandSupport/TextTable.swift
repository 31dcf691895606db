/// Rows in columns, aligned by what they take on a terminal.
///
/// ```swift
/// var table = TextTable([.left("NAME"), .right("BLOCKS")])
/// table.add(["Leg day", "12"])
/// print(table.render())
/// ```
public struct TextTable: Sendable {
    /// A column: its heading, and the side its cells stand on.
    public enum Column: Sendable {
        /// Text.
        case left(String)
        /// Numbers.
        case right(String)

        var heading: String {
            switch self {
            case .left(let heading), .right(let heading): heading
            }
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    public init(_ columns: [Column]) { self.columns = columns }

    /// Whether there are no rows.
    public var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells are empty, those beyond the last column are left out.
    public mutating func add(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append((cells.prefix(columns.count) + Array(repeating: "", count: missing)).map(TerminalText.safe))
    }

    /// The table as text, heading first; each line ends with a newline and no line with a space.
    public func render() -> String {
        let lines = [columns.map(\.heading)] + rows
        let widths = columns.indices.map { column in lines.map { TerminalText.width($0[column]) }.max() ?? 0 }
        return lines.map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - TerminalText.width(cell))
                if index > 0 { line += "  " }
                if case .right = columns[index] { line += padding + cell } else { line += cell + padding }
            }
            while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
