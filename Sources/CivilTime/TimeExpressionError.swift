/// An error for a text that names no day, or no moment.
public struct TimeExpressionError: Error, Sendable, Hashable {
    /// The text as it was written.
    public let text: String
    /// The reason why the text was refused.
    public let reason: Reason

    /// The faults that a text can have.
    public enum Reason: Sendable, Hashable {
        /// It is none of the accepted forms.
        case unknown
        /// It names a date that the calendar does not have, such as 30 Feb.
        case noSuchDate
        /// It names a time that no clock shows, such as 24:30.
        case noSuchTime
        /// It names a time where a day is expected.
        case timeWhereDayIsExpected
        /// The clock was put forward over that time; the text is the moment as if it had not been, as RFC 3339.
        case skipped(String)
        /// The clock was put back and showed that time twice; both moments as RFC 3339.
        case shownTwice(String, String)
        /// It leads out of the years 0000 to 9999.
        case outOfRange
    }

    init(_ text: String, _ reason: Reason) {
        self.text = text
        self.reason = reason
    }

    /// The accepted forms of a day, in words.
    public static let dayForms =
        "today, yesterday, tomorrow, a weekday, \"last monday\", -7d, +2w, 2026-11-21, \"21 Nov\" or \"21 Nov 2026\""
    /// The accepted forms of a moment, in words.
    public static let momentForms =
        "now, a day (\(dayForms)), 14:30, a day and a time such as \"yesterday 14:30\", -2h, -30m, "
        + "or 2026-11-21T14:30:00Z"

    /// Returns a message that says what is wrong with the text, and what to write instead.
    ///
    /// The message does not repeat the text.
    ///
    /// - Parameter expectsDay: True if a day was expected, false if a moment was.
    public func message(expectsDay: Bool) -> String {
        let expected = expectsDay ? "a day: \(Self.dayForms)" : "a moment: \(Self.momentForms)"
        switch reason {
        case .unknown: return "expected \(expected)"
        case .noSuchDate: return "there is no such date; expected \(expected)"
        case .noSuchTime: return "there is no such time; expected 00:00 to 23:59"
        case .timeWhereDayIsExpected: return "found a time, expected \(expected)"
        case .skipped(let moment):
            return "the clock was put forward over that time; write \(moment) instead"
        case .shownTwice(let first, let second):
            return "the clock was put back and showed that time twice; write \(first) or \(second)"
        case .outOfRange: return "it is outside of the years 0000 to 9999"
        }
    }
}
