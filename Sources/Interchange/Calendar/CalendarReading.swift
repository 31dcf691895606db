internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import StrictJSON
internal import TimeTracker

/// Goes through the components of a calendar.
struct CalendarReading {
    /// A component that has begun and not ended.
    private struct Component {
        let name: String
        let position: TextPosition
    }

    /// The deepest nesting of components.
    private static let depth = 16
    /// The components of a calendar, as they may also stand alone.
    private static let parts: Set<String> = [
        "VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VALARM", "VAVAILABILITY",
    ]

    private(set) var summary = EntrySummary(source: "iCalendar")
    private let hasClock: Bool
    private var around = EventDraft.Surroundings()
    private var open: [Component] = []
    private var event: EventDraft?
    private var zone: CalendarZone?
    private var observance: CalendarZone.Observance?
    private var heading = TrackerHeading()
    private var hasHeading = false
    private var buttons: [ActivityButton] = []
    private var events = 0
    private var details: [String: Int] = [:]
    private var foreign: [String: Int] = [:]
    /// The components that are no events, by their names.
    private var others: [String: Int] = [:]
    /// True if the open component stands outside of any calendar, so that one is assumed around it.
    private var isBare = false
    /// True if a calendar or a component has ended, behind which nothing more is expected.
    private var hasEnded = false
    private var cancelled = 0
    private var wholeDays = 0
    /// The events that wait for the rest of the calendar.
    ///
    /// They need a zone that it may still describe. Series and the events that replace some of theirs need each other.
    private var deferred: Set<Int> = []
    /// The numbers of series, and of events that they came to.
    private var series = (read: 0, events: 0)
    /// True if the calendar says that its events do not take place.
    private var isCalledOff = false
    private var isSecondPass = false

    init(options: TrackerCalendar.ReadOptions, _ encoding: Windows1252?) {
        summary.note(encoding)
        around.clock = options.clock
        hasClock = options.clock != nil
    }

    var hasDeferred: Bool { !deferred.isEmpty }

    mutating func read(_ source: JSONByteSource, sink: (TrackerItem) throws -> Void) throws {
        var lines = ContentLines(source)
        while try lines.next() {
            guard let line = lines.line else {
                if open.isEmpty, events == 0 { throw Self.unrecognized(lines.position) }
                if isSecondPass { continue }
                let shown = quoted(String(decoding: lines.bytes.prefix(60), as: UTF8.self))
                summary.findings.add(
                    .warning,
                    .calendarLine,
                    "\(shown) is no property; it has no colon",
                    at: lines.position
                )
                continue
            }
            switch line.name {
            case "BEGIN": try begin(line)
            case "END": try end(line, sink: sink)
            default: try property(line)
            }
        }
        guard let component = open.last else { return }
        let message =
            "the file ends inside of \(component.name), which begins in line \(component.position.line); "
            + "take a complete copy"
        throw InterchangeError(.calendarTruncated, message, at: lines.end)
    }

    /// Reads the events once more that waited for a zone.
    mutating func readDeferred(_ source: JSONByteSource, sink: (TrackerItem) throws -> Void) throws {
        isSecondPass = true
        (around.zones.isComplete, around.awaitsZone) = (true, false)
        events = 0
        try read(source, sink: sink)
    }

    private static func unrecognized(_ position: TextPosition) -> InterchangeError {
        InterchangeError(.calendarUnrecognized, "this is no iCalendar; expected BEGIN:VCALENDAR", at: position)
    }

    private mutating func begin(_ line: ContentLine) throws {
        let name = line.word
        if open.isEmpty, name != "VCALENDAR" {
            guard Self.parts.contains(name) else { throw Self.unrecognized(line.position) }
            if !isSecondPass, !isBare, !hasEnded {
                let message = "\(name) stands outside of a calendar; it is read as if it began with BEGIN:VCALENDAR"
                summary.findings.add(.warning, .calendarStructure, message, at: line.position)
            }
            isBare = true
            open.append(Component(name: "VCALENDAR", position: line.position))
        }
        if open.isEmpty { (around.calendar, around.isOwn, isCalledOff) = ("", false, false) }
        guard open.count < Self.depth else {
            let message = "components lie more than \(Self.depth) deep in each other, which is the limit"
            throw InterchangeError(.calendarStructure, message, at: line.position)
        }
        open.append(Component(name: name, position: line.position))
        switch (open.count, name) {
        case (2, "VEVENT"):
            events += 1
            event = EventDraft(number: events, at: line.position)
        case (2, "VTIMEZONE"): zone = CalendarZone()
        case (3, "STANDARD"), (3, "DAYLIGHT"): if zone != nil { observance = CalendarZone.Observance() }
        case (2, _) where !isSecondPass:
            summary.passedOver += 1
            others[String(name.prefix(40)), default: 0] += 1
        case (3, _): event?.take(component: name)
        default: break
        }
    }

