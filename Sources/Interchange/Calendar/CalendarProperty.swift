/// The properties of ours that carry what iCalendar has no property for.
enum CalendarProperty {
    /// The end of the identifiers of activities.
    static let suffix = "@satchel-tracker"
    /// The beginning of `PRODID`.
    static let producer = "-//Satchel//"
    /// The beginning of our properties' names.
    static let prefix = "X-SATCHEL-"
    static let button = "X-SATCHEL-BUTTON-ID"
    static let color = "X-SATCHEL-COLOR"
    /// The property of an activity that has not ended.
    static let running = "X-SATCHEL-RUNNING"
    /// The start and the end with offset and fraction; they count where they fit `DTSTART` and `DTEND`.
    static let start = "X-SATCHEL-START"
    static let end = "X-SATCHEL-END"
    /// A JSON object: unknown members, and texts with characters that no calendar can hold.
    static let extra = "X-SATCHEL-EXTRA"
    /// A button as a JSON object, before the first event.
    static let buttonObject = "X-SATCHEL-BUTTON"
    /// The property with the time of the export.
    static let exportedAt = "X-SATCHEL-EXPORTED-AT"
    static let timeZone = "X-WR-TIMEZONE"
    static let exportExtra = "X-SATCHEL-EXPORT-EXTRA"

    /// Tells whether a text can stand in a calendar.
    static func fits(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A }
    }

    /// Tells whether a text has control characters that are no line ends, which a calendar leaves out.
    static func hasControlCharacters(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 != "\r" && !fits(String($0)) }
    }

    /// Returns a text without the characters that cannot stand in a calendar.
    static func stripped(_ text: String) -> String {
        if fits(text) { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { fits(String($0)) }))
    }
}
