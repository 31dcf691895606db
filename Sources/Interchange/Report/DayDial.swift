internal import CivilTime
internal import GymPulse
internal import Pages
internal import TimeTracker

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The 24 hours of a day as a circle, midnight on top, in SVG.
struct DayDial {
    let day: DaySummary
    let clock: LocalClock
    let series: ReportSeries

    private static let size = 480.0
    private static let center = size / 2
    private static let outer = 186.0
    private static let inner = 92.0

    /// A part of a piece; where pieces overlap, each has a ring of its own.
    private struct Arc {
        /// The number of the piece.
        let number: Int
        let piece: DaySummary.Piece
        let start: Timestamp
        var end: Timestamp
        let ring: Int
        let rings: Int
    }

    /// The most rings beside each other; with more they would be lines.
    private static let mostRings = 12

    var svg: String {
        let size = ReportText.number(Self.size)
        var text =
            "<svg class=\"dial\" viewBox=\"0 0 \(size) \(size)\" role=\"img\" aria-labelledby=\"dial-title dial-text\">\n"
        text += "<title id=\"dial-title\">The 24 hours of \(ReportText.date(day.day))</title>\n"
        text += "<desc id=\"dial-text\">\(HTMLPage.escaped(description))</desc>\n"
        text += sector("class=\"rest\"", from: 0, to: fraction(day.until), Self.inner, Self.outer, "Not accounted for")
        if day.isToday {
            text += sector("class=\"ahead\"", from: fraction(day.until), to: 1, Self.inner, Self.outer, "Still to come")
        }
        let arcs = arcs
        for arc in arcs { text += shape(arc) }
        text += ticks
        for arc in roomiest(arcs) { text += label(arc) }
        text += hub
        if day.isToday { text += hand }
        return text + "</svg>\n"
    }

    private var description: String {
        let totals = day.totals.map { "\($0.name) \(ReportText.length($0.duration))" }
        return (totals + ["not accounted for \(ReportText.length(day.unaccounted))"]).joined(separator: ", ")
    }

    // MARK: Arcs

    private var arcs: [Arc] {
        let pieces = day.pieces.filter { $0.end > $0.start }
        let moments = Set(pieces.flatMap { [$0.start, $0.end] }).sorted()
        var arcs: [Arc] = []
        /// The last part of each piece.
        var last: [Int: Int] = [:]
        var active: [Int] = []
        var next = 0
        for (from, to) in zip(moments, moments.dropFirst()) {
            active.removeAll { pieces[$0].end <= from }
            while next < pieces.count, pieces[next].start <= from {
                active.append(next)
                next += 1
            }
            let shown = active.prefix(Self.mostRings)
            for (ring, number) in shown.enumerated() {
                if let index = last[number], arcs[index].end == from, arcs[index].ring == ring,
                    arcs[index].rings == shown.count
                {
                    arcs[index].end = to
                } else {
                    last[number] = arcs.count
                    let piece = pieces[number]
                    arcs.append(Arc(number: number, piece: piece, start: from, end: to, ring: ring, rings: shown.count))
                }
            }
        }
        return arcs
    }

    private func radii(_ arc: Arc) -> (inner: Double, outer: Double) {
        let width = (Self.outer - Self.inner) / Double(max(arc.rings, 1))
        let outer = Self.outer - Double(arc.ring) * width
        return (outer - width, outer)
    }

    /// Returns, of each piece, the part that has most room for its name.
    private func roomiest(_ arcs: [Arc]) -> [Arc] {
        func room(_ arc: Arc) -> Double { Double(arc.end.nanoseconds(since: arc.start)) / Double(max(arc.rings, 1)) }
        var best: [Int: Arc] = [:]
        for arc in arcs where best[arc.number].map({ room($0) < room(arc) }) ?? true { best[arc.number] = arc }
        return best.values.sorted { $0.number < $1.number }
    }

    private func shape(_ arc: Arc) -> String {
        let (inner, outer) = radii(arc)
        let number = series.number(of: arc.piece.activity.name)
        let title = ReportWords.title(arc.piece, clock)
        return sector(
            series.shape("arc", number),
            from: fraction(arc.start),
            to: fraction(arc.end),
            inner,
            outer,
            title
        )
    }

