internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import TimeTracker

/// The use of days, for people and programs.
struct SummaryReport {
    /// The days.
    let period: PeriodSummary
    /// The span of the days.
    let span: DaySpan
    let clock: LocalClock
    /// The word for a tracked item.
    var noun = "activity"
    /// True if the text lists the stretches without an activity; JSON always does.
    var listsGaps = false

    /// The day, where it is a single one.
    private var day: DaySummary? { span.kind == .day ? period.days.first : nil }

    // MARK: For people

    /// The groupings that have a table of their own, the names of activities first.
    private static let groupings: [Grouping] = [.activity, .client, .project, .task, .tags]

    var text: String {
        var parts = [head]
        if period.days.allSatisfy(\.pieces.isEmpty) {
            parts.append(Messages.nothingTracked)
        } else {
            parts += Self.groupings.compactMap(table)
            parts += day.map { [piecesTable($0.pieces, $0.details)] } ?? periodTables
        }
        if let day, !day.planned.isEmpty {
            parts.append(Messages.plannedEntries + piecesTable(day.planned, day.plannedDetails))
        }
        if listsGaps { parts.append(gapsTable) }
        return parts.joined(separator: "\n")
    }

    private var head: String {
        let full = period.days.reduce(.zero) { $0 + $1.fullLength }
        var line = "\(span.words): \(Words.length(full))"
        if period.length < full { line += ", of which \(Words.length(period.length)) are over" }
        var table = TextTable([.fixed(""), .left("")])
        table.add(["Tracked:", Words.length(period.tracked)])
        table.add(["Unaccounted:", Words.length(period.unaccounted)])
        if period.overlapping > .zero { table.add(["Overlapping:", Words.length(period.overlapping)]) }
        if let billable = period.billable {
            table.add(["Billable:", Words.length(billable) + (billable > period.tracked ? Messages.billedTwice : "")])
        }
        let amounts = period.amounts
        if !amounts.isEmpty { table.add(["Amount:", amounts.text]) }
        if period.plannedCount > 0 { table.add(["Planned:", Messages.planned(period)]) }
        return line + "\n" + table.render()
    }

    private func table(by grouping: Grouping) -> String? {
        let totals = period.totals(by: grouping)
        guard !totals.isEmpty else { return nil }
        let (hasBillable, hasAmounts) = (
            totals.contains { $0.billable != nil }, totals.contains { !$0.amounts.isEmpty }
        )
        var columns: [TextTable.Column] = [
            .left((grouping == .activity ? noun : grouping.rawValue).uppercased()), .right("TIME"), .right("TIMES"),
        ]
        if hasBillable { columns.append(.right("BILLABLE")) }
        if hasAmounts { columns.append(.right("AMOUNT")) }
        var table = TextTable(columns)
        for total in totals {
            var cells = [cut(total.name ?? "(none)"), Words.length(total.duration), "\(total.count)"]
            if hasBillable { cells.append(total.billable.map(Words.length) ?? "") }
            if hasAmounts { cells.append(total.amounts.text) }
            table.add(cells)
        }
        return table.render()
    }

    private func piecesTable(_ pieces: [DaySummary.Piece], _ details: [ActivityDetail]) -> String {
        let columns = details.map { TextTable.Column.left($0.title.uppercased()) }
        var table = TextTable([.fixed("FROM"), .fixed("TO"), .right("TIME"), .left(noun.uppercased())] + columns)
        for piece in pieces {
            let end = piece.isRunning ? "running" : time(piece.end)
            let texts = [piece.activity.name] + details.map { piece.detail($0) ?? "" }
            table.add([time(piece.start), end, Words.length(piece.duration)] + texts.map(cut))
        }
        return table.render()
    }

    /// The sums of days, weeks and months; of a long time, days with nothing in them are left out.
    private var periodTables: [String] {
        let days = period.days.filter { period.days.count <= 31 || !$0.pieces.isEmpty }
        var daily = TextTable([.fixed("DAY"), .right("TRACKED"), .right("UNACCOUNTED")])
        for day in days {
            let unaccounted = period.hasBegun(day) ? Words.length(day.unaccounted) : ""
            daily.add([day.day.words, Words.length(day.tracked), unaccounted])
        }
        var tables = [daily.render()]
        let (weeks, months) = (period.weeks, period.months)
        if weeks.count > 1 { tables.append(sums("WEEK", weeks) { $0.weekName }) }
        if months.count > 1 { tables.append(sums("MONTH", months, Self.monthName)) }
        return tables
    }

    /// Returns the month of a day, `2026-03`.
    private static func monthName(_ day: CivilDay) -> String { String(day.description.prefix(7)) }

    private func sums(_ heading: String, _ parts: [PeriodSummary], _ name: (CivilDay) -> String) -> String {
        let hasBillable = period.billable != nil
        var table = TextTable([.fixed(heading), .right("TRACKED")] + (hasBillable ? [.right("BILLABLE")] : []))
        for part in parts {
            guard let first = part.days.first else { continue }
            table.add([name(first.day), Words.length(part.tracked), part.billable.map(Words.length) ?? ""])
        }
        return table.render()
    }

    private var gapsTable: String {
        let gaps = period.gaps
        guard !gaps.isEmpty else { return Messages.noGaps }
        var table = TextTable([.fixed("GAP FROM"), .fixed("TO"), .right("TIME")])
        for gap in gaps {
            let length = Words.length(.nanoseconds(gap.end.nanoseconds(since: gap.start)))
            guard day == nil else {
                table.add([time(gap.start), time(gap.end), length])
                continue
            }
            let (first, last) = (clock.day(of: gap.start), clock.day(of: gap.end))
            let end = first == last ? time(gap.end) : "\(last.words) \(time(gap.end))"
            table.add(["\(first.words) \(time(gap.start))", end, length])
        }
        return table.render()
    }