    private mutating func end(_ line: ContentLine, sink: (TrackerItem) throws -> Void) throws {
        guard let component = open.popLast(), component.name == line.word else {
            let expected = (open.last?.name).map { "expected the end of \($0)" } ?? "nothing has begun"
            let message = "found END:\(line.word.prefix(40)) where another component is open; \(expected)"
            throw InterchangeError(.calendarStructure, message, at: line.position)
        }
        switch open.count {
        case 1:
            if let event { try finish(event, sink: sink) }
            if let zone { around.zones.add(zone) }
            (event, zone) = (nil, nil)
            if isBare { open.removeAll() }
        case 2:
            if let observance { zone?.observances.append(observance) }
            observance = nil
        default: break
        }
        guard open.isEmpty else { return }
        (isBare, hasEnded) = (false, true)
        try handOnHeading(sink)
    }

    private mutating func property(_ line: ContentLine) throws {
        switch open.count {
        case 0:
            guard hasEnded else { throw Self.unrecognized(line.position) }
            guard !isSecondPass else { return }
            let message = "\(line.name.prefix(40)) stands behind the end of the calendar; it is left out"
            summary.findings.add(.warning, .calendarStructure, message, at: line.position)
        case 1: try calendarProperty(line)
        case 2 where event != nil: event?.take(line)
        case 2 where line.name == "TZID": zone?.name = try line.plain()
        case 3: observance?.take(line)
        default: break
        }
    }

    private mutating func calendarProperty(_ line: ContentLine) throws {
        switch line.name {
        case "CALSCALE" where line.word != "GREGORIAN":
            let message = "the calendar counts by CALSCALE \(quoted(line.word)); export it as a Gregorian one"
            throw InterchangeError(.calendarUnrecognized, message, at: line.position)
        case "METHOD": isCalledOff = line.word == "CANCEL"
        case "X-WR-CALNAME", "NAME": around.calendar = try line.text().trimmed
        case "VERSION" where line.word == "1.0":
            throw InterchangeError(
                .calendarUnrecognized,
                "this is vCalendar 1.0; export iCalendar 2.0",
                at: line.position
            )
        case "PRODID":
            // Whose zone another program's calendar names, nobody knows.
            guard try line.text().hasPrefix(CalendarProperty.producer) else { return }
            (hasHeading, around.isOwn) = (true, true)
        case CalendarProperty.timeZone:
            let name = try line.text()
            heading.timeZone = name
            guard !hasClock else { return }
            if let clock = try? around.zones.clock(name) {
                (around.clock, around.awaitsZone) = (clock, false)
            } else {
                around.awaitsZone = !isSecondPass
            }
        case CalendarProperty.exportedAt:
            heading.exportedAt = try line.text()
            hasHeading = true
        case CalendarProperty.exportExtra:
            heading.unknownMembers = jsonObject(try line.text()) ?? JSONObject()
            hasHeading = true
        case CalendarProperty.buttonObject:
            guard let object = jsonObject(try line.text()), let button = try? ActivityButton(json: .object(object))
            else {
                let message = "\(line.name) holds no button as JSON; it is left out"
                summary.findings.add(.error, .calendarValue, message, at: line.position)
                return
            }
            buttons.append(button)
        case _ where isSecondPass || Self.bookkeeping.contains(line.name) || line.value.isEmpty: break
        case _ where line.name.hasPrefix("X-"): foreign[String(line.name.prefix(40)), default: 0] += 1
        default: details["the calendar's \(line.name.prefix(40))", default: 0] += 1
        }
    }
}

extension CalendarReading {
    /// Hands on what stands before the events.
    private mutating func handOnHeading(_ sink: (TrackerItem) throws -> Void) throws {
        defer { (hasHeading, buttons) = (false, []) }
        guard !isSecondPass else { return }
        if hasHeading { try sink(.heading(heading)) }
        for (index, button) in buttons.enumerated() {
            summary.entries += 1
            try sink(.button(button, EntryPlace(record: index + 1, kind: CalendarProperty.buttonObject)))
        }
    }

    private mutating func finish(_ event: EventDraft, sink: (TrackerItem) throws -> Void) throws {
        try handOnHeading(sink)
        if isSecondPass, !deferred.contains(event.number) { return }
        if !isSecondPass {
            if let id = event.identity, let replaced = event.replaced {
                around.replaced[id, default: []].append(replaced)
            }
            if let id = event.identity, let start = event.seriesStart { around.series[id] = around.series[id] ?? start }
        }
        guard !event.isCancelled, !isCalledOff else {
            cancelled += 1
            summary.passedOver += 1
            return
        }
        if !isSecondPass, event.isSeries || event.replaced?.isRange ?? false || event.mayBeWrittenOtherwise(around) {
            deferred.insert(event.number)
            return
        }
        around.folds.removeAll()
        around.gaps.removeAll()
        (around.isWholeDay, around.isLengthWrong, around.lacksZone) = (false, false, false)
        switch Result(catching: { () throws(InterchangeError) in try event.items(&around) }) {
        case .success(let items):
            summary.entries += items.count
            if event.isSeries { series = (series.read + 1, series.events + items.count) }
            deferred.remove(event.number)
            note(event, items)
            for item in items { try sink(item) }
        case .failure where around.lacksZone && !isSecondPass: deferred.insert(event.number)
        case .failure(let error):
            guard error.code != .timeZone else { throw error }
            deferred.remove(event.number)
            summary.refuse(error)
        }
    }

