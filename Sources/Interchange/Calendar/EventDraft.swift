internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import StrictJSON
internal import TimeTracker

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
    /// The event of a series that this one replaces.
    private(set) var replaced: Replaced?
    private var isRunning = false
    /// True if it has a property of ours.
    private var hasOwn = false
    private var exactStart: ZonedTimestamp?
    private var exactEnd: ZonedTimestamp?
    private var members = ActivityMembers()
    private var rule: RecurrenceRule?
    /// Further times, `RDATE`, with their ends where they say them.
    private var added: [Period] = []
    /// The times at which it does not take place, `EXDATE`.
    private var excluded: [CalendarMoment] = []
    /// The first thing that is wrong with it.
    private var fault: InterchangeError?
    /// Why its series is not read, where that is the first thing that is wrong.
    private var refusal: (name: String, reason: String, position: TextPosition)?
    /// The preserved members of the activity: all that the event says beside name and times.
    private var described = JSONObject()
    /// The details for which an activity has no place, in the plural.
    private(set) var details: Set<String> = []
    /// The names of properties that mean something to one program only.
    private(set) var foreign: Set<String> = []
    /// The properties whose parameters are damaged and were read all the same.
    private(set) var odd: [(name: String, what: String, position: TextPosition)] = []

    init(number: Int, at position: TextPosition) {
        self.number = number
        self.position = position
    }

    /// An event of a series that another one replaces.
    struct Replaced {
        let moment: CalendarMoment
        /// True if all later events are replaced as well, `RANGE=THISANDFUTURE`.
        let isRange: Bool
    }

    private struct Period {
        let start: CalendarMoment
        var end: CalendarMoment?
        var duration: CalendarDuration?
    }

    /// True if the event takes place several times.
    var isSeries: Bool { rule != nil || !added.isEmpty }
    /// The identity that all events of its series share.
    var identity: String? { members.id }
    /// The start of the series; nil for a single event, and for later events that replace others.
    var seriesStart: CalendarMoment? { isSeries && replaced == nil ? start : nil }

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
        if line.hasOddParameter { odd.append((line.name, "an empty parameter, or one without a name", line.position)) }
        if line.isZoneUnquoted { odd.append((line.name, "a time zone with a colon and no quotes", line.position)) }
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
        case "RRULE":
            guard rule == nil else { throw refused(line, "by two rules") }
            let text = try line.plain().trimmed
            do throws(RecurrenceRule.Fault) {
                rule = try RecurrenceRule(text, zone: line.parameter("TZID"))
            } catch {
                throw refused(line, error.reason)
            }
        case "EXRULE": throw refused(line, "except where a second rule calls it off")
        case "RDATE": added += try list(line).map { text throws(InterchangeError) in try period(text, line) }
        case "EXDATE": excluded += try list(line).map { text throws(InterchangeError) in try moment(text, line) }
        case "RECURRENCE-ID":
            let text = try line.plain().trimmed
            recurrenceID = text
            let isRange = line.parameter("RANGE")?.uppercased() == "THISANDFUTURE"
            replaced = Replaced(moment: try moment(text, line), isRange: isRange)
        case "DESCRIPTION", "LOCATION", "URL", "COMMENT": try describe(line)
        case "CATEGORIES":
            let tags = try line.texts().map(\.trimmed).filter { !$0.isEmpty }
            guard !tags.isEmpty else { return }
            described["tags"] = .array((described["tags"]?.array ?? []) + tags.map(JSONValue.string))
        case _ where line.name.hasPrefix(CalendarProperty.prefix): try takeOwn(line)
        case _ where Self.bookkeeping.contains(line.name) || line.value.isEmpty: break
        case _ where line.name.hasPrefix("X-"): foreign.insert(String(line.name.prefix(40)))
        default: details.insert(Self.plural[line.name] ?? "properties \(line.name.prefix(40))")
        }
    }

    /// Takes a property of ours.
    private mutating func takeOwn(_ line: ContentLine) throws(InterchangeError) {
        hasOwn = true
        switch line.name {
        case CalendarProperty.button: try once(\.buttonID, line)
        case CalendarProperty.color: try once(\.color, line)
        case CalendarProperty.running: isRunning = line.word == "TRUE"
        case CalendarProperty.start: exactStart = ZonedTimestamp(try line.plain())
        case CalendarProperty.end: exactEnd = ZonedTimestamp(try line.plain())
        case CalendarProperty.extra:
            guard let object = jsonObject(try line.text()) else { throw invalid(line, "expected a JSON object") }
            members.extra = object
        case _ where line.value.isEmpty: break
        default: foreign.insert(String(line.name.prefix(40)))
        }
    }

    private static let plural = [
        "ATTENDEE": "attendees", "ATTACH": "attachments", "ORGANIZER": "organizers", "CONTACT": "contacts",
    ]

    /// The properties that are about the record and not about what was done.
    private static let bookkeeping: Set<String> = [
        "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "TRANSP", "CLASS", "PRIORITY",
    ]

    /// The members that an event may have: one that it does not have is gone.
    private static let places = SourcePlaces(members: ["description", "location", "url", "comment", "tags"])

    /// The members that the event of an exported activity has where another program wrote it without our properties.
    private static let strippedPlaces = {
        var places = SourcePlaces(members: ["description"])
        places.isInSeconds = true
        return places
    }()

    /// Keeps a text; one that comes several times is one of several lines.
    private mutating func describe(_ line: ContentLine) throws(InterchangeError) {
        let (name, text) = (line.name.lowercased(), try line.text())
        guard !text.trimmed.isEmpty else { return }
        described[name] = .string(described[name]?.string.map { "\($0)\n\(text)" } ?? text)
    }

    /// The preserved members: those that we wrote ourselves, and what other programs say.
    private var preserved: JSONObject {
        var preserved = described
        for member in members.extra where !isEdited(member) {
            // The order of the members is that of the export.
            if member.name == ActivityDetail.description.rawValue { preserved.removeValue(forName: member.name) }
            preserved[member.name] = member.value
        }
        return preserved
    }

    /// Tells whether somebody changed the description since this program wrote it beside its exact text.
    private func isEdited(_ member: JSONObject.Member) -> Bool {
        guard member.name == ActivityDetail.description.rawValue, let exact = member.value.string,
            let given = described[member.name]?.string
        else { return false }
        return given != CalendarLines.shown(exact)
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
        return try moment(try line.plain().trimmed, line)
    }

    private func moment(_ text: some StringProtocol, _ line: ContentLine) throws(InterchangeError) -> CalendarMoment {
        guard let moment = CalendarMoment(text, zone: line.parameter("TZID")) else {
            throw invalid(line, "expected a time such as 20260301T063000Z, or a day such as 20260301")
        }
        return moment
    }

    /// Returns the values of a list of times.
    private mutating func list(_ line: ContentLine) throws(InterchangeError) -> [String] {
        let texts = try line.plain().split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard texts.count + added.count + excluded.count <= RecurrenceRule.most else {
            throw refused(line, "more than \(RecurrenceRule.most) times")
        }
        return texts
    }

    private func period(_ text: String, _ line: ContentLine) throws(InterchangeError) -> Period {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        var period = Period(start: try moment(parts.first ?? "", line))
        guard parts.count > 1 else { return period }
        period.duration = CalendarDuration(parts[1])
        if period.duration == nil { period.end = try moment(parts[1], line) }
        return period
    }

    private mutating func refused(_ line: ContentLine, _ reason: String) -> InterchangeError {
        if fault == nil { refusal = (line.name, reason, line.position) }
        return recurrence(line.name, reason, at: line.position)
    }

    private func recurrence(_ name: String, _ reason: String, at position: TextPosition) -> InterchangeError {
        let message =
            "\(words)\(members.name?.isBlank == false ? "," : "") comes back (\(name)) \(reason); none of it is read: "
            + "export its single events"
        return InterchangeError(.recurrence, message, at: position)
    }

    /// The event in words: `event 3, "Stand-up"`.
    private var words: String {
        guard let name = members.name, !name.isBlank else { return "event \(number)" }
        return "event \(number), \(quoted(name))"
    }

    private func invalid(_ line: ContentLine, _ expectation: String) -> InterchangeError {
        let value = String(decoding: line.value.prefix(80), as: UTF8.self)
        let message = "event \(number): \(line.name) is \(quoted(value)); \(expectation)"
        return InterchangeError(.calendarValue, message, at: line.position)
    }
}

