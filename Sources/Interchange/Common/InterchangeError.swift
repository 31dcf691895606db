public import StrictJSON

/// An error for a file of another format that was not read or written, with its position.
///
/// A fault of one row, event or element is a finding of the summary instead, and the rest is read.
public struct InterchangeError: Error, Sendable, CustomStringConvertible {
    /// A stable error code; new codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// The error code.
    public let code: Code
    /// The message: what was found and what was expected, in one sentence without a final full stop.
    public let message: String
    /// The position, if known.
    public let position: TextPosition?

    init(_ code: Code, _ message: String, at position: TextPosition? = nil) {
        self.code = code
        self.message = message
        self.position = position
    }

    /// Returns the error as the diagnostic that programs print.
    public func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(code: code.description, message: message, file: file, position: position)
    }

    /// The error as one line without a file.
    public var description: String { diagnostic(file: nil).description }
}

extension InterchangeError.Code {
    /// The file has no bytes, or only white space.
    public static let empty = Self("text.empty")
    /// The file, or all of its rest, consists of NUL bytes.
    public static let nulFilled = Self("text.nul-filled")
    /// A NUL byte, which no text has.
    public static let nul = Self("text.nul")
    /// The file is UTF-16 or UTF-32.
    public static let encoding = Self("text.encoding")
    /// Bytes that are not UTF-8.
    public static let invalidUTF8 = Self("text.utf-8")
    /// A text that is read as Windows-1252.
    public static let windows1252 = Self("text.windows-1252")

    /// A quoted field that does not end.
    public static let unterminatedQuote = Self("csv.unterminated-quote")
    /// Something between the end of a quoted field and the next delimiter.
    public static let quote = Self("csv.quote")
    /// A field, or a number of columns, beyond the limit.
    public static let tableSize = Self("csv.size")
    /// A row with another number of fields than the heading.
    public static let ragged = Self("csv.ragged")
    /// The heading lacks a column, or has one twice.
    public static let heading = Self("csv.heading")
    /// A column that is not read.
    public static let unknownColumn = Self("csv.unknown-column")
    /// A cell that does not hold what its column is for.
    public static let cell = Self("csv.cell")

    /// Times without a zone, and none was given.
    public static let timeZone = Self("entries.time-zone")
    /// Entries of which the day and the length are known, and not the time of the day.
    public static let timeOfDay = Self("entries.time-of-day")
    /// Dates that can be read in two ways.
    public static let dateOrder = Self("entries.date-order")
    /// A date or time that cannot be read.
    public static let time = Self("entries.time")
    /// An entry that ends before it begins.
    public static let endBeforeStart = Self("entries.end-before-start")
    /// A length that is not that from start to end.
    public static let duration = Self("entries.duration")
    /// A time that the clocks skipped.
    public static let gap = Self("entries.gap")
    /// A time that the clocks showed twice.
    public static let fold = Self("entries.fold")
    /// An amount that cannot be read for certain, or one of several.
    public static let amount = Self("entries.amount")
    /// An entry without a name.
    public static let unnamed = Self("entries.unnamed")
    /// Details beside name and times for which an activity has no place.
    public static let notCarried = Self("entries.not-carried")
}

extension InterchangeError.Code {
    /// The text is no iCalendar.
    public static let calendarUnrecognized = Self("calendar.unrecognized")
    /// The calendar ends inside of a component.
    public static let calendarTruncated = Self("calendar.truncated")
    /// A component that ends another one than the open one, or too many inside of each other.
    public static let calendarStructure = Self("calendar.structure")
    /// A line that is no property, or too long.
    public static let calendarLine = Self("calendar.line")
    /// A property that does not hold what it should, or is missing.
    public static let calendarValue = Self("calendar.value")
    /// An event that comes back, which is not read.
    public static let recurrence = Self("calendar.recurrence")
    /// A zone that is not known.
    public static let calendarZone = Self("calendar.time-zone")
    /// Events that were called off.
    public static let cancelled = Self("calendar.cancelled")
    /// Events of whole days.
    public static let allDay = Self("calendar.all-day")
}

extension InterchangeError.Code {
    /// The XML is of another format.
    public static let otherXML = Self("xml.other")
    /// An element or attribute that the format does not have there, lacks, or does not hold what it should.
    public static let element = Self("xml.element")
    /// A text that became longer than the limit.
    public static let elementSize = Self("xml.size")
    /// Control characters that XML cannot hold, and that became spaces.
    public static let controlCharacters = Self("xml.control-characters")
    /// Nothing of Apple Health's in an archive, or several times.
    public static let healthArchive = Self("health.archive")
    /// A workout or sleep record that cannot be used.
    public static let healthRecord = Self("health.record")
    /// Records of one night that count once.
    public static let healthSleep = Self("health.sleep")
    /// Workouts of several sources overlap.
    public static let healthWorkout = Self("health.workout")
}
