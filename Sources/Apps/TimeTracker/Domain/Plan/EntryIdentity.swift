import FormatKit
import CivilTime
import Crypto
import StrictJSON

/// Makes identifiers of what has none, the same ones of the same content.
enum EntryIdentity {
    /// Returns the id of a record of another program that has none: a UUID of version 8 (RFC 9562).
    ///
    /// Its first 48 bits are the milliseconds of the start, so that ids of a log in order are in order; the others are the
    /// first of SHA-256 over the canonical JSON of `["entry", source, name, start, end or null, ordinal]`, times in UTC. Of an
    /// entry without times of the day it is `["entry", source, [what the source says, ordinal]]`, and its day begins at 00:00
    /// UTC. Where the source names a person, that is one more element.
    ///
    /// - Parameters:
    ///   - source: The kind of the source, for example `toggl`.
    ///   - ordinal: How many records of the same content came before it.
    static func id(of entry: TimeEntry, source: String, ordinal: Int) -> String {
        let person = TrackerActivity.person(in: entry.preserved).map { [JSONValue.string($0)] } ?? []
        return id(of: content(of: entry, source, ordinal) + person, at: entry.untimed?.day ?? entry.start.moment)
    }

    /// Returns the other ids that an entry may have.
    ///
    /// Those that earlier versions gave did not depend on the person, and those of entries without times of the day depended
    /// on the time zone. A report with other columns may name the same person otherwise.
    static func formerIDs(of entry: TimeEntry, source: String, ordinal: Int) -> [String] {
        let moment = entry.untimed?.day ?? entry.start.moment
        let persons = TrackerActivity.persons(in: entry.preserved)
        var moments = persons.isEmpty ? [] : [moment]
        if let day = entry.untimed?.zonedDay, day != moment { moments.append(day) }
        guard !moments.isEmpty else { return [] }
        let content = content(of: entry, source, ordinal)
        return moments.map { id(of: content, at: $0) }
            + persons.dropFirst().map { id(of: content + [.string($0)], at: moment) }
    }

    private static func content(of entry: TimeEntry, _ source: String, _ ordinal: Int) -> [JSONValue] {
        if let untimed = entry.untimed {
            let words = untimed.words + ["\(ordinal)"]
            return ["entry", .string(untimed.source), .array(words.map { .string($0) })]
        }
        return [
            "entry", .string(source), .string(entry.name), .string(ZonedTimestamp(entry.start.moment).description),
            entry.end.map { .string(ZonedTimestamp($0.moment).description) } ?? .null,
            .number(ordinal),
        ]
    }

    private static func id(of content: [JSONValue], at moment: Timestamp) -> String {
        let time = UInt64(truncatingIfNeeded: moment.milliseconds)
        let head = (0..<6).map { UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * $0)) }
        return uuid(head + SHA256.hash(data: JSONValue.array(content).encoded(.canonical)).prefix(10))
    }

    /// Returns the id of an activity whose id another one of its source has.
    ///
    /// It is that of a record whose source is `repeated` and the id.
    static func id(ofRepeated activity: TrackerActivity) -> String {
        let entry = TimeEntry(
            name: activity.name,
            start: activity.start,
            end: activity.end,
            place: EntryPlace(kind: "")
        )
        return id(of: entry, source: "repeated \(activity.id)", ordinal: 0)
    }

    /// Returns the id of a button that is made for a name: a UUID over `["button", name]`, with the name case-folded.
    static func button(named name: String) -> String {
        let content: JSONValue = ["button", .string(CategoryKey(name).folded)]
        return uuid(Array(SHA256.hash(data: content.encoded(.canonical)).prefix(16)))
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
