public import CivilTime
public import FormatKit

/// Which backups of a folder are kept.
///
/// Each rule keeps by itself: the newest ones, or the newest of each of the last days, ISO weeks, months or years
/// **that have a backup**. A file is removed only where no rule keeps it. It goes by the names' dates; nothing is read
/// but by the closure that verifies.
///
/// ```swift
/// let rules = try SlateRetention(last: 7, monthly: 12)
/// for decision in rules.decide(names, today: today, verifies: { … }) where !decision.isKept { … }
/// ```
public struct SlateRetention: Sendable, Hashable {
    /// What becomes of a file.
    public struct Decision: Sendable, Hashable {
        /// The file's name.
        public var name: String
        /// Whether the file stays.
        public var isKept: Bool
        /// Why, in words: all that keeps it, or that nothing does.
        public var reasons: [String]
    }

    /// How many of the newest are kept.
    public let last: Int
    /// For how many days the newest is kept.
    public let daily: Int
    /// For how many ISO weeks the newest is kept.
    public let weekly: Int
    /// For how many months the newest is kept.
    public let monthly: Int
    /// For how many years the newest is kept.
    public let yearly: Int

    /// Rules, of which 0 keeps nothing.
    ///
    /// - Throws: `slate.retention` where a number is negative or all are 0, which would keep nothing.
    public init(
        last: Int = 0,
        daily: Int = 0,
        weekly: Int = 0,
        monthly: Int = 0,
        yearly: Int = 0
    ) throws(AppFormatError) {
        let numbers = [last, daily, weekly, monthly, yearly]
        guard numbers.allSatisfy({ $0 >= 0 }) else {
            throw AppFormatError(.retention, "how many backups are kept must not be negative")
        }
        guard numbers.contains(where: { $0 > 0 }) else {
            throw AppFormatError(
                .retention,
                "no rule would keep a backup; expected a number above 0 of last, daily, weekly, monthly or yearly ones"
            )
        }
        self.last = last
        self.daily = daily
        self.weekly = weekly
        self.monthly = monthly
        self.yearly = yearly
    }

    /// A decision for each file, in the order of the names.
    ///
    /// Left alone is what is not named like a backup, and what is dated after today, which also counts for no rule.
    /// The newest other one that verifies stays; where none does, all stay. So does the newest that outweighs it, for
    /// whatever was lost may not have been noticed yet.
    ///
    /// - Parameters:
    ///   - names: The names of the files in the folder.
    ///   - today: The local day; the day start of the app does not matter, as names have the date of `exported_at`.
    ///   - verifies: Whether the file of that name is a sound backup. Asked from the newest to the oldest until one is,
    ///     and only where something would be removed.
    ///   - outweighs: Whether the first holds far more than the second, the newest that verifies. Asked of what would be
    ///     removed, and where that is so, of what is kept.
    public func decide(
        _ names: [String],
        today: CivilDay,
        verifies: (String) -> Bool,
        outweighs: (String, String) -> Bool = { _, _ in false }
    ) -> [Decision] {
        var decisions = names.map { Decision(name: $0, isKept: true, reasons: []) }
        var backups: [Backup] = []
        for (index, name) in names.enumerated() {
            guard let parsed = SlateFileName(name) else {
                decisions[index].reasons = ["not a backup name: left alone"]
                continue
            }
            if parsed.day > today {
                decisions[index].reasons = ["dated in the future: left alone"]
            } else {
                backups.append(Backup(index: index, name: parsed))
            }
        }
        backups.sort { $0.name == $1.name ? $0.index < $1.index : $0.name > $1.name }
        for (backup, reasons) in zip(backups, reasons(for: backups.map(\.name))) {
            decisions[backup.index].reasons = reasons
        }
        Self.protect(backups.map(\.index), in: &decisions, verifies, outweighs)
        return decisions
    }

    /// A file that is a backup, by its place among the names.
    private struct Backup {
        let index: Int
        let name: SlateFileName
    }

    /// For each of the names, newest first, why it is kept.
    private func reasons(for newestFirst: [SlateFileName]) -> [[String]] {
        var rules = [
            PeriodRule(count: daily) { "daily \($0)" }, PeriodRule(count: weekly, Self.week),
            PeriodRule(count: monthly, Self.month), PeriodRule(count: yearly, Self.year),
        ]
        return newestFirst.enumerated()
            .map { position, name in
                var reasons = position < last ? ["last \(position + 1) of \(last)"] : []
                for index in rules.indices {
                    if let reason = rules[index].reason(toKeep: name.day) { reasons.append(reason) }
                }
                return reasons
            }
    }

    private static func week(_ day: CivilDay) -> String {
        let (year, week) = day.isoWeek
        return "weekly \(padded(year, 4))-W\(padded(week, 2))"
    }

    private static func month(_ day: CivilDay) -> String {
        let (year, month) = day.yearAndMonth
        return "monthly \(padded(year, 4))-\(padded(month, 2))"
    }

    private static func year(_ day: CivilDay) -> String { "yearly \(padded(day.yearAndMonth.year, 4))" }

    /// Marks what is to be removed, unless it is the newest that verifies, outweighs that, or nothing verifies.
    private static func protect(
        _ newestFirst: [Int],
        in decisions: inout [Decision],
        _ verifies: (String) -> Bool,
        _ outweighs: (String, String) -> Bool
    ) {
        var removed = newestFirst.filter { decisions[$0].reasons.isEmpty }
        guard !removed.isEmpty else { return }
        guard let sound = newestFirst.first(where: { verifies(decisions[$0].name) }) else {
            for index in removed { decisions[index].reasons = ["no backup verifies, so none is removed"] }
            return
        }
        decisions[sound].reasons.append("the newest that verifies")
        removed.removeAll { $0 == sound }
        let holdsMore = { [decisions] index in outweighs(decisions[index].name, decisions[sound].name) }
        let kept = newestFirst.filter { $0 != sound && !removed.contains($0) }
        if let fuller = removed.first(where: holdsMore), let place = newestFirst.firstIndex(of: fuller),
            !newestFirst[..<place].filter(kept.contains).contains(where: holdsMore)
        {
            decisions[fuller].reasons = ["holds far more than the newest that verifies"]
            removed.removeAll { $0 == fuller }
        }
        for index in removed {
            decisions[index].isKept = false
            decisions[index].reasons = ["no rule keeps it"]
        }
    }
}

/// A rule that keeps the newest of each of the last periods that have a backup, fed from the newest to the oldest.
private struct PeriodRule {
    private var remaining: Int
    private let describe: (CivilDay) -> String
    private var current: String?

    init(count: Int, _ describe: @escaping (CivilDay) -> String) {
        remaining = count
        self.describe = describe
    }

    /// Why the next one is kept: the name of its period, where it is the first of that and not too many came before.
    mutating func reason(toKeep day: CivilDay) -> String? {
        guard remaining > 0 else { return nil }
        let period = describe(day)
        guard period != current else { return nil }
        current = period
        remaining -= 1
        return period
    }
}
