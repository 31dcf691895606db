/// Markup: what is interpolated into it becomes text, unless it is markup itself.
///
/// ```swift
/// let row: HTML = "<li title=\"\(record.title)\">\(record.title), \(count) times</li>"
/// ```
///
/// Only literals of the source are taken as they stand. Attributes need quotes; never put a name into a `<script>`,
/// a `<style>` or the name of an element. The pages' policy blocks `style` attributes: use classes, and in SVG
/// attributes such as `fill`.
package struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup.
    package let description: String

    /// Makes empty markup.
    package init() { description = "" }

    /// Makes markup that stands in the source.
    package init(stringLiteral markup: StaticString) { description = "\(markup)" }

    /// Makes markup with values between.
    package init(stringInterpolation: Interpolation) { description = stringInterpolation.markup }

    /// Makes markup that another part of the program made, such as a drawing, and that has escaped every name in it.
    package init(trusted markup: String) { description = markup }

    /// Joins several parts, one after the other.
    package init(_ parts: some Sequence<HTML>, separator: HTML = HTML()) {
        description = parts.lazy.map(\.description).joined(separator: separator.description)
    }

    /// True if there is nothing in it.
    package var isEmpty: Bool { description.isEmpty }

    /// Puts markup after markup.
    package static func + (left: HTML, right: HTML) -> HTML { HTML(trusted: left.description + right.description) }

    /// Appends markup.
    package static func += (left: inout HTML, right: HTML) { left = left + right }

    /// Escapes what is put into markup.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: StaticString) { markup += "\(literal)" }

        /// Puts in a text, with line ends as spaces.
        ///
        /// A literal, such as one of two in a condition, is markup: it stands in the source.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ text: some StringProtocol) {
            markup += HTMLPage.escaped(String(text))
        }

        /// Puts in a text whose line ends stay.
        package mutating func appendInterpolation(lines text: String) {
            markup += HTMLPage.escaped(text, keepsLines: true)
        }

        /// Puts in a text that a person edits: nothing of it is shown otherwise than it is, but for what HTML cannot
        /// hold.
        package mutating func appendInterpolation(verbatim text: String) { markup += HTMLPage.verbatim(text) }

        /// Puts in a whole number.
        package mutating func appendInterpolation(_ number: Int) { markup += String(number) }

        /// Puts in a number with at most two decimals, as SVG takes it.
        package mutating func appendInterpolation(_ number: Double) {
            let hundredths = number.isFinite ? (min(max(number, -1e12), 1e12) * 100).rounded() : 0
            let (whole, rest) = Int(abs(hundredths)).quotientAndRemainder(dividingBy: 100)
            markup += hundredths < 0 ? "-\(whole)" : "\(whole)"
            if rest > 0 { markup += rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)" }
        }

        /// Puts in markup.
        package mutating func appendInterpolation(_ html: HTML) { markup += html.description }

        /// Puts in markup, where there is some.
        package mutating func appendInterpolation(_ html: HTML?) { markup += html?.description ?? "" }

        /// Puts in several parts, each on a line of its own.
        package mutating func appendInterpolation(_ parts: [HTML]) {
            markup += parts.lazy.map(\.description).joined(separator: "\n")
        }
    }
}
