public import CivilTime
import Crypto
import FormatKit
import GymPulse
import StrictJSON

/// Writes a timeline as iCalendar (RFC 5545): an event for each phase or block, all times in UTC.
public enum TimelineCalendar {
    /// Returns the calendar's bytes: the same timeline, start and stamp give the same ones.
    ///
    /// Lines end with CRLF and are folded at 75 octets. The `UID` of an event follows from the identifier of the preset or
    /// session, the start and the event's number, so that importing a calendar again replaces what it gave before.
    ///
    /// - Parameters:
    ///   - timeline: What is done; a calendar needs at least one event, so it should not be empty.
    ///   - start: When the first phase or block begins; fractions of a second are left out.
    ///   - stamp: Now, for `DTSTAMP`.
    ///   - generator: The program and its version, such as `bzpack 1.0`.
    public static func encode(
        _ timeline: Timeline,
        start: Timestamp,
        stamp: Timestamp,
        generator: String
    ) -> [UInt8] {
        var lines = CalendarLines()
        let family = uidFamily(timeline, start)
        let stamp = CalendarLines.utc(stamp)
        lines.add("BEGIN", "VCALENDAR")
        lines.add("VERSION", "2.0")
        lines.add("PRODID", text: "-//Satchel//\(generator)//EN")
        lines.add("CALSCALE", "GREGORIAN")
        lines.add("METHOD", "PUBLISH")
        for (index, entry) in timeline.entries.enumerated() {
            lines.add("BEGIN", "VEVENT")
            lines.add("UID", "\(family)-\(index + 1)@satchel")
            lines.add("DTSTAMP", stamp)
            lines.add("DTSTART", CalendarLines.utc(start.adding(seconds: entry.start)))
            lines.add("DTEND", CalendarLines.utc(start.adding(seconds: entry.end)))
            lines.add("SUMMARY", text: timeline.title(of: entry))
            lines.add("DESCRIPTION", text: timeline.name)
            lines.add("END", "VEVENT")
        }
        lines.add("END", "VCALENDAR")
        return lines.bytes
    }

    /// Returns the common part of the `UID`s of a timeline's events: 32 hexadecimal digits.
    private static func uidFamily(_ timeline: Timeline, _ start: Timestamp) -> String {
        let value: JSONValue = [
            .string(timeline.isPreset ? "preset" : "session"), .string(timeline.id), .string(CalendarLines.utc(start)),
        ]
        return Hex.text(SHA256.hash(data: value.encoded(.canonical)).prefix(16))
    }
}

extension Timeline {
    /// Returns the label of an entry, with set and round where a preset has several: `Work (set 1 of 2, round 3 of 4)`.
    public func title(of entry: Entry) -> String {
        place(of: entry).map { "\(entry.label) (\($0))" } ?? entry.label
    }

    /// Returns the set and the round of a preset, where it has several: `set 1 of 2, round 3 of 4`; nil for none of
    /// them.
    package func place(of entry: Entry) -> String? {
        guard let set = entry.set, let round = entry.round, let sets, let rounds else { return nil }
        let parts = [sets > 1 ? "set \(set) of \(sets)" : nil, rounds > 1 ? "round \(round) of \(rounds)" : nil]
        let place = parts.compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? nil : place
    }
}
