internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import StrictJSON

/// Statistics as the app's home screen words them, and as JSON.
enum StatsReport {
    /// - Parameter hasSessions: Whether the store has sessions; without them there is one to be made first.
    static func text(_ statistics: SessionStatistics, hasSessions: Bool) -> String {
        let isEmpty = !hasSessions && statistics.recent.isEmpty
        let first = isEmpty ? ["Quick start: Create a session"] : quickStart(statistics)
        let sections = [first, streaks(statistics), week(statistics), recent(statistics)]
        return sections.map { $0.map { TerminalText.safe($0) + "\n" }.joined() }.joined(separator: "\n")
    }

    static func json(_ statistics: SessionStatistics) -> JSONValue {
        [
            "today": .string(statistics.today.description),
            "currentStreak": .number(statistics.currentStreak),
            "longestStreak": .number(statistics.longestStreak),
            "week": [
                "from": .string(statistics.today.monday.description),
                "sessions": .number(statistics.weekCount),
                "seconds": .number(statistics.weekSeconds),
                "minutes": .number(statistics.weekMinutes),
            ],
            "quickStart": [
                "reason": .string(statistics.quickStartReason.rawValue),
                "sessions": .array(
                    statistics.quickStart.map { ["id": .string($0.sessionId), "name": .string($0.name)] }
                ),
            ],
            "recent": .array(statistics.recent.map(recent)),
        ]
    }

    private static func recent(_ recent: SessionStatistics.Recent) -> JSONValue {
        [
            "day": .string(recent.day.description),
            "daysAgo": .number(recent.daysAgo),
            "minutes": .number(recent.minutes),
            "entry": recent.entry.json,
        ]
    }

    private static func quickStart(_ statistics: SessionStatistics) -> [String] {
        let several = statistics.quickStart.count > 1
        let reason: String
        switch statistics.quickStartReason {
        case .scheduledToday: reason = several ? "Today's scheduled sessions" : "Today's scheduled session"
        case .lastUsed: reason = "Last used session"
        case .none:
            return ["No quick-start session available. Create and schedule a session to enable Quick Start."]
        }
        return statistics.quickStart.map { "Quick start: \($0.name)" } + [reason]
    }

    private static func streaks(_ statistics: SessionStatistics) -> [String] {
        guard statistics.longestStreak > 0 else { return ["No sessions completed yet."] }
        return [
            "Current streak: \(Words.count(statistics.currentStreak, "day"))",
            "Longest streak: \(Words.count(statistics.longestStreak, "day"))",
        ]
    }

    private static func week(_ statistics: SessionStatistics) -> [String] {
        [
            "This week", "Sessions completed: \(statistics.weekCount)",
            "Total time: \(Words.length(statistics.weekMinutes * 60))",
        ]
    }

    private static func recent(_ statistics: SessionStatistics) -> [String] {
        guard !statistics.recent.isEmpty else { return ["No recent activity yet."] }
        return statistics.recent.map { recent in
            "\(day(recent, today: statistics.today)) · \(recent.entry.sessionName) · \(Words.length(recent.minutes * 60))"
        }
    }

    /// Returns a day as `Today`, `Yesterday`, `Mar 5`, and with the year where it is another one.
    private static func day(_ recent: SessionStatistics.Recent, today: CivilDay) -> String {
        switch recent.daysAgo {
        case 0: return "Today"
        case 1: return "Yesterday"
        default: break
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = recent.day.description.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return recent.day.description }
        let isThisYear = today.description.prefix(4) == recent.day.description.prefix(4)
        return "\(months[parts[1] - 1]) \(parts[2])\(isThisYear ? "" : ", \(parts[0])")"
    }
}
