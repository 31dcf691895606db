public import CivilTime
public import FormatKit

/// The rules for which backups of a folder are kept.
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
    /// The decision on one file.
    public struct Decision: Sendable, Hashable {
        /// The file's name.
        public var name: String
        /// True if the file stays.
        public var isKept: Bool
        /// The reasons in words: all that keeps the file, or that nothing does.
        public var reasons: [String]
    }

    /// The number of newest backups that are kept.
    public let last: Int
    /// The number of days for which the newest is kept.
    public let daily: Int
    /// The number of ISO weeks for which the newest is kept.
    public let weekly: Int
    /// The number of months for which the newest is kept.
    public let monthly: Int
    /// The number of years for which the newest is kept.
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

    /// Returns a decision for each file, in the order of the names.
    ///
    /// Left alone is what is not named like a backup, and what is dated after today, which also counts for no rule. A
    /// file that does not verify takes no rule's place, and stays. The newest one that verifies stays; where none does,
    /// all stay. So does the newest that outweighs it, for whatever was lost may not have been noticed yet.
    ///
    /// - Parameters:
    ///   - names: The names of the files in the folder.
    ///   - moments: When files were exported, by name, as far as that is asked for; for all of a day, or for none of it.
    ///   - kept: Names that stay, such as that of the file that was just written.
    ///   - today: The local day; the day start of the app does not matter, as names have the date of `exported_at`.
    ///   - belongs: Whether the file is a backup of the same database, or may be. One that is not stays and counts for no
    ///     rule. Asked of all, from the newest to the oldest, and only where something would be removed.
    ///   - verifies: Whether the file of that name is a sound backup. Asked from the newest to the oldest of those that
    ///     a rule would keep, and until one is, and only where something would be removed.
    ///   - opens: Whether the file can be opened: one that is encrypted with another key may hold far more, and stays. Asked
    ///     of what would be removed.
    ///   - outweighs: Whether the first holds far more than the second, the newest that verifies. Asked of what would be
    ///     removed, and where that is so, of what is kept.
    public func decide(
        _ names: [String],
        moments: [String: Timestamp] = [:],
        kept: Set<String> = [],
        today: CivilDay,
        belongs: (String) -> Bool = { _ in true },
        verifies: (String) -> Bool,
        opens: (String) -> Bool = { _ in true },
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
        backups = Self.newestFirst(backups, moments, name: \.name)
        var asked: [Int: Bool] = [:]
        func isSound(_ index: Int) -> Bool {
            if let known = asked[index] { return known }
            let isSound = verifies(names[index])
            asked[index] = isSound
            return isSound
        }
        var reasons = reasons(for: backups) { _ in true }
        if reasons.contains(where: \.isEmpty) {
            let foreign = Set(backups.map(\.index).filter { !belongs(names[$0]) })
            for index in foreign { decisions[index].reasons = ["has other tasks and habits: left alone"] }
            backups.removeAll { foreign.contains($0.index) }
            reasons = self.reasons(for: backups) { isSound($0.index) }
        }
        for (backup, reasons) in zip(backups, reasons) {
            let name = names[backup.index]
            var reasons = reasons
            if kept.contains(name) { reasons.append("just written") }
            if reasons.isEmpty, !opens(name) { reasons = ["cannot be opened with the keys at hand: left alone"] }
            decisions[backup.index].reasons = reasons
        }
        Self.protect(backups.map(\.index), in: &decisions, isSound, outweighs)
        return decisions
    }

    /// Returns backups in the order of their dates, the newest first; those of a day by the moment of the export, by name.
    ///
    /// Whoever travels east over the date line makes a later backup with an earlier date. So those whose moments go with
    /// their dates are in the order of their moments; all others keep their places.
    ///
    /// - Parameters:
    ///   - moments: When files were exported, by name; for all of a day, or none.
    ///   - name: Returns the name of a backup.
    public static func newestFirst<Backup>(
        _ backups: [Backup],
        _ moments: [String: Timestamp],
        name: (Backup) -> SlateFileName
    ) -> [Backup] {
        let sorted = backups.enumerated().map { (backup: $0.element, name: name($0.element), index: $0.offset) }
            .sorted { $0.name == $1.name ? $0.index < $1.index : isNewer($0.name, $1.name, moments) }
        let places = sorted.indices.compactMap { place in
            moment(of: sorted[place].name, moments).map { (place: place, moment: $0) }
        }
        var backups = sorted.map(\.backup)
        let inTime = places.sorted { $0.moment == $1.moment ? $0.place < $1.place : $0.moment > $1.moment }
        for (slot, found) in zip(places, inTime) { backups[slot.place] = sorted[found.place].backup }
        return backups
    }

    /// Tells whether a backup is newer than another: by date, by the moment of the export, by name.
    private static func isNewer(_ left: SlateFileName, _ right: SlateFileName, _ moments: [String: Timestamp]) -> Bool {
        if left.day == right.day, let one = moments[left.description], let other = moments[right.description],
            one != other
        {
            return one > other
        }
        return left > right
    }

    /// Returns the moment of a backup that was made on its date somewhere on Earth; nil for any other.
    private static func moment(of name: SlateFileName, _ moments: [String: Timestamp]) -> Timestamp? {
        guard let moment = moments[name.description] else { return nil }
        // A day begins 14 hours before that of UTC at the earliest, and ends 12 hours after it at the latest.
        let hours = Double(moment.seconds - name.day.number * CivilDay.seconds) / 3600
        return hours >= -14 && hours < 36 ? moment : nil
    }

    /// A file that is a backup, by its place among the names.
    private struct Backup {
        let index: Int
        let name: SlateFileName
    }

    /// Returns why each of the backups, newest first, is kept.
    ///
    /// - Parameter isSound: Whether one may take a rule's place. Asked of those that a rule would keep.
    private func reasons(for newestFirst: [Backup], _ isSound: (Backup) -> Bool) -> [[String]] {
        var rules = [
            PeriodRule(count: daily) { "daily \($0)" }, PeriodRule(count: weekly, Self.week),
            PeriodRule(count: monthly, Self.month), PeriodRule(count: yearly, Self.year),
        ]
        var sound = 0
        return newestFirst.map { backup in
            let day = backup.name.day
            guard sound < last || rules.contains(where: { $0.keeps(day) }) else { return [] }
            guard isSound(backup) else { return ["does not verify: left alone, and takes no other's place"] }
            sound += 1
            var reasons = sound <= last ? ["last \(sound) of \(last)"] : []
            for index in rules.indices { rules[index].take(day).map { reasons.append($0) } }
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

    /// Marks what is to be removed, unless it is the newest that verifies, or outweighs that.
    private static func protect(
        _ newestFirst: [Int],
        in decisions: inout [Decision],
        _ isSound: (Int) -> Bool,
        _ outweighs: (String, String) -> Bool
    ) {
        var removed = newestFirst.filter { decisions[$0].reasons.isEmpty }
        // Where none verifies, no rule's place is taken, and all have a reason.
        guard !removed.isEmpty, let sound = newestFirst.first(where: isSound) else { return }
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
    /// The periods that have one; where somebody crossed the date line, a day can come again.
    private var taken: Set<String> = []

    init(count: Int, _ describe: @escaping (CivilDay) -> String) {
        remaining = count
        self.describe = describe
    }

    /// Tells whether the next one, of a day, is the first of its period, and not too many came before.
    func keeps(_ day: CivilDay) -> Bool { remaining > 0 && !taken.contains(describe(day)) }

    /// Takes the next one, and returns the name of the period for which it is kept.
    mutating func take(_ day: CivilDay) -> String? {
        guard keeps(day) else { return nil }
        let period = describe(day)
        taken.insert(period)
        remaining -= 1
        return period
    }
}
