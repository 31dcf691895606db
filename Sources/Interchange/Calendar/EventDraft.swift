internal import AppFormats
internal import StrictJSON

/// A `VEVENT` while it is read.
struct EventDraft {
    /// The number of the event, from 1.
    let number: Int
    let position: TextPosition
    private(set) var isCancelled = false
    private var start: CalendarMoment?
    private var end: CalendarMoment?
    private var duration: CalendarDuration?
    private var recurrenceID: String?
    private var isRunning = false
    private var exactStart: ZonedTimestamp?
    private var exactEnd: ZonedTimestamp?
    private var members = ActivityMembers()
    private var recurrence: (name: String, position: TextPosition)?
    /// The first thing that is wrong with it.
    private var fault: InterchangeError?
    /// What it says beside name and times: preserved members of the activity.
    private var described = JSONObject()
    /// What it has and an activity has no place for, in the plural.
    private(set) var details: Set<String> = []
    /// The names of properties that mean something to one program only.
    private(set) var foreign: Set<String> = []
    /// The properties whose parameters are damaged and were read all the same.
    private(set) var odd: [(name: String, position: TextPosition)] = []

    init(number: Int, at position: TextPosition) {
        self.number = number
        self.position = position
    }

    /// Takes a property.
    mutating func take(_ line: ContentLine) {
        do throws(InterchangeError) {
            try read(line)
        } catch {
            fault = fault ?? error
        }
    }

    /// Takes note of a component inside of the event, such as an alarm.
    mutating func take(component name: String) {
        details.insert(name == "VALARM" ? "alarms" : "components \(name.prefix(40))")
    }

    private mutating func read(_ line: ContentLine) throws(InterchangeError) {
        if line.hasOddParameter { odd.append((line.name, line.position)) }
        switch line.name {
        case "UID": try once(\.id, line)
        case "SUMMARY": try once(\.name, line)
        case "DTSTART": start = try moment(line, start)
        case "DTEND": end = try moment(line, end)
        case "DURATION":
            guard let length = CalendarDuration(try line.plain().trimmed) else {
                throw invalid(line, "expected a length such as PT1H30M, not negative")
            }
            duration = length
        case "STATUS": isCancelled = line.word == "CANCELLED"
        case "RRULE", "RDATE", "EXRULE": recurrence = recurrence ?? (line.name, line.position)
        case "RECURRENCE-ID": recurrenceID = try line.plain().trimmed
        case "DESCRIPTION", "LOCATION", "URL", "COMMENT": try describe(line)
        case "CATEGORIES":
            let tags = try line.texts().map(\.trimmed).filter { !$0.isEmpty }
            guard !tags.isEmpty else { return }
            described["tags"] = .array((described["tags"]?.array ?? []) + tags.map(JSONValue.string))
        case CalendarProperty.button: try once(\.buttonID, line)
        case CalendarProperty.color: try once(\.color, line)
        case CalendarProperty.running: isRunning = line.word == "TRUE"
        case CalendarProperty.start: exactStart = ZonedTimestamp(try line.plain())
        case CalendarProperty.end: exactEnd = ZonedTimestamp(try line.plain())
        case CalendarProperty.extra:
            guard let object = jsonObject(try line.text()) else { throw invalid(line, "expected a JSON object") }
            members.extra = object
        case _ where Self.bookkeeping.contains(line.name) || line.value.isEmpty: break
        case _ where line.name.hasPrefix("X-"): foreign.insert(String(line.name.prefix(40)))
        default: details.insert(Self.plural[line.name] ?? "properties \(line.name.prefix(40))")
        }
    }

    private static let plural = [
        "ATTENDEE": "attendees", "ATTACH": "attachments", "ORGANIZER": "organizers", "CONTACT": "contacts",
    ]

    /// The properties that are about the record and not about what was done.
    private static let bookkeeping: Set<String> = [
        "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "TRANSP", "CLASS", "PRIORITY", "EXDATE",
    ]

    /// Keeps a text; one that comes several times is one of several lines.
    private mutating func describe(_ line: ContentLine) throws(InterchangeError) {
        let (name, text) = (line.name.lowercased(), try line.text())
        guard !text.trimmed.isEmpty else { return }
        described[name] = .string(described[name]?.string.map { "\($0)\n\(text)" } ?? text)
    }

