internal import CivilTime
internal import GymPulse
internal import Pages
internal import TimeTracker

/// The days, weeks or months of a period as columns, in SVG; once for wide windows and once for a telephone.
struct PeriodBars {
    /// A column.
    private struct Column {
        /// The lines below it.
        let label: (top: String, bottom: String)
        let totals: [DaySummary.Total]
        let tracked: Duration
        let isChosen: Bool
    }

    /// The measures of a drawing.
    private struct Frame {
        let kind: String
        let width, height, left, bottom: Double
        static let top = 30.0
        static let wide = Frame(kind: "wide", width: 760, height: 300, left: 44, bottom: 52)
        static let narrow = Frame(kind: "narrow", width: 330, height: 280, left: 32, bottom: 50)

        var scaleHeight: Double { height - Self.top - bottom }
    }

    /// The most columns; of more days there is one for each week, and of more weeks for each month.
    private static let most = 62

    private let columns: [Column]
    /// The unit of a column: a day, or more.
    private let unit: String
    private let series: ReportSeries

    /// - Parameter chosen: The day that stands out.
    init(_ period: PeriodSummary, chosen: CivilDay?, series: ReportSeries) {
        self.series = series
        if period.days.count <= Self.most {
            unit = "day"
            columns = period.days.map { day in
                let (weekday, date) = ReportText.shortDate(day.day)
                return Column(
                    label: (weekday, date),
                    totals: day.totals,
                    tracked: day.tracked,
                    isChosen: day.day == chosen
                )
            }
            return
        }
        let weeks = period.weeks
        unit = weeks.count <= Self.most ? "week" : "month"
        columns = (weeks.count <= Self.most ? weeks : period.months).map { part in
            let date = part.days.first.map { ReportText.shortDate($0.day).date } ?? ""
            let words = date.split(separator: " ").map(String.init)
            let year = part.days.first.map { String($0.day.description.prefix(4)) } ?? ""
            let label = weeks.count <= Self.most ? (date, year) : (words.last ?? "", year)
            return Column(label: label, totals: part.totals, tracked: part.tracked, isChosen: false)
        }
    }

    var svg: String { svg(.wide) + svg(.narrow) }

    /// The hours of the scale: enough for the longest column, in steps that can be read.
    private var hours: (most: Int, step: Int) {
        let longest = columns.map { $0.totals.reduce(0) { $0 + $1.duration.seconds } / 3600 }.max() ?? 0
        let steps = [1, 2, 3, 6, 12, 24, 48, 120, 240, 480]
        let step = steps.first { longest / Double($0) <= 5 } ?? 1000
        return (max(step, Int((min(longest, 10_000) / Double(step)).rounded(.up)) * step), step)
    }

    private func svg(_ frame: Frame) -> String {
        let (most, step) = hours
        let perHour = frame.scaleHeight / Double(max(most, 1))
        let id = "bars-\(frame.kind)"
        var text = "<svg class=\"bars \(frame.kind)\" viewBox=\"0 0 \(number(frame.width)) \(number(frame.height))\""
        text += " role=\"img\" aria-labelledby=\"\(id)-title \(id)-text\">\n"
        text += "<title id=\"\(id)-title\">Hours tracked in each \(unit)</title>\n"
        text += "<desc id=\"\(id)-text\">\(HTMLPage.escaped(description))</desc>\n"
        for hour in stride(from: 0, through: most, by: step) {
            let y = number(Frame.top + frame.scaleHeight - Double(hour) * perHour)
            text += "<line class=\"\(hour == 0 ? "axis" : "grid")\" x1=\"\(number(frame.left))\" y1=\"\(y)\""
            text += " x2=\"\(number(frame.width))\" y2=\"\(y)\"/>\n"
            text += "<text class=\"scale\" x=\"\(number(frame.left - 6))\" y=\"\(y)\" dy=\"4\">\(hour) h</text>\n"
        }
        for index in columns.indices { text += column(index, frame, perHour) }
        return text + "</svg>\n"
    }

    private var description: String {
        columns.map { "\($0.label.top) \($0.label.bottom) \(ReportText.length($0.tracked))" }.joined(separator: ", ")
    }

    private func column(_ index: Int, _ frame: Frame, _ perHour: Double) -> String {
        let column = columns[index]
        let step = (frame.width - frame.left - 4) / Double(max(columns.count, 1))
        let width = min(step * 0.64, 90)
        let x = frame.left + (Double(index) + 0.5) * step - width / 2
        let middle = number(x + width / 2)
        let base = Frame.top + frame.scaleHeight
        var y = base
        var text = "<g class=\"\(column.isChosen ? "column chosen" : "column")\">\n"
        if column.isChosen {
            let (left, top) = (number(x - step * 0.15), number(Frame.top - 22))
            text += "<rect class=\"choice\" x=\"\(left)\" y=\"\(top)\" width=\"\(number(width + step * 0.3))\""
            text += " height=\"\(number(frame.height - Frame.top + 18))\" rx=\"6\"/>\n"
        }
        let totals = column.totals.sorted { series.number(of: $0.name) < series.number(of: $1.name) }
        for total in totals where total.duration > .zero {
            let height = total.duration.seconds / 3600 * perHour
            y -= height
            let title =
                "\(column.label.top) \(column.label.bottom): \(total.name), \(ReportText.length(total.duration)) h"
            text += "<rect \(series.shape("arc", series.number(of: total.name))) x=\"\(number(x))\" y=\"\(number(y))\""
            text += " width=\"\(number(width))\" height=\"\(number(height))\">"
            text += "<title>\(HTMLPage.escaped(title))</title></rect>\n"
        }
        // Labels that would run into each other are left out.
        if column.tracked > .zero, step >= 38 {
            text +=
                "<text class=\"top\" x=\"\(middle)\" y=\"\(number(y - 7))\">\(ReportText.length(column.tracked))</text>\n"
        }
        let nth = max(1, Int(((unit == "week" ? 48 : 38) / step).rounded(.up)))
        let isNth = (index - (columns.firstIndex(where: \.isChosen) ?? 0)).isMultiple(of: nth)
        if column.isChosen || isNth && x + width / 2 + 18 <= frame.width {
            let bottom = date(index, after: index - nth, hasRoom: step * Double(nth) >= 46)
            text += "<text class=\"weekday\" x=\"\(middle)\" y=\"\(number(base + 19))\">\(column.label.top)</text>\n"
            text += "<text class=\"date\" x=\"\(middle)\" y=\"\(number(base + 36))\">\(bottom)</text>\n"
        }
        return text + "</g>\n"
    }

    /// Returns the second line below a column.
    ///
    /// A day without room for more has its number alone, where the day before it is in the same month.
    private func date(_ index: Int, after before: Int, hasRoom: Bool) -> String {
        let label = columns[index].label.bottom
        guard unit == "day", !hasRoom, columns.indices.contains(before) else { return label }
        let words = label.split(separator: " ")
        let isSameMonth = columns[before].label.bottom.split(separator: " ").last == words.last
        return isSameMonth ? words.first.map { String($0) } ?? label : label
    }

    private func number(_ value: Double) -> String { ReportText.number(value) }
}
