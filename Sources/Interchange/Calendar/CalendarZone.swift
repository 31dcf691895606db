internal import CivilTime
internal import RecordStore

/// A zone that a calendar describes with `VTIMEZONE` (RFC 5545, section 3.6.5).
struct CalendarZone {
    /// A part of the year, or of history, with one offset.
    struct Observance {
        /// The time at which it first begins, as the clock shows it just before.
        var onset: LocalTime?
        /// Further times at which it begins.
        var further: [LocalTime] = []
        var offsetFrom: Int?
        var offsetTo: Int?
        /// The rule by which it begins again each year.
        var rule: YearlyRule?
        /// The fault of the observance.
        var fault: String?
    }

    /// The most changes of a zone that are worked out; two a year come to 400.
    private static let mostChanges = 20_000
    /// The last year for which they are worked out.
    private static let lastYear = 2100

    var name: String?
    var observances: [Observance] = []

    /// Returns the zone's clock.
    ///
    /// - Throws: What is missing or not understood, as the end of a sentence.
    func clock() throws(Fault) -> LocalClock {
        var changes: [(moment: Int, offset: Int)] = []
        var earliest: (moment: Int, offset: Int)?
        for observance in observances {
            if let fault = observance.fault { throw Fault(reason: fault) }
            guard let onset = observance.onset, let from = observance.offsetFrom, let to = observance.offsetTo else {
                throw Fault(reason: "it lacks DTSTART, TZOFFSETFROM or TZOFFSETTO")
            }
            let onsets =
                [onset] + observance.further + (observance.rule?.onsets(after: onset, Self.lastYear, from) ?? [])
            guard changes.count + onsets.count <= Self.mostChanges else {
                throw Fault(reason: "it has more than \(Self.mostChanges) changes")
            }
            for onset in onsets {
                let moment = onset.day.number * 86_400 + onset.seconds - from
                changes.append((moment, to))
                if moment < earliest?.moment ?? .max { earliest = (moment, from) }
            }
        }
        guard let before = earliest?.offset else { throw Fault(reason: "it has neither STANDARD nor DAYLIGHT") }
        changes.sort { $0.moment < $1.moment }
        let sorted = changes
        return LocalClock { moment in
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle].moment <= moment { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? before : sorted[low - 1].offset
        }
    }

    /// The reason why a zone's clock is not known.
    struct Fault: Error {
        let reason: String
    }
}

/// `RRULE` of an observance: once a year, on a date or on a weekday of a month.
struct YearlyRule {
    private var month: Int?
    private var weekday: (ordinal: Int?, day: Int)?
    private var monthDays: [Int] = []
    private var until: CalendarMoment?
    private var count: Int?
    /// The time of the day, by its hours, minutes and seconds, where the rule says it once more.
    private var hour: Int?
    private var minute: Int?
    private var second: Int?

    /// Reads a rule, nil where it is one of another kind.
    init?(_ text: String) {
        for part in text.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            let value = pair[1]
            switch pair[0] {
            case "FREQ": guard value == "YEARLY" else { return nil }
            case "INTERVAL": guard value == "1" else { return nil }
            case "WKST": continue
            case "BYMONTH":
                guard let number = decimal(value.utf8), (1...12).contains(number) else { return nil }
                month = number
            case "BYDAY":
                let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
                guard let day = names.firstIndex(of: String(value.suffix(2))) else { return nil }
                let ordinal = value.dropLast(2)
                guard ordinal.isEmpty || (Int(ordinal).map { (1...5).contains($0.magnitude) } ?? false) else {
                    return nil
                }
                weekday = (Int(ordinal), day + 1)
            case "BYMONTHDAY":
                monthDays = value.split(separator: ",").compactMap { decimal($0.utf8) }
                guard monthDays.count == value.split(separator: ",").count, monthDays.count <= 31 else { return nil }
            case "BYHOUR":
                guard let number = decimal(value.utf8), number < 24 else { return nil }
                hour = number
            case "BYMINUTE":
                guard let number = decimal(value.utf8), number < 60 else { return nil }
                minute = number
            case "BYSECOND":
                guard let number = decimal(value.utf8), number < 60 else { return nil }
                second = number
            case "UNTIL":
                guard let moment = CalendarMoment(value, zone: nil) else { return nil }
                until = moment
            case "COUNT":
                guard let number = decimal(value.utf8) else { return nil }
                count = number
            default: return nil
            }
        }
        if weekday?.ordinal == nil, weekday != nil, monthDays.isEmpty { return nil }
    }

    /// Returns the times at which it begins after the first one, up to a year.
    func onsets(after first: LocalTime, _ lastYear: Int, _ offset: Int) -> [LocalTime] {
        guard let start = year(of: first.day) else { return [] }
        var onsets: [LocalTime] = []
        let seconds =
            (hour ?? first.seconds / 3600) * 3600 + (minute ?? first.seconds / 60 % 60) * 60
            + (second ?? first.seconds % 60)
        for year in max(start, 1800)...max(start, 1800, lastYear) {
            if let count, onsets.count + 1 >= count { break }
            guard let day = day(in: year, like: first.day), day > first.day else { continue }
            let onset = LocalTime(day: day, seconds: seconds)
            if isOver(onset, offset) { break }
            onsets.append(onset)
        }
        return onsets
    }

    private func isOver(_ onset: LocalTime, _ offset: Int) -> Bool {
        switch until {
        case nil: false
        case .utc(let last): onset.day.number * 86_400 + onset.seconds - offset > last.seconds
        case .floating(let last), .zoned(let last, _): (onset.day, onset.seconds) > (last.day, last.seconds)
        case .day(let last): onset.day > last
        }
    }

    private func day(in year: Int, like first: CivilDay) -> CivilDay? {
        let parts = first.description.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        let month = month ?? parts[1]
        guard let weekday else { return CivilDay(year: year, month: month, day: monthDays.first ?? parts[2]) }
        let days = (1...31).compactMap { CivilDay(year: year, month: month, day: $0) }
            .filter { $0.weekday == weekday.day }
        guard let ordinal = weekday.ordinal else {
            return monthDays.lazy.compactMap { CivilDay(year: year, month: month, day: $0) }
                .first { $0.weekday == weekday.day }
        }
        let index = ordinal > 0 ? ordinal - 1 : days.count + ordinal
        return days.indices.contains(index) ? days[index] : nil
    }

    private func year(of day: CivilDay) -> Int? { Int(day.description.prefix(4)) }
}