    /// The preserved members: those that we wrote ourselves, and what other programs say.
    private var preserved: JSONObject {
        var preserved = described
        for member in members.extra { preserved[member.name] = member.value }
        return preserved
    }

    private mutating func once(
        _ path: WritableKeyPath<ActivityMembers, String?>,
        _ line: ContentLine
    ) throws(InterchangeError) {
        guard members[keyPath: path] == nil else { throw invalid(line, "the event has it twice") }
        members[keyPath: path] = try line.text()
    }

    private func moment(_ line: ContentLine, _ other: CalendarMoment?) throws(InterchangeError) -> CalendarMoment {
        guard other == nil else { throw invalid(line, "the event has it twice") }
        guard let moment = CalendarMoment(try line.plain().trimmed, zone: line.parameter("TZID")) else {
            throw invalid(line, "expected a time such as 20260301T063000Z, or a day such as 20260301")
        }
        return moment
    }

    private func invalid(_ line: ContentLine, _ expectation: String) -> InterchangeError {
        let value = String(decoding: line.value.prefix(80), as: UTF8.self)
        let message = "event \(number): \(line.name) is \(quoted(value)); \(expectation)"
        return InterchangeError(.calendarValue, message, at: line.position)
    }
}

extension EventDraft {
    /// What an event needs of its calendar, and what is decided on the way.
    struct Surroundings {
        var zones = CalendarZones()
        /// The zone of floating times.
        var clock: LocalClock?
        var folds: [String] = []
        var gaps: [String] = []
        var isWholeDay = false
        /// Whether a zone was missing that the calendar may describe further down.
        var lacksZone = false
    }

    /// The activity or entry that the event is.
    func item(_ around: inout Surroundings) throws(InterchangeError) -> TrackerItem {
        if let fault { throw fault }
        if let recurrence {
            let message =
                "event \(number), \(quoted(members.name ?? "")), comes back (\(recurrence.name)), which is not supported; "
                + "export its single events"
            throw InterchangeError(.recurrence, message, at: recurrence.position)
        }
        guard let start else {
            throw InterchangeError(.calendarValue, "event \(number) has no DTSTART", at: position)
        }
        let times = try times(start, &around)
        let place = EntryPlace(record: number, kind: "VEVENT", line: position.line)
        if let own = try activity(times, place) { return own }
        let name = members.name?.trimmed ?? ""
        let identity = members.id.map { id in recurrenceID.map { "\(id)/\($0)" } ?? id }
        let color = members.color.flatMap { isColor($0) ? $0 : nil }
        return .entry(
            TimeEntry(
                name: name.isEmpty ? EntryRows.unnamed : name,
                start: times.start,
                end: isRunning ? nil : times.end,
                identity: identity,
                color: color,
                preserved: preserved,
                place: place
            )
        )
    }

    /// The activity where the event is one of ours, which its identifier tells.
    private func activity(_ times: Times, _ place: EntryPlace) throws(InterchangeError) -> TrackerItem? {
        guard let id = members.id, id.hasSuffix(CalendarProperty.suffix), recurrenceID == nil else { return nil }
        var own = members
        own.id = String(id.dropLast(CalendarProperty.suffix.count))
        own.extra = preserved
        // A text that the calendar could not hold stands in the JSON as well, and counts unless somebody changed it here.
        for (name, path) in [("id", \ActivityMembers.id), ("name", \.name), ("buttonId", \.buttonID)] {
            guard let text = own.extra[name]?.string else { continue }
            if CalendarProperty.stripped(text) == own[keyPath: path] ?? "" {
                own[keyPath: path] = nil
            } else {
                own.extra.removeValue(forName: name)
            }
        }
        own.start = times.start.description
        own.end = isRunning ? nil : times.end.description
        do throws(ActivityMembers.Fault) {
            return try own.item(place)
        } catch {
            throw InterchangeError(.calendarValue, "event \(number): \(error.message)", at: position)
        }
    }

    private typealias Times = (start: ZonedTimestamp, end: ZonedTimestamp)
    /// The moments that a time can mean, and the clock that shows it.
    private typealias Resolved = (time: ResolvedTime, clock: LocalClock?)

