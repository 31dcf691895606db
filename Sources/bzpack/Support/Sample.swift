internal import BZTimer
internal import CivilTime
internal import GymPulse

/// The content that `init --sample` puts into a store: a trainer's library with one session, on the Pro plan.
struct Sample {
    let settings: TimerSettings
    let activities: [BlockTemplate]
    let session: SessionTemplate
    let history: [SessionHistoryEntry]

    /// - Parameters:
    ///   - now: The present moment; the session was completed the day before.
    ///   - newID: Gives a new identifier at each call.
    init(now: Timestamp, newID: () -> String) {
        var settings = TimerSettings()
        settings.isProUser = true
        settings.customCategories = ["Mobility"]
        self.settings = settings

        activities = [
            Self.activity(newID(), "Squats", .reps(count: 12, secondsEach: 3), "Exercise", "#E4572E", "🏋️"),
            Self.activity(newID(), "Plank", .duration(seconds: 45), "Exercise", "#17BEBB", "🧘"),
            Self.activity(newID(), "Hip opener", .duration(seconds: 60), "Mobility", "#76B041", "🤸"),
        ]
        var items: [BlockInstance] = [
            BlockInstance(id: newID(), label: "Get ready", kind: .transition, timing: .duration(seconds: 10))
        ]
        for (index, activity) in activities.enumerated() {
            if index > 0 {
                items.append(BlockInstance(id: newID(), label: "Rest", kind: .rest, timing: .duration(seconds: 30)))
            }
            items.append(
                BlockInstance(
                    id: newID(),
                    templateId: activity.id,
                    label: activity.label,
                    kind: .activity,
                    timing: activity.timing,
                    category: activity.category,
                    color: activity.color,
                    icon: activity.icon
                )
            )
        }
        session = SessionTemplate(
            id: newID(),
            name: "Leg day",
            items: items,
            tags: ["strength"],
            scheduledDaysOfWeek: [1, 4]
        )
        history = [
            SessionHistoryEntry(
                id: newID(),
                sessionId: session.id,
                sessionName: session.name,
                completedAt: now.adding(seconds: -86_400).description,
                totalDurationSeconds: session.totalSeconds ?? 0
            )
        ]
    }

    private static func activity(
        _ id: String,
        _ label: String,
        _ timing: BlockTiming,
        _ category: String,
        _ color: String,
        _ icon: String
    ) -> BlockTemplate {
        BlockTemplate(id: id, label: label, timing: timing, category: category, color: color, icon: icon)
    }
}