extension EventDraft {
    /// The calendar's part in reading an event, and the decisions on the way.
    struct Surroundings {
        var zones = CalendarZones()
        /// The zone of floating times.
        var clock: LocalClock?
        /// True if the calendar names that zone and may describe it further down.
        var awaitsZone = false
        var folds: [String] = []
        var gaps: [String] = []
        var isWholeDay = false
        /// True if a length and an end contradict each other.
        var isLengthWrong = false
        /// The events of series that others replace, by the identity of the series.
        var replaced: [String: [Replaced]] = [:]
        /// The starts of the series by their identities.
        var series: [String: CalendarMoment] = [:]
        /// The name of the calendar.
        var calendar = ""
        /// True if this program wrote the calendar, and no other one after it.
        var isOwn = false
        /// True if a zone was missing that the calendar may describe further down.
        var lacksZone = false
    }

    /// Returns the activities or entries of the event.
    ///
    /// It is one, or those of its series that nothing replaces or calls off.
    func items(_ around: inout Surroundings) throws(InterchangeError) -> [TrackerItem] {
        // The title may stand behind the rule.
        if let refusal { throw recurrence(refusal.name, refusal.reason, at: refusal.position) }
        if let fault { throw fault }
        guard let start else {
            throw InterchangeError(.calendarValue, "event \(number) has no DTSTART", at: position)
        }
        if let replaced, replaced.isRange, !isSeries, around.series[members.id ?? ""] != nil {
            throw recurrence("RANGE", "and changes all later events of its series", at: position)
        }
        let occurrence = try occurrence(&around)
        let identity = members.id.map { id in occurrence.map { "\(id)/\($0)" } ?? id }
        guard isSeries || !excluded.isEmpty else {
            return [try item(Period(start: start, end: end, duration: duration), identity, &around)]
        }
        let periods: [Period]
        do {
            periods = try occurrences(start, &around)
        } catch let fault as RecurrenceRule.Fault {
            throw recurrence("RRULE", fault.reason, at: position)
        } catch let error as InterchangeError {
            throw error
        } catch {
            throw InterchangeError(.recurrence, "\(error)", at: position)
        }
        var items: [TrackerItem] = []
        for period in periods {
            let own = isSeries ? members.id.map { "\($0)/\(period.start)" } : identity
            items.append(try item(period, own, &around))
        }
        return items
    }

