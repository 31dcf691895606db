internal import FormatKit

/// The store's part in an import plan, and its content after the plans made so far.
public struct ImportState: Sendable {
    /// A session or an activity of the store.
    public struct Stored: Sendable, Hashable {
        /// Its identifier.
        public var id: String
        /// Its name or label.
        public var name: String
    }

    /// The store's plan.
    public let plan: Plan
    /// The store's custom categories.
    public internal(set) var customCategories: [String]
    /// The number of sessions.
    public internal(set) var sessionCount: Int
    /// The number of saved activities.
    public internal(set) var activityCount: Int
    var sessions: [ContentDigest: Stored]
    var activities: [ContentDigest: Stored]
    var activityIds: Set<String>
    var sessionIds: Set<String>
    /// The sessions by name, case and spelling aside.
    private var named: [CategoryKey: [SessionTemplate]]
    /// The identifiers of stored sessions that the imported files contain or have replaced.
    private var met: Set<String> = []

    /// Makes the state of a store.
    ///
    /// - Parameters:
    ///   - settings: Plan and custom categories are taken from them.
    ///   - sessions: All sessions.
    ///   - activities: All saved activities.
    public init(settings: TimerSettings, sessions: [SessionTemplate], activities: [BlockTemplate]) {
        plan = settings.plan
        customCategories = settings.customCategories
        sessionCount = sessions.count
        activityCount = activities.count
        activityIds = Set(activities.map(\.id))
        sessionIds = Set(sessions.map(\.id))
        named = Dictionary(grouping: sessions) { CategoryKey($0.name) }
        self.sessions = Dictionary(
            sessions.map { (ContentDigest(of: $0), Stored(id: $0.id, name: $0.name)) },
            uniquingKeysWith: { first, _ in first }
        )
        self.activities = Dictionary(
            activities.map { (ContentDigest(of: $0), Stored(id: $0.id, name: $0.label)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Notes the stored sessions that a file contains unchanged, so that no other session replaces them.
    ///
    /// ``ImportPlan`` calls this for its own file. To import several files together, call it for each of them first.
    public mutating func meet(_ file: BztimerFile) {
        for session in file.sessions {
            if let same = sessions[ContentDigest(of: session)] { met.insert(same.id) }
        }
    }

    /// Returns the store's session of that name that another one may replace.
    ///
    /// It is nil where there is none, where there are several, and where a file has it, or has replaced it already.
    func replaceable(named name: String) -> SessionTemplate? {
        guard let found = named[CategoryKey(name)], found.count == 1, !met.contains(found[0].id) else { return nil }
        return found[0]
    }

    /// Returns the number of sessions that the store has of a name.
    func count(named name: String) -> Int { named[CategoryKey(name)]?.count ?? 0 }

    /// Notes that a session has other content.
    mutating func replace(_ session: SessionTemplate) {
        sessions = sessions.filter { $0.value.id != session.id }
        sessions[ContentDigest(of: session)] = Stored(id: session.id, name: session.name)
        named[CategoryKey(session.name)] = [session]
        met.insert(session.id)
    }
}
