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
    ///
    /// Where two would look alike, the second gets another colour.
    init(_ totals: [DaySummary.Total], _ buttons: [ActivityButton]) {
        var entries: [Entry] = []
        var numbers: [String: Int] = [:]
        var taken: [Shades] = []
        for total in totals where numbers[total.name] == nil {
            let button = buttons.first { $0.name == total.name }
            var color = (total.color ?? button?.color).flatMap { ReportColor($0) }
            if let own = color, Shades(own).room(besides: taken) < Shades.least { color = nil }
            let chosen = color ?? Self.spare(besides: taken)
            numbers[total.name] = entries.count
            taken.append(Shades(chosen))
            // An icon may also be the name of one, which nobody can draw here.
            let icon = button.map(\.icon).flatMap { $0.isEmpty || $0.utf8.allSatisfy { $0 < 0x80 } ? nil : $0 }
            entries.append(Entry(name: total.name, color: chosen, icon: icon))
        }
        (self.entries, self.numbers) = (entries, numbers)
    }

    /// The colour of the palette that is farthest from all that are taken.
    private static func spare(besides taken: [Shades]) -> ReportColor {
        let rooms = palette.map { $0.room(besides: taken) }
        let best = rooms.indices.max { rooms[$0] < rooms[$1] }
        return best.map { ReportColor.palette[$0] } ?? .black
    }

    private static let palette = ReportColor.palette.map(Shades.init)

    /// A colour as it is drawn in both schemes.
    private struct Shades {
        /// Colours that are nearer to each other look alike.
        static let least = 0.065

        let light, dark: ReportColor

        init(_ color: ReportColor) {
            (light, dark) = (color.legible(on: ReportSeries.lightPaper), color.legible(on: ReportSeries.darkPaper))
        }

        /// The distance to the nearest of others, in the scheme where it is smaller.
        func room(besides others: [Shades]) -> Double {
            others.map { min(light.distance(to: $0.light), dark.distance(to: $0.dark)) }.min() ?? 1
        }
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
