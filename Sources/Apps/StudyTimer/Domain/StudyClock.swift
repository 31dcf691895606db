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

    /// Makes the time of a session as it counts: from its start to its end, without the pauses that its events tell.
    ///
    /// Start and end decide, as a person corrects them and decides between them. A stop counts only where the session
    /// goes on right after it: several devices may have stopped the session, and one of them set its end. Seconds from
    /// before the first event, where that is no start, lie at the session's start.
    ///
    /// - Parameter events: The session's events, in any order.
    init(_ events: [StudyEvent], of session: StudySession) {
        var events = StudyEventOrder.sorted(events).filter { $0.kind?.tellsTime == true }
        let end = session.status == .completed ? session.end : nil
        if let end {
            events.removeAll { $0.createdAt.moment > end.moment }
            events = events.indices.filter { index in
                guard events[index].kind == .stopped else { return true }
                let next = index + 1 < events.count ? events[index + 1].kind : nil
                return next == .started || next == .resumed
            }.map { events[$0] }
        }
        self.init(events)
        if let end { self.end(at: end) }
        if events.first?.kind == .started, !stretches.isEmpty { stretches[0].start = session.start }
        stretches.removeAll { $0.end.map { $0.moment < session.start.moment } ?? false }
        if let first = stretches.first, first.start.moment < session.start.moment {
            stretches[0].start = session.start
        }
        addBeginning(of: session, before: events.first)
    }

    /// Adds the seconds of a session that are from before its first event, where that is no start.
    private mutating func addBeginning(of session: StudySession, before event: StudyEvent?) {
        guard let event, event.kind != .started, !stretches.isEmpty else { return }
        let missing = max(session.accumulatedSeconds - seconds, 0)
        let last = min(session.start.moment.adding(seconds: missing), event.createdAt.moment)
        guard last > session.start.moment else { return }
        let end = ZonedTimestamp(last, offsetMinutes: session.start.offsetMinutes)
        stretches.insert(Stretch(start: session.start, end: end), at: 0)
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
    public var seconds: Int { Self.seconds(of: stretches, until: nil) }

    /// Returns the seconds of stretches, rounded down.
    ///
    /// - Parameter moment: The end of a stretch that runs; nil to leave it out.
    static func seconds(of stretches: [Stretch], until moment: Timestamp?) -> Int {
        let nanoseconds = stretches.reduce(0) { sum, stretch in
            guard let end = stretch.end?.moment ?? moment.map({ max($0, stretch.start.moment) }) else { return sum }
            let (total, overflow) = sum.addingReportingOverflow(end.nanoseconds(since: stretch.start.moment))
            return overflow ? Int.max : total
        }
        return nanoseconds / 1_000_000_000
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
    /// Ids are those of the sessions, with `#` and a number from the second stretch on.
    public var activities: [TrackerActivity] { activitiesBySession.flatMap(\.self) }

    /// The ``activities`` of each session, in the order of the sessions.
    package var activitiesBySession: [[TrackerActivity]] {
        let events = eventsBySession()
        return sessions.map { session in
            session.stretches(events[session.id] ?? []).enumerated().map { index, stretch in
                TrackerActivity(
                    id: index == 0 ? session.id : "\(session.id)#\(index + 1)",
                    name: session.subject,
                    start: stretch.start,
                    end: stretch.end
                )
            }
        }
    }
}

extension StudySession {
    /// Returns the stretches in which the session ran: every list, sum, goal and export counts these.
    ///
    /// A session without events has one of its seconds from its start on. Of one that has no seconds it ends with the
    /// session, and a paused one has none.
    ///
    /// - Parameter events: The session's events, in any order.
    public func stretches(_ events: [StudyEvent]) -> [StudyClock.Stretch] {
        var clock = StudyClock(events, of: self)
        guard let last = clock.stretches.last else { return ownStretch.map { [$0] } ?? [] }
        // Ends a session that does not run even where its events say so.
        if status != .active, last.end == nil {
            let rest = max(accumulatedSeconds - clock.seconds, 0)
            clock.end(
                at: ZonedTimestamp(last.start.moment.adding(seconds: rest), offsetMinutes: last.start.offsetMinutes)
            )
        }
        return clock.stretches
    }

    /// Returns the length of the session: the seconds of its stretches.
    ///
    /// - Parameters:
    ///   - events: The session's events, in any order.
    ///   - moment: The end of a stretch that runs; nil to leave it out.
    public func seconds(_ events: [StudyEvent], until moment: Timestamp?) -> Int {
        StudyClock.seconds(of: stretches(events), until: moment)
    }

    /// Returns the seconds that the session should have.
    ///
    /// They are its own where its events agree with them, as the app rounds; else those that count. Without events they
    /// are at most those from its start to its end.
    func correctedSeconds(_ events: [StudyEvent]) -> Int {
        let clock = StudyClock(events, of: self)
        guard clock.stretches.isEmpty else {
            return clock.agrees(with: accumulatedSeconds) ? accumulatedSeconds : settledSeconds(events, clock)
        }
        guard let end, accumulatedSeconds == 0 || isTooLong else { return accumulatedSeconds }
        return min(max(end.moment.milliseconds(since: start.moment) / 1000, 0), StudyClock.longest)
    }

    /// Returns the seconds of the stretches that have ended; of a session that does not run, of all.
    ///
    /// - Parameter clock: The time as it counts.
    func settledSeconds(_ events: [StudyEvent], _ clock: StudyClock) -> Int {
        min(status == .active ? clock.seconds : seconds(events, until: nil), StudyClock.longest)
    }

    /// The stretch of a session without events: its seconds from its start on; nil where it has none.
    private var ownStretch: StudyClock.Stretch? {
        guard accumulatedSeconds > 0 else {
            return end != nil || status == .active ? StudyClock.Stretch(start: start, end: end) : nil
        }
        if let end, !hasUnknownPauses || isTooLong {
            return StudyClock.Stretch(start: start, end: end.moment < start.moment ? start : end)
        }
        let last = start.moment.adding(seconds: accumulatedSeconds)
        return StudyClock.Stretch(start: start, end: ZonedTimestamp(last, offsetMinutes: start.offsetMinutes))
    }

    /// True if the seconds are more than those from start to end.
    private var isTooLong: Bool {
        hasUnknownPauses && end.map { $0.moment < start.moment.adding(seconds: accumulatedSeconds) } ?? false
    }

    /// True if the seconds do not follow from start and end, so that events alone tell when it was paused.
    var hasUnknownPauses: Bool {
        guard accumulatedSeconds > 0 else { return false }
        guard let end else { return true }
        // The app rounds, and writes a moment later.
        return abs(end.moment.seconds - start.moment.seconds - accumulatedSeconds) > 2
    }
}
