/// A day or a moment as a person writes it: `yesterday`, `-7d`, `monday`, `21 Nov`, `yesterday 14:30`.
///
/// Words are English; case and extra spaces do not matter. What depends on the present is computed when it is asked for.
/// `docs/time.md` has the grammar.
///
/// ```swift
/// let expression = try TimeExpression("last friday")
/// try expression.day(now: now, clock: LocalClock(.current)).words  // Fri 20 Nov 2026
/// ```
public struct TimeExpression: Sendable, Hashable {
    /// The text as it was written, without spaces around it.
    public let text: String
    let form: Form

    /// The parsed form of a time expression.
    enum Form: Sendable, Hashable {
        case now
        /// A moment with its own offset from UTC.
        case instant(Timestamp)
        /// A number of seconds from now.
        case shift(seconds: Int)
        /// A number of days from today; as a moment it keeps the time of day.
        case count(days: Int)
        case day(Day)
        case time(Day, seconds: Int)
    }

    /// A day, of which the present may be a part.
    enum Day: Sendable, Hashable {
        case fromToday(Int)
        case weekday(Int, Direction)
        case date(CivilDay)
        /// A day of the present year.
        case ofYear(month: Int, day: Int)
    }

    /// The side of today on which a weekday is looked for.
    enum Direction: Sendable, Hashable {
        /// The latest one that is not after today.
        case latest
        /// The latest one before today.
        case last
        /// The first one after today.
        case next
    }

    /// True if the text names a day or moment to come.
    private var isAhead = false

    /// The same text about something to come: `friday` is the next Friday or today, `21 Jan` the next one.
    public var ahead: TimeExpression {
        var expression = self
        expression.isAhead = true
        return expression
    }

    /// Reads a text.
    ///
    /// - Throws: ``TimeExpressionError`` where the text is none of the accepted forms, or names a date that does not exist.
    public init(_ text: String) throws(TimeExpressionError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        self.text = words.joined(separator: " ")
        if let moment = Timestamp(self.text) {
            form = .instant(moment)
        } else {
            form = try TimeExpressionReader(text: self.text, words: words.map { $0.lowercased() }).form()
        }
    }

    /// True if the text names a day without a time.
    public var isDay: Bool {
        switch form {
        case .count, .day: true
        case .now, .instant, .shift, .time: false
        }
    }

    /// Returns the day that the text names, as seen on a day.
    ///
    /// - Parameter today: The present day; an app whose days begin at 04:00 gives its own.
    /// - Throws: ``TimeExpressionError`` where the text names a time, or a date that this year does not have.
    public func day(today: CivilDay) throws(TimeExpressionError) -> CivilDay {
        switch form {
        case .count(let days): return try inRange(today.adding(days: days))
        case .day(let day): return try resolve(day, today)
        case .now, .instant, .shift, .time: throw TimeExpressionError(text, .timeWhereDayIsExpected)
        }
    }

    /// Returns the day that the text names, as seen at a moment.
    ///
    /// - Throws: ``TimeExpressionError`` where the text names a time, or a date that this year does not have.
    public func day(now: Timestamp, clock: LocalClock) throws(TimeExpressionError) -> CivilDay {
        try day(today: clock.day(of: now))
    }