    /// Tells whether the event of a series that this one replaces may be written otherwise there than here.
    func mayBeWrittenOtherwise(_ around: Surroundings) -> Bool {
        guard let replaced else { return false }
        return around.series[members.id ?? ""].map { !$0.isAlike(replaced.moment) } ?? true
    }

    /// Returns the start of the event of a series that this one replaces, as the series writes it: in its zone.
    private func occurrence(_ around: inout Surroundings) throws(InterchangeError) -> String? {
        guard let replaced, let series = around.series[members.id ?? ""], !series.isAlike(replaced.moment),
            series.isDay == replaced.moment.isDay
        else { return recurrenceID }
        let moment = try resolve(replaced.moment, "RECURRENCE-ID", &around).time.moments[0]
        guard let clock = try resolve(series, "DTSTART", &around).clock else {
            return CalendarMoment.utc(moment).description
        }
        let (day, seconds) = clock.local(moment)
        return CalendarMoment.floating(LocalTime(day: day, seconds: seconds)).description
    }

    private func item(
        _ period: Period,
        _ identity: String?,
        _ around: inout Surroundings
    ) throws(InterchangeError) -> TrackerItem {
        let times = try times(period, &around)
        let place = EntryPlace(record: number, kind: "VEVENT", line: position.line)
        let end = end(of: period, times)
        if let own = try activity(times.start, end, place, around) { return own }
        let name = members.name?.trimmed ?? ""
        var (identity, preserved) = (identity, preserved)
        let stripped = strippedID(around)
        if let stripped {
            identity = stripped
        } else if !around.calendar.isEmpty, preserved["calendar"] == nil {
            preserved["calendar"] = .string(around.calendar)
        }
        let color = members.color.flatMap { isColor($0) ? $0 : nil }
        var entry = TimeEntry(
            name: name.isEmpty ? EntryRows.unnamed : name,
            start: times.start,
            end: end,
            identity: identity,
            color: color,
            preserved: preserved,
            place: place
        )
        entry.places = stripped == nil ? Self.places : Self.strippedPlaces
        // Without its series, and in earlier versions, the event is called as it calls itself.
        if !isSeries, let id = members.id, let recurrenceID, "\(id)/\(recurrenceID)" != identity {
            entry.formerIdentity = "\(id)/\(recurrenceID)"
        }
        return .entry(entry)
    }

