/// Values over time as columns or as a line, in SVG: one drawing for wide windows and one for a telephone, of which the
/// style sheet shows one.
///
/// A drawing says nothing that the page does not say in a table as well.
package struct Chart: Sendable {
    /// The ways to draw values.
    package enum Kind: Sendable { case line, columns }

    /// A value at one place of the axis.
    package struct Point: Sendable {
        /// The place, in a few characters.
        package let label: String
        package let value: Double
        /// The place and the value in words.
        package let words: String
        /// The goal that belongs to the place; nil for none.
        package let goal: Double?

        package init(_ label: String, _ value: Double, words: String, goal: Double? = nil) {
            (self.label, self.value, self.words, self.goal) = (label, value, words, goal)
        }
    }

    private let id: String
    private let kind: Kind
    private let title: String
    private let points: [Point]
    private let scale: @Sendable (Double) -> String

    /// Makes a chart.
    ///
    /// - Parameters:
    ///   - id: Tells it from other charts of the page.
    ///   - kind: How values are drawn.
    ///   - title: What is shown.
    ///   - points: The values, none below 0.
    ///   - scale: The text beside a line of the scale.
    package init(
        _ id: String,
        _ kind: Kind,
        title: String,
        points: [Point],
        scale: @escaping @Sendable (Double) -> String
    ) {
        (self.id, self.kind, self.title, self.points, self.scale) = (id, kind, title, points, scale)
    }

    /// The measures of a drawing.
    private struct Frame {
        let name: String
        let width, height, left: Double
        static let top = 12.0
        static let bottom = 30.0
        /// The room that a label on the axis needs.
        static let labelWidth = 56.0
        static let wide = Frame(name: "wide", width: 760, height: 220, left: 64)
        static let narrow = Frame(name: "narrow", width: 330, height: 200, left: 58)

        var plotHeight: Double { height - Self.top - Self.bottom }
        var base: Double { height - Self.bottom }
    }

    /// The drawings.
    package var svg: HTML { points.isEmpty ? HTML() : drawing(.wide) + drawing(.narrow) }

    /// The distance of the scale's lines: 1, 2 or 5 times a power of ten, so that there are at most five.
    private var step: Double {
        let most = points.map { max($0.value, $0.goal ?? 0) }.max() ?? 0
        var step = 1.0
        while most / step > 5, step < 1e15 {
            for factor in [2, 2.5, 2] where most / step > 5 { step *= factor }
        }
        return step
    }

    private func drawing(_ frame: Frame) -> HTML {
        let step = step
        let most = points.map { max($0.value, $0.goal ?? 0) }.max() ?? 0
        let lines = max(1, (most / step).rounded(.up))
        let unit = frame.plotHeight / (lines * step)
        let grid = (0...Int(lines)).map { number -> HTML in
            let y = frame.base - Double(number) * step * unit
            return """
                <line class="\(number == 0 ? "axis" : "grid")" x1="\(frame.left)" y1="\(y)" x2="\(frame.width)" y2="\(y)"/>
                <text class="scale" x="\(frame.left - 6)" y="\(y + 4)">\(scale(Double(number) * step))</text>
                """
        }
        let shapes = kind == .line ? line(frame, unit) : points.indices.map { column($0, frame, unit) }
        let name = "\(id)-\(frame.name)"
        return """
            <svg class="chart \(frame.name)" viewBox="0 0 \(frame.width) \(frame.height)" role="img" \
            aria-labelledby="\(name)">
            <title id="\(name)">\(title)</title>
            \(grid)
            \(shapes)
            \(labels(frame))
            </svg>
            """
    }

    /// Returns the distance of two places.
    private func pitch(_ frame: Frame) -> Double { (frame.width - frame.left - 8) / Double(points.count) }

    private func x(_ index: Int, _ frame: Frame) -> Double {
        frame.left + 4 + (Double(index) + 0.5) * pitch(frame)
    }

    /// Returns as many of the labels as have room.
    private func labels(_ frame: Frame) -> [HTML] {
        let nth = max(1, Int((Frame.labelWidth / pitch(frame)).rounded(.up)))
        return points.indices.filter { (points.count - 1 - $0).isMultiple(of: nth) }.map { index in
            let x = min(max(x(index, frame), frame.left), frame.width - Frame.labelWidth / 2)
            return "<text class=\"label\" x=\"\(x)\" y=\"\(frame.height - 8)\">\(points[index].label)</text>"
        }
    }

    private func column(_ index: Int, _ frame: Frame, _ unit: Double) -> HTML {
        let point = points[index]
        let width = min(pitch(frame) * 0.7, 48)
        let (x, y) = (x(index, frame), frame.base - point.value * unit)
        let isReached = point.goal.map { point.value >= $0 } ?? true
        let goal: HTML? = point.goal.map { goal in
            let y = frame.base - goal * unit
            return """
                <line class="goal" x1="\(x - width / 2 - 3)" y1="\(y)" x2="\(x + width / 2 + 3)" y2="\(y)"/>
                """
        }
        return """
            <g><title>\(point.words)</title><rect class="\(isReached ? "column" : "column short")" x="\(x - width / 2)" \
            y="\(y)" width="\(width)" height="\(point.value * unit)"/>\(goal)</g>
            """
    }

    private func line(_ frame: Frame, _ unit: Double) -> [HTML] {
        let places = points.indices.map { (x: x($0, frame), y: frame.base - points[$0].value * unit) }
        let path = HTML(places.map { "\($0.x),\($0.y)" }, separator: " ")
        let dots = zip(points, places).map { point, place -> HTML in
            """
            <circle class="point" cx="\(place.x)" cy="\(place.y)" r="4"><title>\(point.words)</title></circle>
            """
        }
        return ["<polyline class=\"curve\" points=\"\(path)\"/>"] + dots
    }
}
