internal import CivilTime
internal import GymPulse
internal import TimeTracker

/// The seven days of a week as columns, in SVG.
struct WeekBars {
    let week: WeekSummary
    let day: CivilDay
    let clock: LocalClock
    let series: ReportSeries

    private static let width = 760.0
    private static let height = 300.0
    private static let left = 44.0
    private static let top = 30.0
    private static let bottom = 52.0

    private var columnWidth: Double { (Self.width - Self.left - 8) / 7 }
    private var scaleHeight: Double { Self.height - Self.top - Self.bottom }

    /// The hours of the scale: enough for the longest column, in steps that can be read.
    private var hours: (most: Int, step: Int) {
        let longest = week.days.map { $0.totals.reduce(0) { $0 + $1.duration.seconds } / 3600 }.max() ?? 0
        let step = longest > 12 ? 6 : longest > 6 ? 3 : longest > 2 ? 2 : 1
        return (max(step, Int((min(longest, 10_000) / Double(step)).rounded(.up)) * step), step)
    }

    var svg: String {
        let (most, step) = hours
        let perHour = scaleHeight / Double(max(most, 1))
        var text =
            "<svg class=\"week\" viewBox=\"0 0 \(ReportText.number(Self.width)) \(ReportText.number(Self.height))\""
        text += " role=\"img\" aria-labelledby=\"week-title week-text\">\n"
        text += "<title id=\"week-title\">Hours tracked on each day of the week</title>\n"
        text += "<desc id=\"week-text\">\(ReportText.escaped(description))</desc>\n"
        for hour in stride(from: 0, through: most, by: step) {
            let y = ReportText.number(Self.top + scaleHeight - Double(hour) * perHour)
            text += "<line class=\"\(hour == 0 ? "axis" : "grid")\" x1=\"\(ReportText.number(Self.left))\" y1=\"\(y)\""
            text += " x2=\"\(ReportText.number(Self.width))\" y2=\"\(y)\"/>\n"
            text +=
                "<text class=\"scale\" x=\"\(ReportText.number(Self.left - 8))\" y=\"\(y)\" dy=\"4\">\(hour) h</text>\n"
        }
        for (index, summary) in week.days.enumerated() { text += column(index, summary, perHour) }
        return text + "</svg>\n"
    }

    private var description: String {
        week.days.map { "\(ReportText.shortDate($0.day).weekday) \(ReportText.length($0.tracked))" }.joined(
            separator: ", "
        )
    }

    private func column(_ index: Int, _ summary: DaySummary, _ perHour: Double) -> String {
        let x = Self.left + (Double(index) + 0.18) * columnWidth
        let width = columnWidth * 0.64
        let middle = ReportText.number(x + width / 2)
        let (weekday, date) = ReportText.shortDate(summary.day)
        var y = Self.top + scaleHeight
        var text = "<g class=\"\(summary.day == day ? "column chosen" : "column")\">\n"
        let totals = summary.totals.sorted { series.number(of: $0.name) < series.number(of: $1.name) }
        for total in totals where total.duration > .zero {
            let height = total.duration.seconds / 3600 * perHour
            y -= height
            let title = "\(weekday) \(date): \(total.name), \(ReportText.length(total.duration)) h"
            text += "<rect class=\"arc s\(series.number(of: total.name))\" x=\"\(ReportText.number(x))\""
            text +=
                " y=\"\(ReportText.number(y))\" width=\"\(ReportText.number(width))\" height=\"\(ReportText.number(height))\">"
            text += "<title>\(ReportText.escaped(title))</title></rect>\n"
        }
        if summary.tracked > .zero {
            text += "<text class=\"top\" x=\"\(middle)\" y=\"\(ReportText.number(y - 7))\">"
            text += "\(ReportText.length(summary.tracked))</text>\n"
        }
        let base = Self.top + scaleHeight
        text += "<text class=\"weekday\" x=\"\(middle)\" y=\"\(ReportText.number(base + 20))\">\(weekday)</text>\n"
        text += "<text class=\"date\" x=\"\(middle)\" y=\"\(ReportText.number(base + 37))\">\(date)</text>\n"
        return text + "</g>\n"
    }
}