    private func times(_ start: CalendarMoment, _ around: inout Surroundings) throws(InterchangeError) -> Times {
        if case .day = start { around.isWholeDay = true }
        let begin = try resolve(start, "DTSTART", &around)
        let finish =
            if let end {
                try resolve(end, "DTEND", &around)
            } else {
                try implied(start, begin, &around)
            }
        let pair = ResolvedTime.pair(begin.time, finish.time, length: nil)
        for (time, moment, clock) in [(begin.time, pair.start, begin.clock), (finish.time, pair.end, finish.clock)] {
            let taken = clock?.zoned(moment).description ?? moment.description
            if time.kind == .fold { around.folds.append(taken) }
            if time.kind == .gap { around.gaps.append(taken) }
        }
        let first = exact(exactStart, pair.start) ?? zoned(pair.start, begin.clock)
        var last = exact(exactEnd, pair.end) ?? zoned(pair.end, finish.clock)
        // An end before the start has no place in a calendar; it counts while nobody has touched the event.
        if end == nil, duration == nil, let exactEnd, exactStart == nil || first == exactStart { last = exactEnd }
        guard last.moment >= first.moment || last == exactEnd || isRunning else {
            throw InterchangeError(.endBeforeStart, "event \(number) ends before it begins", at: position)
        }
        return (first, last)
    }

    /// The end of an event that has no `DTEND`: after its length, or after the whole day, or at once.
    private func implied(
        _ start: CalendarMoment,
        _ begin: Resolved,
        _ around: inout Surroundings
    ) throws(InterchangeError) -> Resolved {
        let days = duration?.days ?? (start.isDay ? 1 : 0)
        // The clock shows the same time some days later, and the hours after that are hours.
        let base = days == 0 ? begin : try resolve(start.adding(days: days), "DURATION", &around)
        return (base.time.adding(seconds: duration?.seconds ?? 0, keepsKind: days != 0), base.clock)
    }

    private func exact(_ written: ZonedTimestamp?, _ moment: Timestamp) -> ZonedTimestamp? {
        written?.moment.seconds == moment.seconds ? written : nil
    }

    private func zoned(_ moment: Timestamp, _ clock: LocalClock?) -> ZonedTimestamp {
        clock?.zoned(moment) ?? ZonedTimestamp(moment)
    }

    private func resolve(
        _ moment: CalendarMoment,
        _ name: String,
        _ around: inout Surroundings
    ) throws(InterchangeError) -> Resolved {
        switch moment {
        case .utc(let moment): return (ResolvedTime(exact: moment), nil)
        case .zoned(let time, let zone):
            do throws(CalendarZone.Fault) {
                let clock = try around.zones.clock(zone)
                return (ResolvedTime(time, in: clock), clock)
            } catch {
                around.lacksZone = true
                let message =
                    "event \(number): the time zone \(quoted(zone)) of \(name) is not known: \(error.reason); "
                    + "export the calendar with its time zones, or write a name such as Europe/Berlin there"
                throw InterchangeError(.calendarZone, message, at: position)
            }
        case .floating(let time):
            let clock = try wall(around.clock, name)
            return (ResolvedTime(time, in: clock), clock)
        case .day(let day):
            let clock = try wall(around.clock, name)
            return (ResolvedTime(exact: clock.startOfDay(day)), clock)
        }
    }

    private func wall(_ clock: LocalClock?, _ name: String) throws(InterchangeError) -> LocalClock {
        if let clock { return clock }
        let message =
            "event \(number): \(name) has no time zone, and the calendar names none; name the one it is in with --time-zone"
        throw InterchangeError(.timeZone, message, at: position)
    }
}

extension CalendarMoment {
    var isDay: Bool { if case .day = self { true } else { false } }

    /// The same time so many days later.
    func adding(days: Int) -> CalendarMoment {
        switch self {
        case .utc(let moment): .utc(moment.adding(seconds: days * 86_400))
        case .zoned(let time, let zone):
            .zoned(LocalTime(day: time.day.adding(days: days), seconds: time.seconds), zone: zone)
        case .floating(let time): .floating(LocalTime(day: time.day.adding(days: days), seconds: time.seconds))
        case .day(let day): .day(day.adding(days: days))
        }
    }
}
