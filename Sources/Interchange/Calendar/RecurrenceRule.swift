internal import CivilTime
internal import GymPulse

/// `RRULE` of an event (RFC 5545, section 3.3.10): on which days it comes back.
struct RecurrenceRule {
    private enum Frequency: String { case daily = "DAILY", weekly = "WEEKLY", monthly = "MONTHLY", yearly = "YEARLY" }

    /// The reason why a rule is not expanded, as the end of a sentence that begins with the event.
    struct Fault: Error {
        let reason: String
    }

    /// The most days of a rule.
    static let most = 10_000
    /// The most days, weeks, months or years that are looked at for them.
    private static let mostPeriods = 100_000

    private var frequency = Frequency.daily
    private var interval = 1
    private(set) var until: CalendarMoment?
    private(set) var count: Int?
    private var weekStart = 1
    private var months: Set<Int> = []
    private var monthDays: Set<Int> = []
    private var weekdays: [(ordinal: Int?, day: Int)] = []
    private var positions: [Int] = []
    /// The parts of the time of day, which have to be those of the event.
    private var clock: [(name: Substring, value: Int)] = []

    private static let weekdayNames: [Substring] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Reads a rule.
    ///
    /// - Parameter zone: The zone of a local `UNTIL`.
    init(_ text: String, zone: String?) throws(Fault) {
        var hasFrequency = false
        for part in text.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw Fault(reason: "by a rule with the part \(quoted(String(part)))") }
            try read(pair[0], pair[1], zone)
            hasFrequency = hasFrequency || pair[0] == "FREQ"
        }
        guard hasFrequency else { throw Fault(reason: "by a rule without FREQ") }
        let hasOrdinals = weekdays.contains { $0.ordinal != nil }
        guard !hasOrdinals || frequency == .monthly || frequency == .yearly else {
            throw Fault(reason: "by a rule with a numbered weekday in each day or week")
        }
        guard count != nil || until != nil else {
            throw Fault(reason: "without an end (its rule has neither COUNT nor UNTIL); give the series an end")
        }
    }

    private mutating func read(_ name: Substring, _ value: Substring, _ zone: String?) throws(Fault) {
        let unknown = Fault(reason: "by a rule with \(name.prefix(40))=\(value.prefix(40)), which is not understood")
        func numbers(_ range: ClosedRange<Int>, negative: Bool = false) throws(Fault) -> [Int] {
            let parts = value.split(separator: ",", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Int($0) }.filter {
                range.contains(negative ? Int(clamping: $0.magnitude) : $0)
            }
            guard numbers.count == parts.count, numbers.count <= 400 else { throw unknown }
            return numbers
        }
        func number(_ range: ClosedRange<Int>) throws(Fault) -> Int {
            let numbers = try numbers(range)
            guard numbers.count == 1, let first = numbers.first else { throw unknown }
            return first
        }
        switch name {
        case "FREQ":
            guard let frequency = Frequency(rawValue: String(value)) else { throw unknown }
            self.frequency = frequency
        case "INTERVAL": interval = try number(1...100_000)
        case "COUNT": count = try number(1...1_000_000_000)
        case "UNTIL":
            guard let moment = CalendarMoment(value, zone: zone) else { throw unknown }
            until = moment
        case "WKST":
            guard let day = Self.weekdayNames.firstIndex(of: value) else { throw unknown }
            weekStart = day + 1
        case "BYMONTH": months = Set(try numbers(1...12))
        case "BYMONTHDAY": monthDays = Set(try numbers(1...31, negative: true))
        case "BYSETPOS": positions = try numbers(1...366, negative: true)
        case "BYDAY":
            weekdays = try value.split(separator: ",", omittingEmptySubsequences: false).map { part throws(Fault) in
                let ordinal = part.dropLast(2)
                guard let day = Self.weekdayNames.firstIndex(of: part.suffix(2)),
                    ordinal.isEmpty || Int(ordinal).map({ (1...53).contains($0.magnitude) }) ?? false
                else { throw unknown }
                return (Int(ordinal), day + 1)
            }
        case "BYHOUR": clock.append((name, try number(0...23)))
        case "BYMINUTE", "BYSECOND": clock.append((name, try number(0...59)))
        default: throw unknown
        }
    }

    /// Gives the days after the first one, in order, until the function returns false.
    ///
    /// - Parameter seconds: The time of day of the event.
    /// - Throws: What the function throws, and where the rule finds too few days.
    func forEachDay(
        after first: CivilDay,
        at seconds: Int,
        _ body: (CivilDay) throws -> Bool
    ) throws {
        for (name, value) in clock {
            let own = name == "BYHOUR" ? seconds / 3600 : name == "BYMINUTE" ? seconds / 60 % 60 : seconds % 60
            guard own == value else {
                throw Fault(reason: "by a rule with \(name)=\(value), which is not the time that it begins at")
            }
        }
        for period in 0..<Self.mostPeriods {
            guard let days = days(of: period, first) else { return }
            for day in selected(days) where day > first {
                guard try body(day) else { return }
            }
        }
        throw Fault(reason: "by a rule that finds no more days, yet has not come to its end")
    }

    private func selected(_ days: [CivilDay]) -> [CivilDay] {
        guard !positions.isEmpty else { return days }
        let indices = Set(positions.map { $0 > 0 ? $0 - 1 : days.count + $0 })
        return days.enumerated().filter { indices.contains($0.offset) }.map(\.element)
    }

    /// Returns the days of a day, week, month or year on which the event takes place; nil behind the year 9999.
    private func days(of period: Int, _ first: CivilDay) -> [CivilDay]? {
        let steps = period * interval
        let (year, month, _) = first.components
        switch frequency {
        case .daily:
            let day = first.adding(days: steps)
            guard day.components.year <= 9999 else { return nil }
            return [day].filter { isIn($0) && isOnWeekday($0) && (monthDays.isEmpty || isOnMonthDay($0)) }
        case .weekly:
            let begin = first.adding(days: -((first.weekday - weekStart + 7) % 7) + steps * 7)
            guard begin.components.year <= 9999 else { return nil }
            return (0..<7).map { begin.adding(days: $0) }.filter { day in
                isIn(day) && (weekdays.isEmpty ? day.weekday == first.weekday : isOnWeekday(day))
            }
        case .monthly:
            let index = year * 12 + month - 1 + steps
            guard index / 12 <= 9999 else { return nil }
            return days(year: index / 12, month: index % 12 + 1, like: first).filter(isIn)
        case .yearly:
            guard year + steps <= 9999 else { return nil }
            let isOneMonth = months.isEmpty && monthDays.isEmpty && weekdays.isEmpty
            return (isOneMonth ? [month] : Array(1...12)).flatMap { month in
                days(year: year + steps, month: month, like: first).filter(isIn)
            }
        }
    }

    private func days(year: Int, month: Int, like first: CivilDay) -> [CivilDay] {
        (1...31).compactMap { CivilDay(year: year, month: month, day: $0) }.filter { day in
            if monthDays.isEmpty, weekdays.isEmpty { return day.components.day == first.components.day }
            return (monthDays.isEmpty || isOnMonthDay(day)) && isOnWeekday(day)
        }
    }

    private func isIn(_ day: CivilDay) -> Bool { months.isEmpty || months.contains(day.components.month) }

    private func isOnMonthDay(_ day: CivilDay) -> Bool {
        let (before, after) = place(of: day, inYear: false)
        return monthDays.contains(before + 1) || monthDays.contains(-after - 1)
    }

    private func isOnWeekday(_ day: CivilDay) -> Bool {
        if weekdays.isEmpty { return true }
        return weekdays.contains { ordinal, weekday in
            guard weekday == day.weekday else { return false }
            guard let ordinal else { return true }
            let (before, after) = place(of: day, inYear: frequency == .yearly && months.isEmpty)
            return ordinal == before / 7 + 1 || ordinal == -(after / 7) - 1
        }
    }

    /// Returns the numbers of days of the month, or year, before a day and after it.
    private func place(of day: CivilDay, inYear: Bool) -> (before: Int, after: Int) {
        let (year, month, _) = day.components
        let first = CivilDay(year: year, month: inYear ? 1 : month, day: 1)
        let last =
            CivilDay(year: year, month: inYear ? 12 : month, day: 31)
            ?? (28...30).compactMap { CivilDay(year: year, month: month, day: $0) }.last
        return (day.number - (first ?? day).number, (last ?? day).number - day.number)
    }
}
