public import CivilTime
internal import FormatKit
public import StrictJSON
public import TimeTracker

/// Time logs as iCalendar (RFC 5545): activities of the tracker with all that they have, and events of any other calendar.
public enum TrackerCalendar {
    /// The options for what a calendar does not say itself.
    public struct ReadOptions: Sendable {
        /// The zone of floating times and of whole days; nil takes what the calendar names in `X-WR-TIMEZONE`.
        public var clock: LocalClock?

        /// Makes the options.
        public init(clock: LocalClock? = nil) { self.clock = clock }
    }

    /// Hands on the events of a calendar; one that cannot be used is a finding, and the others are read.
    ///
    /// Activities that ``write(_:stamp:generator:to:)`` wrote come as they were, with the export's heading and buttons before
    /// them, other events as entries. The source is read twice where a calendar describes a zone behind the events that
    /// need it, which then come last.
    ///
    /// - Throws: `calendar.…` and `text.…` for what is no calendar, `entries.time-zone`; what the sink throws.
    public static func read(
        _ source: JSONByteSource,
        options: ReadOptions = ReadOptions(),
        sink: (TrackerItem) throws -> Void
    ) throws -> EntrySummary {
        let (source, encoding) = try Windows1252.decoding(source)
        var reading = CalendarReading(options: options, encoding)
        try reading.read(source, sink: sink)
        if reading.hasDeferred {
            try source.rewind()
            try reading.readDeferred(source, sink: sink)
        }
        return reading.finished()
    }

    /// Writes a calendar with an event for each activity; the same content, stamp and generator give the same bytes.
    ///
    /// - Parameters:
    ///   - content: What is written.
    ///   - stamp: Now, for `DTSTAMP`.
    ///   - generator: The program and its version, such as `tracker-export 1.0`.
    ///   - sink: Takes the next bytes.
    /// - Returns: What calendar programs will not show; this library reads all of it back.
    package static func write(
        _ content: some TrackerSource,
        stamp: Timestamp,
        generator: String,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> [InterchangeLoss] {
        var writer = CalendarWriter(stamp: stamp)
        try writer.begin(content, generator: generator)
        try content.forEachActivity { activity in
            writer.event(activity)
            if writer.lines.bytes.count >= 1 << 16 { try writer.flush(to: sink) }
        }
        writer.lines.add("END", "VCALENDAR")
        try writer.flush(to: sink)
        return writer.losses.losses
    }
}

/// Writes the parts of a calendar.
private struct CalendarWriter {
    var lines = CalendarLines()
    var losses = LossCounter()
    private let stamp: String

    init(stamp: Timestamp) { self.stamp = CalendarLines.utc(stamp) }

    mutating func flush(to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        try lines.bytes.withUnsafeBytes { try sink($0) }
        lines.removeAll()
    }

    mutating func begin(_ content: some TrackerSource, generator: String) throws {
        lines.add("BEGIN", "VCALENDAR")
        lines.add("VERSION", "2.0")
        lines.add("PRODID", text: "\(CalendarProperty.producer)\(generator)//EN")
        lines.add("CALSCALE", "GREGORIAN")
        if let timeZone = try content.timeZone { lines.add(CalendarProperty.timeZone, text: timeZone) }
        if let exportedAt = try content.exportedAt { lines.add(CalendarProperty.exportedAt, text: exportedAt) }
        let unknown = try content.unknownMembers
        if !unknown.isEmpty { lines.add(CalendarProperty.exportExtra, json: unknown) }
        let buttons = try content.buttons
        for button in buttons { lines.add(CalendarProperty.buttonObject, json: button.json.object ?? JSONObject()) }
        losses.add("buttons, which calendar programs do not show", count: buttons.count)
    }

    mutating func event(_ activity: TrackerActivity) {
        let members = ActivityMembers(activity, details: [.description], fits: CalendarProperty.fits)
        lines.add("BEGIN", "VEVENT")
        lines.add("UID", text: CalendarProperty.stripped(activity.id) + CalendarProperty.suffix)
        lines.add("DTSTAMP", stamp)
        lines.add("DTSTART", CalendarLines.utc(activity.start.moment))
        if let end = activity.end, end.moment.seconds > activity.start.moment.seconds {
            lines.add("DTEND", CalendarLines.utc(end.moment))
        }
        lines.add("SUMMARY", text: CalendarProperty.stripped(activity.name))
        let description = members.details[.description] ?? Self.description(members.extra)
        if let description { lines.add("DESCRIPTION", text: description) }
        if let button = activity.buttonID {
            lines.add(CalendarProperty.button, text: CalendarProperty.stripped(button))
        }
        if let color = members.color { lines.add(CalendarProperty.color, text: color) }
        addTimes(activity)
        if !members.extra.isEmpty { lines.add(CalendarProperty.extra, json: members.extra) }
        lines.add("END", "VEVENT")
        note(activity, members, isDescribed: description != nil)
    }

    /// Returns the description of an activity that no calendar can hold as it is, as calendars show it.
    private static func description(_ extra: JSONObject) -> String? {
        guard let text = extra[ActivityDetail.description.rawValue]?.string.map(CalendarLines.shown),
            !text.isBlank
        else { return nil }
        return text
    }

    /// Adds the times where `DTSTART` and `DTEND` do not say them exactly.
    private mutating func addTimes(_ activity: TrackerActivity) {
        func isExact(_ time: ZonedTimestamp) -> Bool { time.offsetMinutes == nil && time.moment.nanoseconds == 0 }
        if !isExact(activity.start) { lines.add(CalendarProperty.start, activity.start.description) }
        guard let end = activity.end else {
            lines.add(CalendarProperty.running, "TRUE")
            return
        }
        if !isExact(end) || end.moment < activity.start.moment {
            lines.add(CalendarProperty.end, end.description)
        }
    }

    /// Counts what a calendar program will not show.
    private mutating func note(_ activity: TrackerActivity, _ members: ActivityMembers, isDescribed: Bool) {
        if activity.color != nil { losses.add("colours of activities") }
        if activity.isRunning { losses.add("the state of running activities") }
        if let end = activity.end, end.moment < activity.start.moment { losses.add("ends before their start") }
        let hasFraction = activity.start.moment.nanoseconds != 0 || activity.end?.moment.nanoseconds ?? 0 != 0
        if hasFraction { losses.add("fractions of seconds") }
        if activity.unknownMembers.count > (isDescribed ? 1 : 0) { losses.add("unknown members of activities") }
        let text = members.extra[ActivityDetail.description.rawValue]?.string ?? ""
        if members.name == nil || members.id == nil || CalendarProperty.hasControlCharacters(text) {
            losses.add("control characters in texts")
        }
    }
}

extension CalendarLines {
    /// Adds a line whose value is a JSON object.
    fileprivate mutating func add(_ name: String, json object: JSONObject) {
        // JSON escapes all control characters but this one.
        add(name, text: JSONValue.object(object).text(.compact).replacing("\u{7F}", with: "\\u007f"))
    }
}
