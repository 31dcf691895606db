import CivilTime
import FormatKit
import StrictJSON

/// The checks of how the times of activities go together: one at a time, and one that runs.
struct TrackerSpanChecks {
    /// An activity on the time line.
    struct Part {
        let place: Int
        let start: Timestamp
        /// Nil while it is running.
        var end: Timestamp?
    }

    private let rows: TrackerRows
    /// The parts in the order of their starts, and of the file where these are the same.
    private var parts: [Part]

    init(_ rows: TrackerRows, _ parts: [Part]) {
        self.rows = rows
        self.parts = parts
        let isSorted = zip(parts, parts.dropFirst()).allSatisfy { $0.start <= $1.start }
        if !isSorted { self.parts.sort { ($0.start, $0.place) < ($1.start, $1.place) } }
    }

    consuming func check(_ findings: TapeFindings) {
        checkRunning(findings)
        checkOverlaps(findings)
    }

    /// Checks running activities: of several, each ends when the next of them starts.
    private mutating func checkRunning(_ findings: TapeFindings) {
        let running = parts.indices.filter { parts[$0].end == nil }
        for (index, next) in zip(running, running.dropFirst()) {
            let (part, later) = (parts[index], parts[next])
            findings.addFixable(
                "tracker.several-running",
                at: part.place,
                fix: "it ends at \(later.start)",
                "\(name(part, findings)) is running, and \(name(later, findings)), which began later, is running too; "
                    + "one activity runs at a time"
            )
            parts[index].end = later.start
            guard findings.repair else { continue }
            var cells = Array(repeating: -1, count: TrackerRows.Column.count)
            _ = rows.find(part.place, into: &cells)
            guard let span = rows.span(part.place, cells) else { continue }
            _ = rows.find(later.place, into: &cells)
            let end = rows.span(later.place, cells)?.start ?? ZonedTimestamp(later.start)
            rows.setTimes(part.place, TrackerSpan(start: span.start, end: end))
        }
        guard let last = running.last, last < parts.count - 1 else { return }
        let (count, isFollowed) = (
            parts.count - 1 - last, parts[(last + 1)...].contains { $0.start > parts[last].start }
        )
        guard isFollowed else { return }
        let others = count == 1 ? "an activity" : "\(count) activities"
        findings.add(
            .warning,
            "tracker.overlap",
            at: parts[last].place,
            "\(name(parts[last], findings)) is running, though \(others) began later"
        )
    }

    /// Checks overlaps: an activity that begins before one that began earlier has ended.
    private func checkOverlaps(_ findings: TapeFindings) {
        var longest: Part?
        for part in parts {
            guard let end = part.end else { continue }
            if let before = longest, let limit = before.end, part.start < min(limit, end) {
                findings.add(
                    .warning,
                    "tracker.overlap",
                    at: part.place,
                    "\(name(part, findings)) begins at \(part.start), while \(name(before, findings)) "
                        + "(at \(findings.pointer(before.place))) lasts until \(limit)"
                )
            }
            if longest?.end.map({ $0 < end }) ?? true { longest = part }
        }
    }

    private func name(_ part: Part, _ findings: TapeFindings) -> String {
        findings.quoted(rows.cell(part.place, TrackerRows.Column.name) ?? -1)
    }
}
