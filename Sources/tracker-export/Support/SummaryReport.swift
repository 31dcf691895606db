internal import CivilTime
internal import CommandSupport
internal import GymPulse
internal import StrictJSON
internal import TimeTracker

/// A day for people and programs.
struct SummaryReport {
    let summary: DaySummary
    let clock: LocalClock

    var text: String {
        var lines = ["\(summary.day): \(length(summary.fullLength))"]
        if summary.isToday { lines[0] += ", of which \(length(summary.length)) are over" }
        lines.append("Tracked:     \(length(summary.tracked))")
        lines.append("Unaccounted: \(length(summary.unaccounted))")
        if summary.overlapping > .zero { lines.append("Overlapping: \(length(summary.overlapping))") }
        if let billable = summary.billable { lines.append("Billable:    \(length(billable))") }
        let head = lines.map { $0 + "\n" }.joined()
        guard !summary.pieces.isEmpty else { return head + "\nNo activities.\n" }
        var totals = TextTable([.left("ACTIVITY"), .right("TIME"), .right("TIMES")])
        for total in summary.totals {
            totals.add([TerminalText.cut(total.name, to: 40), length(total.duration), "\(total.count)"])
        }
        let details = summary.details
        let columns = details.map { TextTable.Column.left($0.title.uppercased()) }
        var table = TextTable([.left("FROM"), .left("TO"), .right("TIME"), .left("ACTIVITY")] + columns)
        for piece in summary.pieces {
            let end = piece.isRunning ? "running" : time(piece.end)
            let texts = [piece.activity.name] + details.map { piece.activity.detail($0) ?? "" }
            table.add([time(piece.start), end, length(piece.duration)] + texts.map { TerminalText.cut($0, to: 40) })
        }
        return [head, totals.render(), table.render()].joined(separator: "\n")
    }

    var json: JSONValue {
        var object: JSONObject = [
            "date": .string(summary.day.description),
            "start": .string(clock.text(of: summary.start)),
            "end": .string(clock.text(of: summary.end)),
            "until": .string(clock.text(of: summary.until)),
            "isToday": .bool(summary.isToday),
            "lengthMilliseconds": number(summary.length),
            "trackedMilliseconds": number(summary.tracked),
            "unaccountedMilliseconds": number(summary.unaccounted),
            "totals": .array(
                summary.totals.map { total in
                    [
                        "name": .string(total.name),
                        "color": total.color.map { .string($0) } ?? .null,
                        "milliseconds": number(total.duration),
                        "count": .number(JSONNumber(total.count)),
                    ]
                }
            ),
            "activities": .array(
                summary.pieces.map { piece in
                    var object: JSONObject = [
                        "id": .string(piece.activity.id),
                        "name": .string(piece.activity.name),
                        "from": .string(clock.text(of: piece.start)),
                        "to": .string(clock.text(of: piece.end)),
                        "milliseconds": number(piece.duration),
                        "isRunning": .bool(piece.isRunning),
                    ]
                    for detail in ActivityDetail.allCases {
                        object[detail.rawValue] = piece.activity.detail(detail).map(detail.value)
                    }
                    return .object(object)
                }
            ),
        ]
        object["billableMilliseconds"] = summary.billable.map(number)
        return .object(object)
    }

    /// The time of the day, `07:05`.
    private func time(_ moment: Timestamp) -> String {
        String(clock.text(of: moment).dropFirst(11).prefix(moment.seconds % 60 == 0 ? 5 : 8))
    }

    private func length(_ duration: Duration) -> String { Words.length(Int(duration.components.seconds)) }

    private func number(_ duration: Duration) -> JSONValue {
        let (seconds, attoseconds) = duration.components
        return .number(JSONNumber(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
    }
}