    private func label(_ arc: Arc) -> String {
        let (inner, outer) = radii(arc)
        let (from, to) = (fraction(arc.start), fraction(arc.end))
        let radius = (inner + outer) / 2
        guard outer - inner >= 30, let entry = series[arc.piece.activity.name] else { return "" }
        let place = point((from + to) / 2, radius)
        let number = series.number(of: entry.name)
        func fits(width: Double, height: Double) -> Bool {
            [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1), (0, -1), (0, 1)].allSatisfy { across, down in
                let (x, y) = (place.x + across * width / 2 - Self.center, place.y + down * height / 2 - Self.center)
                let distance = (x * x + y * y).squareRoot()
                let turn = (atan2(x, -y) / (2 * .pi) + 1).truncatingRemainder(dividingBy: 1)
                // As far from the edges along the arc as across it.
                let margin = 3 / max(distance * 2 * .pi, 1)
                return (inner + 3...outer - 3).contains(distance) && turn >= from + margin && turn <= to - margin
            }
        }
        func text(_ content: String, _ kind: String, _ shift: Double) -> String {
            let (x, y) = (ReportText.number(place.x), ReportText.number(place.y + shift))
            return "<text \(series.text(kind, number)) x=\"\(x)\" y=\"\(y)\">\(HTMLPage.escaped(content))</text>\n"
        }
        let width = ReportText.width(entry.name)
        if fits(width: max(width, 30), height: 32) {
            return text(entry.name, "name", -2) + text(ReportText.length(arc.piece.duration), "length", 14)
        }
        if fits(width: width, height: 14) { return text(entry.name, "name", 5) }
        // A narrow piece has room along its radius.
        if width <= outer - inner - 6, 2 * radius * sin(min(to - from, 0.5) * .pi) >= 13 {
            let turn = (from + to) / 2
            let degrees = ReportText.number(turn * 360 + (turn < 0.5 ? -90 : 90))
            let (x, y) = (ReportText.number(place.x), ReportText.number(place.y))
            return "<text \(series.text("name slim", number)) x=\"\(x)\" y=\"\(y)\" dy=\"4\""
                + " transform=\"rotate(\(degrees) \(x) \(y))\">\(HTMLPage.escaped(entry.name))</text>\n"
        }
        if let icon = entry.icon, fits(width: 17, height: 17) { return text(icon, "icon", 6) }
        return ""
    }

    // MARK: Hours

    private var ticks: String {
        var text = ""
        var moment = day.start
        while moment < day.end {
            let time = ReportText.time(moment, clock)
            let hour = Int(time.prefix(2)) ?? 0
            let isMain = hour % 3 == 0 && time.hasSuffix("00")
            let angle = fraction(moment)
            let (from, to) = (point(angle, Self.outer + 3), point(angle, Self.outer + (isMain ? 12 : 7)))
            text += "<line class=\"tick\" x1=\"\(ReportText.number(from.x))\" y1=\"\(ReportText.number(from.y))\""
            text += " x2=\"\(ReportText.number(to.x))\" y2=\"\(ReportText.number(to.y))\"/>\n"
            if isMain {
                let place = point(angle, Self.outer + 28)
                text +=
                    "<text class=\"hour\" x=\"\(ReportText.number(place.x))\" y=\"\(ReportText.number(place.y + 5))\">"
                text += "\(time.prefix(2))</text>\n"
            }
            moment = moment.adding(seconds: 3600)
        }
        return text
    }

    private var hub: String {
        let middle = ReportText.number(Self.center)
        let share = day.length > .zero ? Int((day.tracked.seconds / day.length.seconds * 100).rounded()) : 0
        return "<text class=\"sum\" x=\"\(middle)\" y=\"\(ReportText.number(Self.center + 2))\">"
            + "\(ReportText.length(day.tracked))</text>\n<text class=\"caption\" x=\"\(middle)\" "
            + "y=\"\(ReportText.number(Self.center + 26))\">tracked, \(share) %</text>\n"
    }

    private var hand: String {
        let angle = fraction(day.until)
        let (from, to) = (point(angle, Self.inner - 16), point(angle, Self.outer + 10))
        let time = ReportText.time(day.until, clock)
        return "<g class=\"hand\"><title>Now, \(time)</title>"
            + "<line x1=\"\(ReportText.number(from.x))\" y1=\"\(ReportText.number(from.y))\""
            + " x2=\"\(ReportText.number(to.x))\" y2=\"\(ReportText.number(to.y))\"/>"
            + "<circle cx=\"\(ReportText.number(to.x))\" cy=\"\(ReportText.number(to.y))\" r=\"5\"/></g>\n"
    }

    // MARK: Geometry

    /// Returns the part of the day that has passed at a moment, 0 to 1.
    private func fraction(_ moment: Timestamp) -> Double {
        let length = day.fullLength.seconds
        guard length > 0 else { return 0 }
        let passed = Double(moment.nanoseconds(since: day.start)) / 1e9
        return min(max(passed / length, 0), 1)
    }

    private func point(_ fraction: Double, _ radius: Double) -> (x: Double, y: Double) {
        let angle = fraction * 2 * .pi
        return (Self.center + radius * sin(angle), Self.center - radius * cos(angle))
    }

    /// Draws a part of a ring; a whole ring is drawn as two halves, as an arc cannot end where it begins.
    private func sector(
        _ attributes: String,
        from: Double,
        to: Double,
        _ inner: Double,
        _ outer: Double,
        _ title: String
    ) -> String {
        guard to > from else { return "" }
        let bounds = to - from > 0.9999 ? [(from, from + 0.5), (from + 0.5, to)] : [(from, to)]
        let path = bounds.map { start, end in
            let corners = [point(start, outer), point(end, outer), point(end, inner), point(start, inner)]
                .map { "\(ReportText.number($0.x)) \(ReportText.number($0.y))" }
            let isLarge = end - start > 0.5 ? 1 : 0
            let (far, near) = (ReportText.number(outer), ReportText.number(inner))
            return "M\(corners[0])A\(far) \(far) 0 \(isLarge) 1 \(corners[1])L\(corners[2])"
                + "A\(near) \(near) 0 \(isLarge) 0 \(corners[3])Z"
        }
        return "<path \(attributes) d=\"\(path.joined())\"><title>\(HTMLPage.escaped(title))</title></path>\n"
    }
}
