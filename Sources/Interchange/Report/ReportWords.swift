internal import CivilTime
internal import GymPulse
internal import TimeTracker

/// What a report says about the parts of a day.
enum ReportWords {
    /// `Work, 09:00–12:30, 3:30 h`.
    static func title(_ piece: DaySummary.Piece, _ clock: LocalClock) -> String {
        let length = ReportText.length(piece.duration)
        return "\(piece.activity.name), \(span(piece, clock)), \(length)\(length.hasSuffix("s") ? "" : " h")"
    }

    /// `09:00–12:30`, with what goes on before or behind it.
    static func span(_ piece: DaySummary.Piece, _ clock: LocalClock) -> String {
        let start = ReportText.time(piece.start, clock)
        let isEndOfDay = piece.activity.end.map { $0.moment > piece.end } ?? !piece.isRunning
        let end =
            isEndOfDay && ReportText.time(piece.end, clock) == "00:00" ? "24:00" : ReportText.time(piece.end, clock)
        return "\(start)–\(end)"
    }

    /// What is special about a part of a day, in words.
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
