/// Rows in columns, aligned by what they take on a terminal.
///
/// On a terminal a table is no wider than that: long texts are cut, with … at their end. Where even that is too wide, each
/// row becomes several lines, one for each cell.
///
/// ```swift
/// var table = TextTable([.left("NAME"), .right("BLOCKS")])
/// table.add(["Leg day", "12"])
/// print(table.render())
/// ```
package struct TextTable: Sendable {
    /// A column: its heading, and the side its cells stand on.
    package enum Column: Sendable {
        /// Text, which may be cut.
        case left(String)
        /// Numbers, which are never cut.
        case right(String)
        /// Identifiers, times and other text that is never cut.
        case fixed(String)

        var heading: String {
            switch self {
            case .left(let heading), .right(let heading), .fixed(let heading): heading
            }
        }
    }

    /// The fewest columns of a terminal that a text is cut to.
    private static let shortest = 8

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes a table without rows; one without headings begins with its first row.
    package init(_ columns: [Column]) { self.columns = columns }

    /// True if there are no rows.
    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells are empty, those beyond the last column are left out.
    package mutating func add(_ cells: [String]) {
        let missing = max(0, columns.count - cells.count)
        rows.append((cells.prefix(columns.count) + Array(repeating: "", count: missing)).map(TerminalText.safe))
    }

    /// Returns the table for the standard output: as wide as its terminal allows, with its headings in bold.
    ///
    /// - Parameter indent: The number of spaces before each line.
    package func render(indent: Int = 0) -> String {
        render(width: Terminal.columns, indent: indent, .output)
    }

    /// Returns the table as text, heading first; each line ends with a newline and no line with a space.
    ///
    /// - Parameters:
    ///   - width: The number of columns that a line may take; nil for any number.
    ///   - indent: The number of spaces before each line.
    ///   - painter: Paints the headings.
    package func render(width: Int?, indent: Int = 0, _ painter: Painter = .plain) -> String {
        guard let widths = widths(in: width.map { $0 - indent }) else {
            return renderRecords(width: width.map { max($0 - indent, 1) } ?? .max, indent, painter)
        }
        let headings = columns.map(\.heading)
        let hasHeadings = headings.contains { !$0.isEmpty }
        let lines = rows.map { line($0, widths) }
        let all = (hasHeadings ? [painter.paint(line(headings, widths), .heading)] : []) + lines
        return all.map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, whole) in cells.enumerated() {
            let cell = TerminalText.cut(whole, to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - TerminalText.width(cell))
            if index > 0 { line += "  " }
            if case .right = columns[index] { line += padding + cell } else { line += cell + padding }
        }
        while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
        return line
    }

    /// Returns the widths of the columns; nil where the table is too wide even with short texts.
    private func widths(in width: Int?) -> [Int]? {
        let lines = [columns.map(\.heading)] + rows
        var widths = columns.indices.map { column in lines.map { TerminalText.width($0[column]) }.max() ?? 0 }
        guard let width else { return widths }
        var excess = widths.reduce(2 * (columns.count - 1), +) - width
        while excess > 0 {
            let wide = columns.indices.filter { index in
                guard case .left(let heading) = columns[index] else { return false }
                return widths[index] > max(Self.shortest, TerminalText.width(heading))
            }
            guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { return nil }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    /// Returns each row as lines of a heading and a cell, with an empty line between two rows.
    private func renderRecords(width: Int, _ indent: Int, _ painter: Painter) -> String {
        let longest = columns.map { TerminalText.width($0.heading) }.max() ?? 0
        let margin = String(repeating: " ", count: indent)
        let records = rows.map { cells in
            zip(columns, cells).filter { !$0.1.isEmpty }.map { column, cell in
                let padding = String(repeating: " ", count: longest - TerminalText.width(column.heading))
                let lead = longest == 0 ? 0 : longest + 2
                var lines = [cell]
                if case .left = column {
                    lines = TerminalText.wrap(cell, to: max(width - lead, Self.shortest))
                } else if lead > 0, lead + TerminalText.width(cell) > width {
                    // Begin a new line before a cell that must stay whole.
                    return margin + painter.paint(column.heading, .heading) + "\n" + margin + "  " + cell + "\n"
                }
                let start = longest == 0 ? "" : painter.paint(column.heading, .heading) + padding + "  "
                return lines.enumerated().map { number, line in
                    margin + (number == 0 ? start : String(repeating: " ", count: lead)) + line + "\n"
                }.joined()
            }.joined()
        }
        return records.joined(separator: "\n")
    }
}
