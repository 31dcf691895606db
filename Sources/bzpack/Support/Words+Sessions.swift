internal import BZTimer
internal import CommandSupport
internal import GymPulse

extension Words {
    /// Returns the length of a block: `1 min 30 s`, or `12 × 3 s`.
    static func timing(_ timing: BlockTiming) -> String {
        switch timing {
        case .duration(let seconds): length(seconds)
        case .reps(let count, let secondsEach): "\(count) × \(length(secondsEach))"
        }
    }

    /// Returns a summary such as `6 blocks · 3:31 · Mon Thu · strength, legs`.
    static func summary(of session: SessionTemplate) -> String {
        var parts = [count(session.items.count, "block"), length(session.totalSeconds)]
        let days = weekdays(session.scheduledDaysOfWeek)
        if !days.isEmpty { parts.append(days) }
        if let tags = session.tags, !tags.isEmpty { parts.append(tags.joined(separator: ", ")) }
        return parts.joined(separator: " · ")
    }

    /// Returns ISO weekdays as `Mon Thu`.
    static func weekdays(_ days: [Int]?) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return (days ?? []).sorted().compactMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
            .joined(separator: " ")
    }
}
