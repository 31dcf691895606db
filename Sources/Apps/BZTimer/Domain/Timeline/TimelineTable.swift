public import CivilTime
internal import FormatKit
import GymPulse
internal import StrictJSON

/// Writes a timeline as CSV (RFC 4180): a heading, then a row for each phase or block; lines end with CRLF.
public enum TimelineTable {
    /// Returns the table's text.
    ///
    /// The columns are `number`, `phase`, `label`, `set`, `round`, `start_seconds` and `duration_seconds`, and where a
    /// start is given also `start` and `end`, RFC 3339 in UTC. Set and round are empty outside of rounds. A cell that a
    /// spreadsheet would take for a formula gets an apostrophe in front.
    public static func csv(_ timeline: Timeline, start: Timestamp? = nil) -> String {
        var heading = ["number", "phase", "label", "set", "round", "start_seconds", "duration_seconds"]
        if start != nil { heading += ["start", "end"] }
        var text = row(heading)
        for (index, entry) in timeline.entries.enumerated() {
            var cells = [
                "\(index + 1)", entry.phase.rawValue, entry.label, entry.set.map(String.init) ?? "",
                entry.round.map(String.init) ?? "", "\(entry.start)", "\(entry.duration)",
            ]
            if let start {
                cells += [entry.start, entry.end].map { start.adding(seconds: $0).description }
            }
            text += row(cells)
        }
        return text
    }

    private static func row(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

    private static func quoted(_ text: String) -> String {
        let cell = FormulaGuard.guarded(text)
        let needsQuotes = cell.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
        return needsQuotes ? "\"\(cell.replacingScalar("\"", with: "\"\""))\"" : cell
    }
}
