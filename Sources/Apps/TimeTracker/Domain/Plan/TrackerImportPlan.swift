public import CivilTime
public import StrictJSON

/// The action of an import on one button or activity.
public struct TrackerImportAction: Sendable, Hashable {
    /// The verbs of an action.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        /// It is added.
        case create
        /// Changes what the store has.
        case update
        /// The store has it already.
        case skip
        /// The store has another one with that id, which is kept as it is.
        case conflict
        /// It cannot be taken.
        case refuse
    }

    /// The kinds of record that an action concerns.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// A button.
        case button
        /// An activity.
        case activity
        /// A session of Study Timer.
        case session
        /// An event of a session.
        case event
    }

    /// The place of the record in its source.
    public enum Place: Sendable, Hashable, CustomStringConvertible {
        /// A place in a JSON document.
        case pointer(JSONPointer)
        /// A record of another format.
        case record(EntryPlace)
        /// It is the store that has it.
        case store

        /// The place in words.
        public var description: String {
            switch self {
            case .pointer(let pointer): pointer.description
            case .record(let place): place.description
            case .store: "the store"
            }
        }
    }

    /// The verb of the action.
    public var verb: Verb
    /// The kind of record that it concerns.
    public var subject: Subject
    /// Its name.
    public var name: String
    /// Its id in the store; of what is refused none.
    public var id: String?
    /// The time at which an activity began.
    public var start: ZonedTimestamp?
    /// The reason, in one sentence without a final full stop.
    public var reason: String
    /// The place of the record in its source.
    public var place: Place

    package init(
        verb: Verb,
        subject: Subject,
        name: String,
        id: String?,
        start: ZonedTimestamp? = nil,
        reason: String,
        place: Place
    ) {
        self.verb = verb
        self.subject = subject
        self.name = name
        self.id = id
        self.start = start
        self.reason = reason
        self.place = place
    }
}

/// The steps of an import.
public struct TrackerImportPlan: Sendable, Hashable {
    /// The most actions that are kept; all are counted, and given to whoever asked for each.
    public static let actionLimit = 1000

    /// The first actions, in the order of the source; refusals, conflicts and updates are kept beyond the limit of the
    /// others, up to the same limit.
    public internal(set) var actions: [TrackerImportAction] = []
    /// The number of actions of each kind.
    public internal(set) var counts: [TrackerImportAction.Subject: [TrackerImportAction.Verb: Int]] = [:]
    /// The number of actions that are not kept.
    public internal(set) var dropped = 0
    /// The notes for a person to look at.
    ///
    /// They name the top-level members that the store has otherwise and keeps. They also name new activities that overlap
    /// one of the store with the same name.
    public internal(set) var notes: [String] = []
    /// The remarks on what the store holds after the import, such as several open sessions; they are no findings.
    public internal(set) var remarks: [String] = []

    /// True if the import sets the store's time zone, or keeps unknown members of the file's top level.
    public internal(set) var changesProperties = false

    /// Returns the number of actions of a kind.
    public func count(_ verb: TrackerImportAction.Verb, _ subject: TrackerImportAction.Subject) -> Int {
        counts[subject]?[verb] ?? 0
    }

    /// True if the import changes nothing.
    public var isEmpty: Bool {
        !changesProperties
            && TrackerImportAction.Subject.allCases.allSatisfy { count(.create, $0) == 0 && count(.update, $0) == 0 }
    }
}

/// Collects the actions of a plan.
package final class TrackerPlanRecorder {
    private var collected = TrackerImportPlan()
    /// The numbers of actions of the common kinds that nobody saw, which are many.
    @exclusivity(unchecked)
    private var unseen: [(verb: TrackerImportAction.Verb, subject: TrackerImportAction.Subject, count: Int)] = []
    private let visit: (TrackerImportAction) throws -> Void
    private let isVisited: Bool
    @exclusivity(unchecked) private var kept = (ordinary: 0, special: 0)

    /// - Parameter visit: Called with each action.
    package init(_ visit: ((TrackerImportAction) throws -> Void)?) {
        self.visit = visit ?? { _ in }
        isVisited = visit != nil
    }

    /// The plan so far.
    package var plan: TrackerImportPlan {
        var plan = collected
        for (verb, subject, count) in unseen {
            plan.counts[subject, default: [:]][verb, default: 0] += count
            plan.dropped += count
        }
        return plan
    }

    /// Adds an action.
    package func add(_ action: TrackerImportAction) throws {
        collected.counts[action.subject, default: [:]][action.verb, default: 0] += 1
        if action.verb == .create || action.verb == .skip { kept.ordinary += 1 } else { kept.special += 1 }
        let number = action.verb == .create || action.verb == .skip ? kept.ordinary : kept.special
        if number <= TrackerImportPlan.actionLimit { collected.actions.append(action) } else { collected.dropped += 1 }
        try visit(action)
    }

    /// Adds an action of one of the common kinds, which is made only where somebody sees it.
    @inline(__always)
    package func add(
        _ verb: TrackerImportAction.Verb,
        _ subject: TrackerImportAction.Subject,
        _ action: () -> TrackerImportAction
    ) throws {
        guard isVisited || kept.ordinary < TrackerImportPlan.actionLimit else {
            if let index = unseen.firstIndex(where: { $0.verb == verb && $0.subject == subject }) {
                unseen[index].count += 1
            } else {
                unseen.append((verb, subject, 1))
            }
            return
        }
        try add(action())
    }

    /// Takes note that the top level of the source changes the store's.
    package func changesProperties() { collected.changesProperties = true }

    /// Adds a note for a person.
    package func note(_ text: String) { collected.notes.append(text) }

    /// Adds a remark for a person, which is no finding.
    package func remark(_ text: String) { collected.remarks.append(text) }
}
