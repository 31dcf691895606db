public import CivilTime
import FormatKit
public import StrictJSON

/// A record of another program on its way to an activity.
public struct TimeEntry: Sendable, Hashable {
    /// The name of the activity.
    public var name: String
    /// The time at which it began.
    public var start: ZonedTimestamp
    /// The time at which it ended; nil for one that is running.
    public var end: ZonedTimestamp?
    /// The other program's own identifier, which becomes the activity's; nil where it has none, and one is made of the
    /// content.
    public var identity: String?
    /// The identifier that the activity may have where the store has none with ``identity``.
    package var formerIdentity: String?
    /// The source's words on an entry without times of the day; nil for an entry with times.
    public var untimed: Untimed?
    /// Its colour as `#RRGGBB`, if it has one.
    public var color: String?
    /// Holds the activity's preserved members: client, tags, amount and whatever else the source says.
    public var preserved: JSONObject
    /// The places of the source: one that the entry leaves empty removes what the store has there.
    package var places = SourcePlaces()
    /// Tells that the source joins overlapping entries of one name.
    ///
    /// A stored activity of this name that overlaps the entry is then an earlier state of it.
    public var isJoined = false
    /// The place in the source.
    public var place: EntryPlace

    /// Makes a record.
    public init(
        name: String,
        start: ZonedTimestamp,
        end: ZonedTimestamp? = nil,
        identity: String? = nil,
        untimed: Untimed? = nil,
        color: String? = nil,
        preserved: JSONObject = JSONObject(),
        place: EntryPlace
    ) {
        self.name = name
        self.start = start
        self.end = end
        self.identity = identity
        self.untimed = untimed
        self.color = color
        self.preserved = preserved
        self.place = place
    }
}

extension TimeEntry {
    /// Takes times and description of the stored activity where the source cannot write them and nobody changed them.
    package mutating func keepWriting(of activity: TrackerActivity) {
        guard places.isInSeconds else { return }
        let name = ActivityDetail.description.rawValue
        if let exact = activity.unknownMembers[name]?.string {
            let shown = CalendarLines.shown(exact)
            if (shown.isBlank ? "" : shown) == preserved[name]?.string ?? "" { preserved[name] = .string(exact) }
        }
        if activity.isRunning, let end, end.moment <= start.moment { self.end = nil }
        if activity.start.moment.seconds == start.moment.seconds { start = activity.start }
        if let own = activity.end, own.moment.seconds == end?.moment.seconds { end = own }
    }

    /// The words of a source without times of the day on an entry.
    ///
    /// The id follows from them, whatever times the entry gets.
    public struct Untimed: Sendable, Hashable {
        /// The kind of the source, for example `harvest`.
        public var source: String
        /// The day, as its first moment in UTC: the zone of an import says nothing about the entry.
        public var day: Timestamp
        /// The first moment of the day in the zone of the import, with which ids began before.
        package var zonedDay: Timestamp?
        /// The day, the name, the length and the details.
        public var words: [String]

        /// Makes the words of a source on an entry.
        public init(source: String, day: Timestamp, words: [String]) {
            (self.source, self.day, self.words) = (source, day, words)
        }
    }
}

/// The place of a record in a source, for messages.
public struct EntryPlace: Sendable, Hashable, CustomStringConvertible {
    /// The number of the record, from 1: a row of a table without its header, an element of its kind.
    public var record: Int?
    /// The word for the record: `row`, `VEVENT`, `Workout`.
    public var kind: String
    /// The line where it begins, from 1, where that is known.
    public var line: Int?

    /// Makes a place.
    public init(record: Int? = nil, kind: String, line: Int? = nil) {
        self.record = record
        self.kind = kind
        self.line = line
    }

    /// `row 12 (line 14)`.
    public var description: String {
        let what = record.map { "\(kind) \($0)" } ?? kind
        return line.map { "\(what) (line \($0))" } ?? what
    }
}