    /// Returns the times of a series, in order.
    ///
    /// - Throws: `RecurrenceRule.Fault`, and `InterchangeError` of times that cannot be resolved.
    private func occurrences(_ start: CalendarMoment, _ around: inout Surroundings) throws -> [Period] {
        let (firstDay, seconds) = start.written
        var starts = [start]
        func moment(_ moment: CalendarMoment) throws(InterchangeError) -> Timestamp {
            try resolve(moment, "DTSTART", &around).time.moments[0]
        }
        try rule?.forEachDay(after: firstDay, at: seconds) { day in
            let next = start.adding(days: day.number - firstDay.number)
            if let count = rule?.count, starts.count >= count { return false }
            switch rule?.until {
            case .utc(let last)? where try moment(next) > last: return false
            case .floating(let last)? where next.written > (last.day, last.seconds): return false
            case .zoned(let last, _)? where next.written > (last.day, last.seconds): return false
            case .day(let last)? where day > last: return false
            default: break
            }
            guard starts.count < RecurrenceRule.most else {
                throw RecurrenceRule.Fault(reason: "more than \(RecurrenceRule.most) times")
            }
            starts.append(next)
            return true
        }
        var gone: Set<Timestamp> = []
        var goneDays: Set<CivilDay> = []
        for excluded in excluded {
            if excluded.isDay { goneDays.insert(excluded.written.day) } else { gone.insert(try moment(excluded)) }
        }
        var cut: Timestamp?
        for replaced in recurrenceID == nil ? around.replaced[members.id ?? ""] ?? [] : [] {
            let first = try moment(replaced.moment)
            if replaced.isRange { cut = min(cut ?? first, first) }
            gone.insert(first)
        }
        var found: [(moment: Timestamp, period: Period)] = []
        for period in starts.map({ Period(start: $0, end: shifted(to: $0), duration: duration) }) + added {
            let first = try moment(period.start)
            guard !goneDays.contains(period.start.written.day), gone.insert(first).inserted,
                first < cut ?? Timestamp(seconds: .max)
            else { continue }
            var period = period
            if period.end == nil, period.duration == nil {
                (period.end, period.duration) = (shifted(to: period.start), duration)
                if end != nil, period.end == nil {
                    let length = try moment(end ?? start).seconds - moment(start).seconds
                    period.end = .utc(first.adding(seconds: length))
                }
            }
            found.append((first, period))
        }
        return found.sorted { $0.moment < $1.moment }.map(\.period)
    }

    /// Returns the end of the series' event that begins at a time; nil where there is none, or the start is of another
    /// kind.
    private func shifted(to other: CalendarMoment) -> CalendarMoment? {
        guard let start, let end, start.isAlike(other) else { return nil }
        let (from, to) = (start.written, other.written)
        return end.adding(days: to.day.number - from.day.number, seconds: to.seconds - from.seconds)
    }

    /// Returns the end of an event; nil for one that is running, unless somebody gave it an end since.
    private func end(of period: Period, _ times: Times) -> ZonedTimestamp? {
        let hasEnd = (period.end != nil || period.duration != nil) && times.end.moment > times.start.moment
        return isRunning && !hasEnd ? nil : times.end
    }

    /// The id of the activity that this program exported as this event, as its identifier tells; else nil.
    private var ownID: String? {
        guard !isSeries, recurrenceID == nil, let id = members.id, id.hasSuffix(CalendarProperty.suffix) else {
            return nil
        }
        return String(id.dropLast(CalendarProperty.suffix.count))
    }