/// The clocks of the zones that a calendar names.
struct CalendarZones {
    private var clocks: [String: LocalClock] = [:]
    private var described: [String: Result<LocalClock, CalendarZone.Fault>] = [:]
    /// The zones that were not described, and the names that the system knows them by.
    private(set) var assumed: [String: String] = [:]
    /// True once the whole calendar was read, so that nothing describes a zone any more.
    var isComplete = false

    /// Names that mean the same everywhere, though they have no slash.
    private static let universal: Set<String> = ["UTC", "GMT"]
    /// The most zones that a calendar may describe.
    private static let most = 2000

    /// Takes a zone that the calendar describes.
    mutating func add(_ zone: CalendarZone) {
        guard let name = zone.name, described.count < Self.most else { return }
        described[name] = Result { () throws(CalendarZone.Fault) in try zone.clock() }
    }

    /// Returns the clock of a zone: the system's where it knows the name, else the one that the calendar describes.
    ///
    /// Calendars often describe no more than the present rules, and a time log reaches back. A name without a slash is the
    /// calendar's own, which it may describe further down.
    ///
    /// - Throws: Why there is none, as the end of a sentence.
    mutating func clock(_ name: String) throws(CalendarZone.Fault) -> LocalClock {
        if let clock = clocks[name] { return clock }
        let isKnown = name.contains("/") || Self.universal.contains(name)
        if isKnown || described[name] == nil && isComplete, let clock = Self.system(name) {
            if clocks.count < Self.most { clocks[name] = clock }
            return clock
        }
        switch described[name] {
        case .success(let clock)?: return clock
        case .failure(let error)?:
            if let clock = assumedClock(name) { return clock }
            throw CalendarZone.Fault(reason: "what the calendar says about it cannot be used: \(error.reason)")
        case nil:
            if isComplete, let clock = assumedClock(name) { return clock }
            throw CalendarZone.Fault(reason: "the system does not know it and the calendar does not describe it")
        }
    }

    /// Returns the clock of a zone that other programs name otherwise.
    ///
    /// They put a slash and perhaps a registry in front (`/Europe/Stockholm`, `/mozilla.org/20050126_1/Europe/Berlin`),
    /// or use a name of their own.
    private mutating func assumedClock(_ name: String) -> LocalClock? {
        guard name.utf8.count < 256 else { return nil }
        let parts = name.split(separator: "/")
        var candidates = [ForeignZones.names[name.lowercased()]].compactMap(\.self)
        if name.hasPrefix("/") {
            candidates += [3, 2].filter { parts.count >= $0 }.map { parts.suffix($0).joined(separator: "/") }
        }
        for known in candidates {
            guard let clock = Self.system(known) else { continue }
            if clocks.count < Self.most { (clocks[name], assumed[name]) = (clock, known) }
            return clock
        }
        return nil
    }

    private static func system(_ name: String) -> LocalClock? {
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x2F
                || byte == 0x5F || byte == 0x2B
        }
        guard isName, !name.hasPrefix("/"), (1..<64).contains(name.utf8.count) else { return nil }
        return ZoneInfo(identifier: name).map { LocalClock($0) }
    }
}
