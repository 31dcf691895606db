internal import TimeTracker

/// The activities of a report by name, each with its number, colour and icon.
struct ReportSeries {
    /// What all activities of a name have in common.
    struct Entry {
        let name: String
        let color: ReportColor
        let icon: String?
    }

    /// The papers that colours are made legible on.
    static let lightPaper = ReportColor.white
    static let darkPaper = ReportColor(red: 0x1B / 255, green: 0x1F / 255, blue: 0x25 / 255)

    let entries: [Entry]
    private let numbers: [String: Int]

    /// The names of some totals, in their order; colours and icons of buttons fill in where activities have none.
    init(_ totals: [DaySummary.Total], _ buttons: [ActivityButton]) {
        var entries: [Entry] = []
        var numbers: [String: Int] = [:]
        for total in totals where numbers[total.name] == nil {
            let button = buttons.first { $0.name == total.name }
            let color = (total.color ?? button?.color).flatMap { ReportColor($0) }
            numbers[total.name] = entries.count
            // An icon may also be the name of one, which nobody can draw here.
            let icon = button.map(\.icon).flatMap { $0.isEmpty || $0.utf8.allSatisfy { $0 < 0x80 } ? nil : $0 }
            entries.append(
                Entry(name: total.name, color: color ?? Self.spare(besides: entries.map(\.color)), icon: icon)
            )
        }
        (self.entries, self.numbers) = (entries, numbers)
    }

    /// The colour of the palette that is farthest from all that are taken.
    private static func spare(besides taken: [ReportColor]) -> ReportColor {
        func room(_ color: ReportColor) -> Double { taken.map { color.distance(to: $0) }.min() ?? 1 }
        return ReportColor.palette.max { room($0) < room($1) } ?? .black
    }

    /// The number of a name.
    func number(of name: String) -> Int { numbers[name] ?? 0 }

    /// The entry of a name.
    subscript(name: String) -> Entry? { numbers[name].map { entries[$0] } }

    /// The variables of style sheets: `--c0` for the colour of the first name, `--i0` for what is written on it.
    func variables(on paper: ReportColor) -> String {
        entries.enumerated().map { number, entry in
            let color = entry.color.legible(on: paper)
            return "--c\(number):\(color.hex);--i\(number):\(color.ink.hex);"
        }.joined()
    }
}
