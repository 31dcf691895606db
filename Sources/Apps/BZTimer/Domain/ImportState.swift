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
    /// The stored sessions by identifier.
    private var stored: [String: SessionTemplate]
    /// Their identifiers by name, case and spelling aside.
    private var named: [CategoryKey: [String]]
    /// Their identifiers by what they once held.
    private var outlines: [SessionOutline: [String]]
    /// The UUIDs of the imported files' sessions.
    private var claimed: Set<String> = []
    /// The identifiers of stored sessions that the imported files contain exactly.
    private var exact: Set<String> = []
    /// The identifiers of stored sessions that the imported files contain or have replaced.
    private var met: Set<String> = []

    /// Makes the state of a store.
    ///
    /// - Parameters:
    ///   - settings: Plan and custom categories are taken from them.
    ///   - sessions: All sessions.
    ///   - activities: All saved activities.
    ///   - taken: The identifiers of all records; those of the given ones are known.
    public init(
        settings: TimerSettings,
        sessions: [SessionTemplate],
        activities: [BlockTemplate],
        taken: TakenIds = TakenIds()
    ) {
        plan = settings.plan
        customCategories = settings.customCategories
        sessionCount = sessions.count
        activityCount = activities.count
        activityIds = taken.activities.union(activities.map(\.id))
        sessionIds = taken.sessions.union(sessions.map(\.id))
        stored = Dictionary(sessions.map { ($0.id, $0) }) { first, _ in first }
        named = Dictionary(grouping: sessions) { CategoryKey($0.name) }.mapValues { $0.map(\.id) }
        outlines = Dictionary(grouping: sessions, by: SessionOutline.init).mapValues { $0.map(\.id) }
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
    ///
    /// - Parameter unsaid: The members that the file's writer did not know.
    public mutating func meet(_ file: BztimerFile, unsaid: Set<String> = []) {
        for session in file.sessions {
            if Identifier.isUUID(session.id) { claimed.insert(session.id) }
            if let same = sessions[ContentDigest(of: session)] { exact.insert(same.id) }
            met.formUnion(containing(session, unsaid: unsaid).map(\.id))
        }
        met.formUnion(exact)
    }

    /// Returns the store's sessions in which another one would change nothing, as they differ in what it does not have.
    ///
    /// One that is another session of a file is none of them.
    func containing(_ session: SessionTemplate, unsaid: Set<String>) -> [SessionTemplate] {
        let same = (outlines[SessionOutline(session)] ?? []).filter { !exact.contains($0) }.compactMap { stored[$0] }
        guard !same.isEmpty else { return [] }
        var content = session
        var policy = CategoryPolicy(plan: plan, customCategories: customCategories)
        for index in content.items.indices {
            content.items[index].category = content.items[index].category.map { policy.decide($0).category }
        }
        return same.filter { old in
            !SessionUpdate(of: old, to: content, read: session, unsaid: unsaid, newID: { "" }).isChange
        }
    }

    /// Returns the store's session of that UUID, else the one of that name, that another one may replace.
    ///
    /// It is nil where there is none, where several have the name, and where a file has it, or has replaced it already.
    func replaceable(by session: SessionTemplate) -> SessionTemplate? {
        if Identifier.isUUID(session.id), let own = stored[session.id] { return met.contains(own.id) ? nil : own }
        guard let ids = named[CategoryKey(session.name)], ids.count == 1 else { return nil }
        return met.contains(ids[0]) || claimed.contains(ids[0]) ? nil : stored[ids[0]]
    }

    /// Returns the identifiers of the sessions that the store has of a name.
    func ids(named name: String) -> [String] { named[CategoryKey(name)] ?? [] }

    /// Notes that a session has other content.
    mutating func replace(_ old: SessionTemplate, by session: SessionTemplate) {
        sessions = sessions.filter { $0.value.id != session.id }
        sessions[ContentDigest(of: session)] = Stored(id: session.id, name: session.name)
        named[CategoryKey(old.name)]?.removeAll { $0 == old.id }
        named[CategoryKey(session.name), default: []].append(session.id)
        outlines[SessionOutline(session), default: []].append(session.id)
        stored[session.id] = session
        met.insert(session.id)
    }
}
