internal import BZTimer
internal import CommandSupport
internal import GymPulse

extension Words {
    /// What a block counts: `45 s`, or `12 × 3 s`.
    static func timing(_ timing: BlockTiming) -> String {
        switch timing {
        case .duration(let seconds): "\(seconds) s"
        case .reps(let count, let secondsEach): "\(count) × \(secondsEach) s"
        }
    }

    /// ISO weekdays as `Mon Thu`.
    static func weekdays(_ days: [Int]?) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return (days ?? []).sorted().compactMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
            .joined(separator: " ")
    }
}