    /// Returns the time of the day, `07:05`.
    private func time(_ moment: Timestamp) -> String { clock.time(of: moment) }

    private func cut(_ text: String) -> String { TerminalText.cut(text, to: 40) }
}

// MARK: - For programs

extension SummaryReport {
    var json: JSONValue { .object(day.map(json) ?? periodJSON) }

    private func json(_ day: DaySummary) -> JSONObject {
        var object: JSONObject = [
            "date": .string(day.day.description),
            "start": .string(clock.text(of: day.start)),
            "end": .string(clock.text(of: day.end)),
            "until": .string(clock.text(of: day.until)),
            "isToday": .bool(day.isToday),
            "lengthSeconds": .seconds(day.length),
            "trackedSeconds": .seconds(day.tracked),
            "unaccountedSeconds": .seconds(day.unaccounted),
            "totals": .array(day.totals.map(json)),
            "activities": .array(day.pieces.map(json)),
            "planned": .array(day.planned.map(json)),
        ]
        addSums(to: &object)
        return object
    }

    private var periodJSON: JSONObject {
        var object: JSONObject = [
            "from": .string(span.days.lowerBound.description),
            "to": .string(span.days.upperBound.description),
            "start": .string(period.days.first.map { clock.text(of: $0.start) } ?? ""),
            "end": .string(period.days.last.map { clock.text(of: $0.end) } ?? ""),
            "lengthSeconds": .seconds(period.length),
            "trackedSeconds": .seconds(period.tracked),
            "unaccountedSeconds": .seconds(period.unaccounted),
            "totals": .array(period.totals.map(json)),
            "days": .array(period.days.map { .object(part($0.tracked, $0.totals, ["date": .string("\($0.day)")])) }),
            "weeks": periods(period.weeks, "week") { $0.weekName },
            "months": periods(period.months, "month", Self.monthName),
        ]
        addSums(to: &object)
        return object
    }

    private func periods(_ periods: [PeriodSummary], _ key: String, _ name: (CivilDay) -> String) -> JSONValue {
        .array(
            periods.map { period in
                let label = period.days.first.map { name($0.day) } ?? ""
                return .object(part(period.tracked, period.totals, [key: .string(label)]))
            }
        )
    }

    private func part(_ tracked: Duration, _ totals: [DaySummary.Total], _ name: JSONObject) -> JSONObject {
        var object = name
        object["trackedSeconds"] = .seconds(tracked)
        object["totals"] = .array(totals.map(json))
        return object
    }

    /// Adds what a day and a longer time have in common.
    private func addSums(to object: inout JSONObject) {
        object["billableSeconds"] = period.billable.map(JSONValue.seconds)
        object["amounts"] = period.amounts.json
        object["unreadableAmounts"] = .number(period.amounts.unreadable)
        object["plannedSeconds"] = .seconds(period.plannedLength)
        object["plannedCount"] = .number(period.plannedCount)
        var groups = JSONObject()
        for grouping in Self.groupings.dropFirst() {
            groups[grouping.rawValue] = .array(period.totals(by: grouping).map(json))
        }
        object["groups"] = .object(groups)
        object["gaps"] = .array(
            period.gaps.map { gap in
                [
                    "from": .string(clock.text(of: gap.start)), "to": .string(clock.text(of: gap.end)),
                    "seconds": .seconds(.nanoseconds(gap.end.nanoseconds(since: gap.start))),
                ]
            }
        )
    }

    private func json(_ total: DaySummary.Total) -> JSONValue {
        [
            "name": .string(total.name),
            "color": total.color.map { .string($0) } ?? .null,
            "seconds": .seconds(total.duration),
            "count": .number(total.count),
        ]
    }

    private func json(_ total: GroupTotal) -> JSONValue {
        var object: JSONObject = [
            "name": total.name.map { .string($0) } ?? .null,
            "seconds": .seconds(total.duration),
            "count": .number(total.count),
            "amounts": total.amounts.json,
            "unreadableAmounts": .number(total.amounts.unreadable),
        ]
        object["billableSeconds"] = total.billable.map(JSONValue.seconds)
        return .object(object)
    }

    private func json(_ piece: DaySummary.Piece) -> JSONValue {
        var object: JSONObject = [
            "id": .string(piece.activity.id),
            "name": .string(piece.activity.name),
            "from": .string(clock.text(of: piece.start)),
            "to": .string(clock.text(of: piece.end)),
            "seconds": .seconds(piece.duration),
            "isRunning": .bool(piece.isRunning),
        ]
        for detail in ActivityDetail.allCases {
            object[detail.rawValue] = piece.detail(detail).map(detail.value)
        }
        return .object(object)
    }
}

extension MoneySum {
    /// The sums for programs; amounts are texts, as they are exact.
    fileprivate var json: JSONValue {
        .array(values.map { ["amount": .string($0.amount), "currency": .string($0.currency)] })
    }
}

extension JSONValue {
    /// Returns a length in seconds, with milliseconds where it has some.
    static func seconds(_ duration: Duration) -> JSONValue {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(attoseconds / 1_000_000_000_000_000)
        guard milliseconds != 0, let number = JSONNumber(Double(seconds) + Double(milliseconds) / 1000) else {
            return .number(Int(seconds))
        }
        return .number(number)
    }
}

extension Words {
    /// Returns a length in words, without parts of a second.
    static func length(_ duration: Duration) -> String { length(Int(duration.components.seconds)) }
}

extension LocalClock {
    /// Returns the time of the day, `07:05`, with seconds where there are some.
    func time(of moment: Timestamp) -> String {
        String(text(of: moment).dropFirst(11).prefix(moment.seconds % 60 == 0 ? 5 : 8))
    }
}
