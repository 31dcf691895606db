internal import TimeTracker

/// The activities of a report by name, each with its number, colour and icon.
struct ReportSeries {
    /// The name, colour and icon of activities that have one name.
    struct Entry {
        let name: String
        let color: ReportColor
        let icon: String?
    }

    /// The papers that colours are made legible on.
    static let lightPaper = ReportColor.white
    static let darkPaper = ReportColor(red: 0x1B / 255, green: 0x1F / 255, blue: 0x25 / 255)

    /// The ways in which colours get into a page.
    enum Painting {
        /// The classes `s0` and `i0` of a style sheet, in a shade for each scheme.
        case classes
        /// The attribute `fill`, in one shade that can be seen on both papers, for pages whose policy forbids styles of
        /// their own.
        ///
        /// Texts have the class `on-light` or `on-dark`.
        case attributes
    }

    let entries: [Entry]
    private let numbers: [String: Int]
    private let painting: Painting

    /// Makes the series of the names of some totals, in their order.
    ///
    /// Colours and icons of buttons fill in where activities have none.
    ///
    /// Where two would look alike, the second gets another colour.
    init(_ totals: [DaySummary.Total], _ buttons: [ActivityButton], _ painting: Painting = .classes) {
        let shades = { (color: ReportColor) in painting == .classes ? Shades(color) : Shades(shared: color) }
        let palette = painting == .classes ? Self.palette : Self.sharedPalette
        var entries: [Entry] = []
        var numbers: [String: Int] = [:]
        var taken: [Shades] = []
        for total in totals where numbers[total.name] == nil {
            let button = buttons.first { $0.name == total.name }
            var color = (total.color ?? button?.color).flatMap { ReportColor($0) }
            if let own = color, shades(own).room(besides: taken) < Shades.least { color = nil }
            let chosen = color ?? Self.spare(palette, besides: taken)
            numbers[total.name] = entries.count
            taken.append(shades(chosen))
            // An icon may also be the name of one, which nobody can draw here.
            let icon = button.map(\.icon).flatMap { $0.isEmpty || $0.utf8.allSatisfy { $0 < 0x80 } ? nil : $0 }
            entries.append(Entry(name: total.name, color: chosen, icon: icon))
        }
        (self.entries, self.numbers, self.painting) = (entries, numbers, painting)
    }

    /// Returns the colour of the palette that is farthest from all that are taken.
    private static func spare(_ palette: [Shades], besides taken: [Shades]) -> ReportColor {
        let rooms = palette.map { $0.room(besides: taken) }
        let best = rooms.indices.max { rooms[$0] < rooms[$1] }
        return best.map { ReportColor.palette[$0] } ?? .black
    }

    private static let palette = ReportColor.palette.map { Shades($0) }
    private static let sharedPalette = ReportColor.palette.map { Shades(shared: $0) }

    /// A colour as it is drawn in both schemes.
    private struct Shades {
        /// Colours that are nearer to each other look alike.
        static let least = 0.065

        let light, dark: ReportColor

        init(_ color: ReportColor) {
            (light, dark) = (color.legible(on: ReportSeries.lightPaper), color.legible(on: ReportSeries.darkPaper))
        }

        init(shared color: ReportColor) { (light, dark) = (color.onBothPapers, color.onBothPapers) }

        /// Returns the distance to the nearest of others, in the scheme where it is smaller.
        func room(besides others: [Shades]) -> Double {
            others.map { min(light.distance(to: $0.light), dark.distance(to: $0.dark)) }.min() ?? 1
        }
    }

    /// Returns the number of a name.
    func number(of name: String) -> Int { numbers[name] ?? 0 }

    /// The entry of a name.
    subscript(name: String) -> Entry? { numbers[name].map { entries[$0] } }

    /// Returns the variables of style sheets: `--c0` for the colour of the first name, `--i0` for what is written on
    /// it.
    func variables(on paper: ReportColor) -> String {
        entries.enumerated().map { number, entry in
            let color = entry.color.legible(on: paper)
            return "--c\(number):\(color.hex);--i\(number):\(color.ink.hex);"
        }.joined()
    }

    // MARK: Markup

    /// Returns the attributes of a shape in the colour of a name.
    func shape(_ kind: String, _ number: Int) -> String {
        switch painting {
        case .classes: "class=\"\(kind) s\(number)\""
        case .attributes: "class=\"\(kind)\" fill=\"\(color(number).hex)\""
        }
    }

    /// Returns the attributes of a text on the colour of a name.
    func text(_ kind: String, _ number: Int) -> String {
        switch painting {
        case .classes: "class=\"\(kind) i\(number)\""
        case .attributes: "class=\"\(kind) on-\(color(number).ink == .black ? "light" : "dark")\""
        }
    }

    /// Returns a small square in the colour of a name; nil stands for time that nothing accounts for.
    func key(_ number: Int?) -> String {
        switch painting {
        case .classes: return "<span class=\"key \(number.map { "s\($0)" } ?? "unaccounted")\"></span>"
        case .attributes:
            let square = "width=\"12\" height=\"12\" rx=\"3\""
            let shape = number.map { "<rect \(square) \(self.shape("square", $0))/>" }
            return "<svg class=\"key\" viewBox=\"0 0 12 12\" aria-hidden=\"true\">"
                + (shape ?? "<rect \(square) class=\"unaccounted\"/>") + "</svg>"
        }
    }

    /// Returns a bar as long as a share in per cent.
    func meter(_ number: Int?, _ share: Double) -> String {
        let width = ReportText.number(min(share, 100))
        switch painting {
        case .classes:
            let kind = number.map { "s\($0)" } ?? "unaccounted"
            return "<span class=\"meter\"><span class=\"\(kind)\" style=\"width:\(width)%\"></span></span>"
        case .attributes:
            let size = "width=\"\(width)%\" height=\"4\""
            let bar = number.map { "<rect \(size) \(shape("bar", $0))/>" } ?? "<rect \(size) class=\"unaccounted\"/>"
            return
                "<svg class=\"meter\" aria-hidden=\"true\"><rect width=\"100%\" height=\"4\" class=\"rest\"/>\(bar)</svg>"
        }
    }

    /// Returns the colour of a number as `fill` has it.
    private func color(_ number: Int) -> ReportColor {
        (entries.indices.contains(number) ? entries[number].color : .black).onBothPapers
    }
}

extension ReportColor {
    /// The colour, as little changed as is needed to stand out from the light paper and from the dark one.
    fileprivate var onBothPapers: ReportColor {
        legible(on: ReportSeries.darkPaper, contrast: 3).legible(on: ReportSeries.lightPaper, contrast: 3)
    }
}
