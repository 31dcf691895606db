internal import CivilTime
internal import GymPulse
internal import TimeTracker

/// The words of a report on the parts of a day.
enum ReportWords {
    /// Returns a title such as `Work, 09:00–12:30, 3:30 h`.
    static func title(_ piece: DaySummary.Piece, _ clock: LocalClock) -> String {
        let length = ReportText.length(piece.duration)
        return "\(piece.activity.name), \(span(piece, clock)), \(length)\(length.hasSuffix("s") ? "" : " h")"
    }

    /// Returns times such as `09:00–12:30`, with a mark for what goes on before or behind them.
    static func span(_ piece: DaySummary.Piece, _ clock: LocalClock) -> String {
        let start = ReportText.time(piece.start, clock)
        let isEndOfDay = piece.activity.end.map { $0.moment > piece.end } ?? !piece.isRunning
        let end =
            isEndOfDay && ReportText.time(piece.end, clock) == "00:00" ? "24:00" : ReportText.time(piece.end, clock)
        return "\(start)–\(end)"
    }

    /// Returns the notes on a part of a day, in words.
    static func notes(_ piece: DaySummary.Piece) -> String {
        var notes: [String] = []
        if piece.beganBefore {
            let hasAmount = piece.activity.detail(.amount) != nil
            notes.append("since the day before\(hasAmount ? ", amount on its first day" : "")")
        }
        if piece.isRunning {
            notes.append("running")
        } else if let end = piece.activity.end, end.moment > piece.end {
            notes.append("goes on the next day")
        }
        return notes.joined(separator: ", ")
    }
}
