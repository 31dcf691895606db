/// The properties of ours that carry what iCalendar has no property for.
enum CalendarProperty {
    /// What the identifiers of activities end with.
    static let suffix = "@satchel-tracker"
    /// What `PRODID` begins with.
    static let producer = "-//Satchel//"
    static let button = "X-SATCHEL-BUTTON-ID"
    static let color = "X-SATCHEL-COLOR"
    /// Whether the activity has not ended.
    static let running = "X-SATCHEL-RUNNING"
    /// The start and the end with offset and fraction; they count where they fit `DTSTART` and `DTEND`.
    static let start = "X-SATCHEL-START"
    static let end = "X-SATCHEL-END"
    /// A JSON object: unknown members, and texts with characters that no calendar can hold.
    static let extra = "X-SATCHEL-EXTRA"
    /// A button as a JSON object, before the first event.
    static let buttonObject = "X-SATCHEL-BUTTON"
    /// What the export says about itself.
    static let exportedAt = "X-SATCHEL-EXPORTED-AT"
    static let timeZone = "X-WR-TIMEZONE"
    static let exportExtra = "X-SATCHEL-EXPORT-EXTRA"

    /// Whether a text can stand in a calendar.
    static func fits(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A }
    }

    /// A text without the characters that cannot.
    static func stripped(_ text: String) -> String {
        if fits(text) { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { fits(String($0)) }))
    }
}
