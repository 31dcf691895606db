internal import Foundation

/// A colour of sRGB that can be made legible.
struct ReportColor: Hashable {
    /// Each 0 to 1.
    var red, green, blue: Double

    static let black = ReportColor(red: 0, green: 0, blue: 0)
    static let white = ReportColor(red: 1, green: 1, blue: 1)

    /// The colours of activities that have none, distinct also to most who cannot tell red from green.
    static let palette = [
        "#4C78A8", "#F58518", "#54A24B", "#B279A2", "#E45756", "#72B7B2", "#9D755D", "#EECA3B", "#FF9DA6", "#79706E",
    ].compactMap { ReportColor($0) }

    init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The colour of `#RRGGBB`.
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
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast to another colour as WCAG 2 has it, 1 to 21.
    func contrast(to other: ReportColor) -> Double {
        let (low, high) = (min(luminance, other.luminance), max(luminance, other.luminance))
        return (high + 0.05) / (low + 0.05)
    }

    /// How different two colours are, roughly as people see it.
    func distance(to other: ReportColor) -> Double {
        let parts = [(red, other.red, 0.3), (green, other.green, 0.59), (blue, other.blue, 0.11)]
        return parts.reduce(0) { $0 + $1.2 * ($1.0 - $1.1) * ($1.0 - $1.1) }
    }

    /// The colour, as little changed as is needed to stand out from a paper: darker on a light one, lighter on a dark one.
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

/// What a colour becomes in a report, for checks from outside.
package struct ReportColors {
    /// The colour and what is written on it, in the light scheme and in the dark one, as `#rrggbb`.
    package let light, lightInk, dark, darkInk: String

    /// The colours for `#RRGGBB`.
    package init?(_ text: String) {
        guard let color = ReportColor(text) else { return nil }
        let onLight = color.legible(on: ReportSeries.lightPaper)
        let onDark = color.legible(on: ReportSeries.darkPaper)
        (light, lightInk) = (onLight.hex, onLight.ink.hex)
        (dark, darkInk) = (onDark.hex, onDark.ink.hex)
    }

    /// The contrast of two colours as WCAG 2 has it; 0 where one is none.
    package static func contrast(_ left: String, _ right: String) -> Double {
        guard let left = ReportColor(left), let right = ReportColor(right) else { return 0 }
        return left.contrast(to: right)
    }
}
