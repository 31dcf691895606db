#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A colour of sRGB that can be made legible.
struct ReportColor: Hashable {
    /// Each 0 to 1.
    var red, green, blue: Double

    static let black = ReportColor(red: 0, green: 0, blue: 0)
    static let white = ReportColor(red: 1, green: 1, blue: 1)

    /// The colours of activities that have none of their own: ten that most people tell apart who cannot tell red from
    /// green, and twelve hues in three lightnesses.
    static let palette = [
        "#4C78A8", "#F58518", "#54A24B", "#B279A2", "#E45756", "#72B7B2", "#9D755D", "#EECA3B", "#FF9DA6", "#79706E",
        "#BB1B1B", "#BB6B1B", "#BBBB1B", "#6BBB1B", "#1BBB1B", "#1BBB6B", "#1BBBBB", "#1B6BBB", "#1B1BBB", "#6B1BBB",
        "#BB1BBB", "#BB1B6B", "#D86464", "#D89E64", "#D8D864", "#9ED864", "#64D864", "#64D89E", "#64D8D8", "#649ED8",
        "#6464D8", "#9E64D8", "#D864D8", "#D8649E", "#772222", "#774C22", "#777722", "#4D7722", "#227722", "#22774D",
        "#227777", "#224C77", "#222277", "#4C2277", "#772277", "#77224D",
    ].compactMap { ReportColor($0) }

    init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Makes the colour of `#RRGGBB`; nil for any other text.
    init?(_ text: String) {
        guard isColor(text), let number = Int(text.dropFirst(), radix: 16) else { return nil }
        func part(_ shift: Int) -> Double { Double(number >> shift & 255) / 255 }
        self.init(red: part(16), green: part(8), blue: part(0))
    }

    /// The colour as `#RRGGBB`.
    var hex: String {
        let number = [red, green, blue].reduce(0) { $0 << 8 | Int(($1 * 255).rounded()) }
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The relative luminance as WCAG 2 has it, 0 to 1.
    var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// Returns the contrast to another colour as WCAG 2 has it, 1 to 21.
    func contrast(to other: ReportColor) -> Double {
        let (low, high) = (min(luminance, other.luminance), max(luminance, other.luminance))
        return (high + 0.05) / (low + 0.05)
    }

    /// Returns the difference of two colours as people see it: the distance in OKLab, 0 to about 1.
    func distance(to other: ReportColor) -> Double {
        let (left, right) = (lab, other.lab)
        return zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    }

    /// Lightness and the two axes of OKLab (Björn Ottosson, 2020).
    private var lab: [Double] {
        let (red, green, blue) = (Self.linear(red), Self.linear(green), Self.linear(blue))
        let long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let middle = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        return [
            0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
            1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
            0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
        ]
    }

    private static func linear(_ part: Double) -> Double {
        part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }

    /// Returns the colour, changed as little as it takes to stand out from a paper.
    ///
    /// It becomes darker on a light paper, and lighter on a dark one.
    func legible(on paper: ReportColor, contrast: Double = 3) -> ReportColor {
        let target: ReportColor = paper.luminance > 0.4 ? .black : .white
        for step in 0...50 {
            let mixed = mixed(with: target, Double(step) / 50)
            if mixed.contrast(to: paper) >= contrast { return mixed }
        }
        return target
    }

    /// Black or white, whatever can be read better on the colour.
    var ink: ReportColor { contrast(to: .black) >= contrast(to: .white) ? .black : .white }

    private func mixed(with other: ReportColor, _ share: Double) -> ReportColor {
        func mix(_ left: Double, _ right: Double) -> Double { left + (right - left) * share }
        return ReportColor(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