    /// Returns the id of an exported activity where another program wrote the event without our properties; else nil.
    ///
    /// Such an event says nothing of what only these properties hold.
    private func strippedID(_ around: Surroundings) -> String? {
        hasOwn || around.isOwn ? nil : ownID.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the activity of an event that this program exported and no other one stripped; else nil.
    private func activity(
        _ start: ZonedTimestamp,
        _ end: ZonedTimestamp?,
        _ place: EntryPlace,
        _ around: Surroundings
    ) throws(InterchangeError) -> TrackerItem? {
        guard let id = ownID, strippedID(around) == nil else { return nil }
        var own = members
        own.id = id
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
        own.start = start.description
        own.end = end?.description
        do throws(ActivityMembers.Fault) {
            return try own.item(place)
        } catch {
            throw InterchangeError(.calendarValue, "event \(number): \(error.message)", at: position)
        }
    }

    private typealias Times = (start: ZonedTimestamp, end: ZonedTimestamp)
    /// The moments that a time can mean, and the clock that shows it.
    private typealias Resolved = (time: ResolvedTime, clock: LocalClock?)

    private func times(_ period: Period, _ around: inout Surroundings) throws(InterchangeError) -> Times {
        let (start, end) = (period.start, period.end)
        if case .day = start { around.isWholeDay = true }
        let begin = try resolve(start, "DTSTART", &around)
        let implied = try implied(period, begin, &around)
        let finish = try end.map { end throws(InterchangeError) in try resolve(end, "DTEND", &around) } ?? implied
        let pair = ResolvedTime.pair(begin.time, finish.time, length: nil)
        let isAsLong = zip(begin.time.moments, implied.time.moments).contains { $0 == pair.start && $1 == pair.end }
        if end != nil, period.duration != nil, !isAsLong { around.isLengthWrong = true }
        for (time, moment, clock) in [(begin.time, pair.start, begin.clock), (finish.time, pair.end, finish.clock)] {
            let taken = clock?.zoned(moment).description ?? moment.description
            if time.kind == .fold { around.folds.append(taken) }
            if time.kind == .gap { around.gaps.append(taken) }
        }
        let (exactStart, exactEnd) = isSeries ? (nil, nil) : (exactStart, exactEnd)
        let first = exact(exactStart, pair.start) ?? zoned(pair.start, begin.clock)
        var last = exact(exactEnd, pair.end) ?? zoned(pair.end, finish.clock)
        // An end before the start has no place in a calendar; it counts while nobody has touched the event.
        if end == nil, period.duration == nil, let exactEnd, exactStart == nil || first == exactStart {
            last = exactEnd
        }
        guard last.moment >= first.moment || last == exactEnd || isRunning else {
            throw InterchangeError(.endBeforeStart, "\(words) ends before it begins", at: position)
        }
        return (first, last)
    }

    /// Returns the end of an event that has no `DTEND`: after its length, after the whole day, or at once.
    private func implied(
        _ period: Period,
        _ begin: Resolved,
        _ around: inout Surroundings
    ) throws(InterchangeError) -> Resolved {
        let (start, duration) = (period.start, period.duration)
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
            let clock = try wall(name, &around)
            return (ResolvedTime(time, in: clock), clock)
        case .day(let day):
            let clock = try wall(name, &around)
            return (ResolvedTime(exact: clock.startOfDay(day)), clock)
        }
    }

    private func wall(_ name: String, _ around: inout Surroundings) throws(InterchangeError) -> LocalClock {
        if let clock = around.clock, !around.awaitsZone { return clock }
        around.lacksZone = around.lacksZone || around.awaitsZone
        let message =
            "event \(number): \(name) has no time zone, and the calendar names none; name the one it is in with --time-zone"
        throw InterchangeError(.timeZone, message, at: position)
    }
}

extension CalendarMoment: CustomStringConvertible {
    var isDay: Bool { if case .day = self { true } else { false } }

    /// The day and the seconds since midnight as they are written.
    var written: (day: CivilDay, seconds: Int) {
        switch self {
        case .utc(let moment):
            let day = CivilDay(
                number: moment.seconds >= 0 ? moment.seconds / 86_400 : (moment.seconds - 86_399) / 86_400
            )
            return (day, moment.seconds - day.number * 86_400)
        case .zoned(let time, _), .floating(let time): return (time.day, time.seconds)
        case .day(let day): return (day, 0)
        }
    }

    /// Tells whether it has the same kind and zone.
    func isAlike(_ other: CalendarMoment) -> Bool {
        switch (self, other) {
        case (.utc, .utc), (.floating, .floating), (.day, .day): true
        case (.zoned(_, let zone), .zoned(_, let otherZone)): zone == otherZone
        default: false
        }
    }

    /// Returns the time so many days, and seconds of the same clock, later.
    func adding(days: Int, seconds: Int = 0) -> CalendarMoment {
        func moved(_ time: LocalTime) -> LocalTime {
            let total = time.seconds + seconds
            let over = total >= 0 ? total / 86_400 : (total - 86_399) / 86_400
            return LocalTime(day: time.day.adding(days: days + over), seconds: total - over * 86_400)
        }
        return switch self {
        case .utc(let moment): .utc(moment.adding(seconds: days * 86_400 + seconds))
        case .zoned(let time, let zone): .zoned(moved(time), zone: zone)
        case .floating(let time): .floating(moved(time))
        case .day(let day): .day(day.adding(days: days))
        }
    }

    /// The time as a calendar writes it, without its zone: `20260301T063000Z`.
    var description: String {
        let (day, seconds) = written
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = day.description.replacing("-", with: "")
        if isDay { return date }
        let isUTC = if case .utc = self { true } else { false }
        return "\(date)T\(two(seconds / 3600))\(two(seconds / 60 % 60))\(two(seconds % 60))\(isUTC ? "Z" : "")"
    }
}
