import BZTimer
import CivilTime
import GymPulse
import StrictJSON

/// Small values for tests of rules.
enum Samples {
    static func block(
        _ label: String = "Run",
        category: String? = "Exercise",
        templateId: String? = nil,
        kind: BlockKind = .activity
    ) -> BlockInstance {
        BlockInstance(
            id: "block-\(label)",
            templateId: templateId,
            label: label,
            kind: kind,
            timing: .duration(seconds: 60),
            category: category
        )
    }

    static func session(_ name: String, _ items: [BlockInstance] = [block()], days: [Int]? = nil) -> SessionTemplate {
        SessionTemplate(id: "session-\(name)", name: name, items: items, scheduledDaysOfWeek: days)
    }

    static func activity(_ label: String, category: String? = "Work") -> BlockTemplate {
        BlockTemplate(id: "activity-\(label)", label: label, timing: .duration(seconds: 60), category: category)
    }

    static func file(_ sessions: [SessionTemplate], _ activities: [BlockTemplate]? = nil) -> BztimerFile {
        BztimerFile(
            exporting: sessions,
            activities: activities,
            generator: "test",
            exportedAt: Timestamp(seconds: 1_000_000_000)
        )
    }

    static func settings(_ plan: Plan, custom: [String] = []) -> TimerSettings {
        var settings = TimerSettings()
        settings.isProUser = plan == .pro
        settings.customCategories = custom
        return settings
    }

    static func entry(_ completedAt: String, session: String? = nil, seconds: Int = 600) -> SessionHistoryEntry {
        SessionHistoryEntry(
            id: "entry-\(completedAt)",
            sessionId: session,
            sessionName: session ?? "Deleted",
            completedAt: completedAt,
            totalDurationSeconds: seconds
        )
    }

    static func moment(_ text: String) -> Timestamp { Timestamp(text) ?? Timestamp(seconds: 0) }

    /// Identifiers `new-1`, `new-2` and so on.
    static func ids() -> () -> String {
        var count = 0
        return {
            count += 1
            return "new-\(count)"
        }
    }
}