    /// Returns the moment that the text names.
    ///
    /// A day without a time is its first moment. `-7d` keeps the time of day: where the clock skips that time, the moment is
    /// as much later; where the clock shows it twice, it is the first.
    ///
    /// - Parameters:
    ///   - now: The present moment.
    ///   - clock: The clock that shows local times.
    ///   - dayStart: The seconds after 00:00 at which the app's days begin. A day without a time is that moment of it. A
    ///     time without a day is one of the app's day; one before the start is one of the calendar's.
    /// - Throws: ``TimeExpressionError`` where a written time was skipped or shown twice by the clock, and at the very end of
    ///   the years 0000 to 9999.
    public func moment(
        now: Timestamp,
        clock: LocalClock,
        dayStart: Int = 0
    ) throws(TimeExpressionError) -> Timestamp {
        let today = clock.local(now)
        let appDay = today.seconds < dayStart ? today.day.adding(days: -1) : today.day
        let moment: Timestamp
        switch form {
        case .now: moment = now
        case .instant(let instant): moment = instant
        case .shift(let seconds): moment = now.adding(seconds: seconds)
        case .count(let days):
            let day = try inRange(today.day.adding(days: days))
            moment = Self.first(LocalTime(day: day, seconds: today.seconds), clock)
        case .day(let day) where dayStart > 0:
            moment = Self.first(LocalTime(day: try resolve(day, appDay), seconds: dayStart), clock)
        case .day(let day): moment = clock.startOfDay(try resolve(day, today.day))
        case .time(let day, let seconds):
            let isOfAppDay = day == .fromToday(0) && seconds >= dayStart
            let time = LocalTime(day: try resolve(day, isOfAppDay ? appDay : today.day), seconds: seconds)
            switch clock.resolve(time) {
            case .exact(let found): moment = found
            case .fold(let earlier, let later):
                throw TimeExpressionError(text, .shownTwice(clock.text(of: earlier), clock.text(of: later)))
            case .gap(let before, _): throw TimeExpressionError(text, .skipped(clock.text(of: before)))
            }
        }
        // In some time zone it would be in a year that cannot be written.
        guard moment.adding(seconds: CivilDay.seconds).seconds - moment.seconds == CivilDay.seconds,
            moment.seconds - moment.adding(seconds: -CivilDay.seconds).seconds == CivilDay.seconds
        else { throw TimeExpressionError(text, .outOfRange) }
        return moment
    }

    /// Returns the first moment at which the clock shows a time; where it skips the time, the moment is as much later.
    private static func first(_ time: LocalTime, _ clock: LocalClock) -> Timestamp {
        switch clock.resolve(time) {
        case .exact(let found), .fold(let found, _): found
        case .gap(let before, _): before
        }
    }

    private func resolve(_ day: Day, _ today: CivilDay) throws(TimeExpressionError) -> CivilDay {
        switch day {
        case .fromToday(let days): return try inRange(today.adding(days: days))
        case .weekday(let weekday, let direction):
            let back = (today.weekday - weekday + 7) % 7
            switch direction {
            case .latest where isAhead: return try inRange(today.adding(days: (7 - back) % 7))
            case .latest: return try inRange(today.adding(days: -back))
            case .last: return try inRange(today.adding(days: back == 0 ? -7 : -back))
            case .next: return try inRange(today.adding(days: 7 - back))
            }
        case .date(let date): return date
        case .ofYear(let month, let day):
            let year = today.components.year
            // 29 February is eight years apart at most, as in 2096 and 2104.
            let years = isAhead ? year...year + 8 : year...year
            let dates = years.lazy.compactMap { CivilDay(year: $0, month: month, day: day) }
            guard let date = dates.first(where: { !isAhead || $0 >= today }) else {
                throw TimeExpressionError(text, .noSuchDate)
            }
            return try inRange(date)
        }
    }

    private func inRange(_ day: CivilDay) throws(TimeExpressionError) -> CivilDay {
        guard (0...9999).contains(day.components.year) else { throw TimeExpressionError(text, .outOfRange) }
        return day
    }
}

extension CivilDay {
    /// The day in words: `Sat 21 Nov 2026`.
    public var words: String {
        let (year, month, day) = components
        let weekday = CalendarNames.weekdays[weekday - 1].prefix(3).capitalized
        return "\(weekday) \(day) \(CalendarNames.months[month - 1].prefix(3).capitalized) \(padded(year, 4))"
    }
}

extension LocalClock {
    /// Returns the moment in words, with the offset from UTC: `Sat 21 Nov 2026 14:30 +01:00`; seconds only where they
    /// are not zero.
    public func words(of moment: Timestamp) -> String {
        let (day, seconds) = local(moment)
        let minutes = offset(moment) / 60
        var time = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2))"
        if seconds % 60 != 0 { time += ":" + padded(seconds % 60, 2) }
        let sign = minutes < 0 ? "-" : "+"
        return "\(day.words) \(time) \(sign)\(padded(abs(minutes) / 60, 2)):\(padded(abs(minutes) % 60, 2))"
    }
}

extension Substring {
    /// The text with its first letter in upper case.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
