import CivilTime
import StrictJSON

/// Orders events as they happened.
///
/// Sums, checks, exports and sync share this order. Events of one session at one moment follow each other as the session's
/// state allows: a start, pauses and resumptions in turn, and a stop last. What tells no time comes after these. Ids
/// decide between events of one kind only, so that no sum depends on them, and neither does it on the order in a file.
enum StudyEventOrder {
    /// Returns the positions of one session's events, as they happened.
    static func positions(of events: [StudyEvent]) -> [Int] {
        let isPlain = zip(events, events.dropFirst()).allSatisfy { $0.createdAt.moment < $1.createdAt.moment }
        guard !isPlain else { return Array(events.indices) }
        let byMoment = events.indices.sorted {
            (events[$0].createdAt.moment, ByteOrder(events[$0].id))
                < (events[$1].createdAt.moment, ByteOrder(events[$1].id))
        }
        var positions: [Int] = []
        var status: StudySession.Status?
        var rest = byMoment[...]
        while let first = rest.first {
            let moment = events[first].createdAt.moment
            let same = rest.prefix { events[$0].createdAt.moment == moment }
            rest = rest.dropFirst(same.count)
            var waiting: [StudyEvent.Kind: ArraySlice<Int>] = [:]
            var silent: [Int] = []
            for position in same {
                if let kind = events[position].kind, kind.tellsTime {
                    waiting[kind, default: []].append(position)
                } else {
                    silent.append(position)
                }
            }
            while let kind = preferred(after: status).first(where: { waiting[$0]?.isEmpty == false }),
                let position = waiting[kind]?.popFirst()
            {
                positions.append(position)
                status = self.status(after: kind, from: status)
            }
            positions += silent
        }
        return positions
    }

    /// Returns one session's events, as they happened.
    static func sorted(_ events: [StudyEvent]) -> [StudyEvent] { positions(of: events).map { events[$0] } }

    /// Returns a list by moment with the events of each session as they happened, in the places that they have together.
    static func arranged(_ events: [StudyEvent]) -> [StudyEvent] {
        let hasChoice = zip(events, events.dropFirst()).contains { $0.createdAt.moment == $1.createdAt.moment }
        guard hasChoice else { return events }
        var arranged = events
        let places = Dictionary(grouping: events.indices) { ScalarKey(events[$0].sessionID) }
        for own in places.values where own.count > 1 {
            for (place, event) in zip(own, sorted(own.map { events[$0] })) { arranged[place] = event }
        }
        return arranged
    }

    /// Returns the state after an event.
    static func status(after kind: StudyEvent.Kind, from status: StudySession.Status?) -> StudySession.Status? {
        switch kind {
        case .started, .resumed: .active
        case .paused: status == .completed ? .completed : .paused
        case .stopped: .completed
        case .activityStarted, .activityEnded: status
        }
    }

    /// Returns the kinds in the order in which a state takes them; those that do not follow from it come later.
    private static func preferred(after status: StudySession.Status?) -> [StudyEvent.Kind] {
        switch status {
        case .active: [.paused, .started, .resumed, .stopped]
        case .paused: [.resumed, .started, .paused, .stopped]
        case .completed, nil: [.started, .resumed, .paused, .stopped]
        }
    }
}
