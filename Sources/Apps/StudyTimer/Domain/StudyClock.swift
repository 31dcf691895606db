public import CivilTime
import FormatKit
public import TimeTracker

/// The time of a session as its events tell it: from a start to a pause, from there on to the next.
public struct StudyClock: Sendable, Hashable {
    /// A stretch in which the clock ran.
    public struct Stretch: Sendable, Hashable {
        /// The start of the stretch.
        public var start: ZonedTimestamp
        /// The end of the stretch; nil while it runs.
        public var end: ZonedTimestamp?
    }

    /// An event that does not follow from those before.
    struct Oddity: Sendable, Hashable {
        /// Its position among the events that were given.
        let position: Int
        /// The reason why it does not follow.
        let reason: String
    }

    /// The most seconds that a session can have.
    package static let longest = 4_294_967_295

    /// The stretches, in order.
    public private(set) var stretches: [Stretch] = []
    /// The status in which the events leave the session; nil where they do not tell.
    public private(set) var status: StudySession.Status?
    private(set) var oddities: [Oddity] = []

    /// Makes the time of a session.
    ///
    /// - Parameter events: The session's events, in any order.
    public init(_ events: some Sequence<StudyEvent>) {
        let events = Array(events)
        for position in StudyEventOrder.positions(of: events) {
            let event = events[position]
            guard let kind = event.kind, kind.tellsTime else { continue }
            if kind == .started || kind == .resumed { run(event, position) } else { halt(event, position) }
            status = StudyEventOrder.status(after: kind, from: status)
        }
    }

    private mutating func run(_ event: StudyEvent, _ position: Int) {
        switch status {
        case .active: oddities.append(Oddity(position: position, reason: "the session is running already"))
        case .completed: oddities.append(Oddity(position: position, reason: "the session was stopped before"))
        case .paused, nil: break
        }
        if status != .active { stretches.append(Stretch(start: event.createdAt)) }
    }

    private mutating func halt(_ event: StudyEvent, _ position: Int) {
        switch status {
        case .active:
            if let last = stretches.indices.last { stretches[last].end = event.createdAt }
        case .paused where event.kind == .paused:
            oddities.append(Oddity(position: position, reason: "the session is paused already"))
        case .completed: oddities.append(Oddity(position: position, reason: "the session was stopped before"))
        case nil: oddities.append(Oddity(position: position, reason: "the session was not started before"))
        case .paused: break
        }
    }

    /// Ends a last stretch that no event ends, as that of a session which is over; one that begins later is kept.
    mutating func end(at moment: ZonedTimestamp) {
        guard let last = stretches.indices.last, stretches[last].end == nil,
            stretches[last].start.moment <= moment.moment
        else { return }
        stretches[last].end = moment
    }

    /// The seconds of all stretches that have ended, rounded down.
    public var seconds: Int {
        let nanoseconds = stretches.reduce(0) { sum, stretch in
            guard let end = stretch.end else { return sum }
            let (total, overflow) = sum.addingReportingOverflow(end.moment.nanoseconds(since: stretch.start.moment))
            return overflow ? Int.max : total
        }
        return nanoseconds / 1_000_000_000
    }

    /// Returns the seconds that a session should have.
    ///
    /// They are its own where its events agree with them, as the app rounds; else those of the events.
    ///
    /// - Parameter end: The session's end, for one without events.
    package func corrected(_ accumulated: Int, from start: ZonedTimestamp, to end: ZonedTimestamp?) -> Int {
        guard stretches.isEmpty else { return agrees(with: accumulated) ? accumulated : min(seconds, Self.longest) }
        guard accumulated == 0, let end else { return accumulated }
        return min(max(end.moment.milliseconds(since: start.moment) / 1000, 0), Self.longest)
    }

    /// Tells whether a number of seconds is that of the stretches: the app rounds each of them, and writes a moment
    /// later.
    public func agrees(with accumulated: Int) -> Bool {
        accumulated.subtractingReportingOverflow(seconds).partialValue.magnitude <= UInt(stretches.count) + 1
    }
}

extension StudyLog {
    /// Returns the events of each session, as they happened, by the session's id.
    public func eventsBySession() -> [String: [StudyEvent]] {
        Dictionary(grouping: events, by: \.sessionID).mapValues(StudyEventOrder.sorted)
    }

    /// The stretches of all sessions as activities, for days, weeks and reports.
    ///
    /// A session without events is one activity of its seconds from its start on; of one that has none it ends with the
    /// session, and a paused one is none.
    /// Ids are those of the sessions, with `#` and a number from the second stretch on.
    public var activities: [TrackerActivity] { activitiesBySession.flatMap(\.self) }

    /// The ``activities`` of each session, in the order of the sessions.
    package var activitiesBySession: [[TrackerActivity]] {
        let events = eventsBySession()
        return sessions.map { session in
            var stretches = StudyClock(events[session.id] ?? []).stretches
            if stretches.isEmpty, let own = session.ownStretch { stretches = [own] }
            // Ends a session that does not run even where its events say so.
            if session.status != .active, let last = stretches.last, last.end == nil {
                stretches.removeLast()
                let rest = max(session.accumulatedSeconds - StudyClock(events[session.id] ?? []).seconds, 0)
                let end = ZonedTimestamp(
                    last.start.moment.adding(seconds: rest),
                    offsetMinutes: last.start.offsetMinutes
                )
                let known = session.status == .completed ? session.end : nil
                stretches.append(StudyClock.Stretch(start: last.start, end: known ?? end))
            }
            return stretches.enumerated().map { index, stretch in
                TrackerActivity(
                    id: index == 0 ? session.id : "\(session.id)#\(index + 1)",
                    name: session.title.isBlank ? "Study" : session.title,
                    start: stretch.start,
                    end: stretch.end
                )
            }
        }
    }
}

extension StudySession {
    /// The stretch of a session without events: its seconds from its start on; nil where it has none.
    fileprivate var ownStretch: StudyClock.Stretch? {
        guard accumulatedSeconds > 0 else {
            return end != nil || status == .active ? StudyClock.Stretch(start: start, end: end) : nil
        }
        if let end, !hasUnknownPauses { return StudyClock.Stretch(start: start, end: end) }
        let last = start.moment.adding(seconds: accumulatedSeconds)
        return StudyClock.Stretch(start: start, end: ZonedTimestamp(last, offsetMinutes: start.offsetMinutes))
    }

    /// True if the seconds do not follow from start and end, so that events alone tell when it was paused.
    var hasUnknownPauses: Bool {
        guard accumulatedSeconds > 0 else { return false }
        guard let end else { return true }
        // The app rounds, and writes a moment later.
        return abs(end.moment.seconds - start.moment.seconds - accumulatedSeconds) > 2
    }
}