    private mutating func note(_ event: EventDraft, _ items: [TrackerItem]) {
        if around.isLengthWrong {
            let message = "event \(event.number): DTEND and DURATION contradict each other; DTEND is taken"
            summary.findings.add(.warning, .duration, message, at: event.position)
        }
        if event.replaced?.isRange ?? false, !event.isSeries {
            details["later events of series that the calendar does not describe", default: 0] += 1
        }
        if around.isWholeDay { wholeDays += 1 }
        for detail in event.details { details[detail, default: 0] += 1 }
        for name in event.foreign { foreign[name, default: 0] += 1 }
        for property in event.odd {
            let message =
                "event \(event.number): \(property.name) has \(property.what); the rest is read"
            summary.findings.add(.warning, .calendarLine, message, at: property.position)
        }
        for time in around.folds {
            summary.folds += 1
            let message = "event \(event.number): the clocks showed this time twice; the earlier is taken, \(time)"
            summary.findings.add(.warning, .fold, message, at: event.position)
        }
        for time in around.gaps {
            summary.gaps += 1
            let message = "event \(event.number): the clocks skipped this time; it is shifted over the gap, \(time)"
            summary.findings.add(.warning, .gap, message, at: event.position)
        }
        if case .entry(let entry)? = items.first, entry.name == EntryRows.unnamed {
            let message = "event \(event.number) has no title; it is called \"\(EntryRows.unnamed)\""
            summary.findings.add(.warning, .unnamed, message, at: event.position)
        }
    }

    /// Returns the summary, with the findings on the calendar as a whole.
    consuming func finished() -> EntrySummary {
        if cancelled > 0 {
            let message = "\(counted(cancelled, "cancelled event")) passed over"
            summary.findings.add(.note, .cancelled, message, at: nil)
        }
        if wholeDays > 0 {
            let message =
                "\(counted(wholeDays, "event")) of whole days: each becomes an activity from midnight to midnight"
            summary.findings.add(.warning, .allDay, message, at: nil)
        }
        if series.read > 0 {
            let message =
                series.read == 1
                ? "1 event that comes back: \(counted(series.events, "single event")) of it"
                : "\(series.read) events that come back: \(counted(series.events, "single event")) of them"
            summary.findings.add(.note, .recurrence, message, at: nil)
        }
        for (zone, name) in around.zones.assumed.sorted(by: { $0.key < $1.key }) {
            let message = "the calendar does not describe the time zone \(quoted(zone)); it is taken for \(name)"
            summary.findings.add(.note, .calendarZone, message, at: nil)
        }
        if !others.isEmpty {
            let list = others.sorted { $0.key < $1.key }.map { "\(Self.words[$0.key] ?? $0.key) (\($0.value))" }
            let message = "not imported, as they are no events: \(list.joined(separator: ", "))"
            summary.findings.add(.warning, .notCarried, message, at: nil)
        }
        summary.noteNotCarried(details)
        summary.noteNotCarried(foreign, .note)
        return summary
    }

    /// The properties of a calendar that are about the file itself.
    private static let bookkeeping: Set<String> = [
        "VERSION", "CALSCALE", "UID", "LAST-MODIFIED", "URL", "SOURCE", "REFRESH-INTERVAL", "X-PUBLISHED-TTL",
    ]

    private static let words = [
        "VTODO": "tasks (VTODO)", "VJOURNAL": "journal entries (VJOURNAL)",
        "VFREEBUSY": "free and busy times (VFREEBUSY)", "VALARM": "alarms (VALARM)",
    ]
}

extension CalendarZone.Observance {
    /// Takes a property.
    mutating func take(_ line: ContentLine) {
        guard let text = try? line.plain().trimmed else {
            fault = fault ?? "\(line.name) is not UTF-8 or too long"
            return
        }
        switch line.name {
        case "DTSTART":
            onset = Self.local(text)
            if onset == nil { fault = fault ?? "DTSTART is \(quoted(text))" }
        case "RDATE":
            let times = text.split(separator: ",").map { Self.local(String($0)) }
            further += times.compactMap { $0 }
            if times.contains(nil) { fault = fault ?? "RDATE is \(quoted(text))" }
        case "TZOFFSETFROM":
            offsetFrom = calendarOffset(text)
        case "TZOFFSETTO":
            offsetTo = calendarOffset(text)
        case "RRULE":
            rule = YearlyRule(text)
            if rule == nil { fault = fault ?? "the rule \(quoted(text)) is none that is understood" }
        default: break
        }
    }

    private static func local(_ text: String) -> LocalTime? {
        switch CalendarMoment(text, zone: nil) {
        case .floating(let time): time
        case .day(let day): LocalTime(day: day, seconds: 0)
        default: nil
        }
    }
}
