internal import CivilTime
public import StrictJSON

extension ImportPlan {
    /// Plans the import of a file into a store.
    ///
    /// Nothing is written. Importing is free on every plan. Sessions, their blocks and activities get new identifiers,
    /// unless `keepsIds` is true. `templateId` is kept where it resolves to an activity of the file or of the store,
    /// and dropped otherwise. What the store has already, by its content digest as it is in the file or as it would be
    /// stored, is skipped and named. What takes the place of a session keeps of it the members that the file does not
    /// have, and the plan names what is replaced or goes.
    ///
    /// ```swift
    /// var state = ImportState(settings: settings, sessions: sessions, activities: activities)
    /// let plan = ImportPlan(importing: file, into: &state, newID: { UUID().uuidString.lowercased() })
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file as it was read.
    ///   - state: The store; on return, what it will hold once the plan is applied, for planning the next file.
    ///   - allowsDuplicates: Whether sessions are added even where the store has the same. Activities are never added twice.
    ///   - updates: Whether a session takes the place of the store's one of its UUID, else of the only one of its name,
    ///     unless the file has that one as well: of several sessions of one name in a file at most one takes a place, and
    ///     the others are added.
    ///   - keepsIds: Whether sessions, blocks and activities keep their identifiers where these are free, as in the
    ///     person's own data: devices that share it know it by them.
    ///   - derivesIds: Whether an activity gets an identifier that follows from what it holds, where that is free: devices
    ///     that share their stores then add one. Of sessions the blocks would be conflicts.
    ///   - unsaid: The members that the file's writer did not know; what is replaced keeps its own.
    ///   - origin: Where the file itself has what a document of the current version has at that place.
    ///   - newID: Gives a new identifier at each call.
    public init(
        importing file: BztimerFile,
        into state: inout ImportState,
        allowsDuplicates: Bool = false,
        updates: Bool = false,
        keepsIds: Bool = false,
        derivesIds: Bool = false,
        unsaid: Set<String> = [],
        origin: (JSONPointer) -> JSONPointer = { $0 },
        newID: () -> String
    ) {
        if !allowsDuplicates { state.meet(file, unsaid: unsaid) }
        var planner = ImportPlanner(
            state: state,
            allowsDuplicates: allowsDuplicates,
            updates: updates,
            keepsIds: keepsIds,
            derivesIds: derivesIds,
            unsaid: unsaid
        )
        withoutActuallyEscaping(newID) { newID in
            for (index, activity) in (file.activities ?? []).enumerated() {
                planner.plan(activity, at: JSONPointer(tokens: ["activities", String(index)]), newID)
            }
            for (index, session) in file.sessions.enumerated() {
                planner.plan(session, at: JSONPointer(tokens: ["sessions", String(index)]), newID)
            }
        }
        state = planner.state
        actions = planner.actions.map { action in
            var action = action
            action.pointer = origin(action.pointer)
            return action
        }
        envelope = file.extra
        sessionIds = planner.sessionIds
    }
}

/// Makes a plan step by step.
private struct ImportPlanner {
    var state: ImportState
    let allowsDuplicates: Bool
    let updates: Bool
    let keepsIds: Bool
    let derivesIds: Bool
    let unsaid: Set<String>
    private(set) var actions: [ImportAction] = []
    /// Identifiers of the file's activities and those of the store that stand for them.
    private var activityIds: [String: String] = [:]
    /// Likewise of the sessions.
    private(set) var sessionIds: [String: String] = [:]

    init(
        state: ImportState,
        allowsDuplicates: Bool,
        updates: Bool,
        keepsIds: Bool,
        derivesIds: Bool,
        unsaid: Set<String>
    ) {
        self.state = state
        self.updates = updates
        self.keepsIds = keepsIds
        self.derivesIds = derivesIds
        self.unsaid = unsaid
        self.allowsDuplicates = allowsDuplicates
    }

    mutating func plan(_ activity: BlockTemplate, at pointer: JSONPointer, _ newID: () -> String) {
        var mapped = activity
        var policy = CategoryPolicy(plan: state.plan, customCategories: state.customCategories)
        var changes: [ImportAction] = []
        mapped.category = Self.remap(activity.category, of: activity.label, at: pointer, &policy, &changes)
        let digest = ContentDigest(of: mapped)
        if let same = state.activities[ContentDigest(of: activity)] ?? state.activities[digest] {
            activityIds[activity.id] = same.id
            add(.skip, .activity, activity.label, "the library has it already as \"\(same.name)\"", pointer)
            return
        }
        if let refusal = state.plan.refusalToAddActivity(to: state.activityCount) {
            add(.refuse, .activity, activity.label, refusal, pointer)
            return
        }
        let derived = derivesIds ? Identifier.derived(from: mapped) : nil
        let free = derived.flatMap { state.activityIds.contains($0) ? nil : $0 }
        mapped.id = free ?? identifier(activity.id, state.activityIds, newID)
        activityIds[activity.id] = mapped.id
        commit(policy, changes)
        state.activityCount += 1
        state.activityIds.insert(mapped.id)
        state.activities[digest] = ImportState.Stored(id: mapped.id, name: mapped.label)
        add(.create, .activity, activity.label, Self.length(mapped.timing.totalSeconds), pointer, .activity(mapped))
    }

    mutating func plan(_ session: SessionTemplate, at pointer: JSONPointer, _ newID: () -> String) {
        var mapped = session
        var policy = CategoryPolicy(plan: state.plan, customCategories: state.customCategories)
        var changes: [ImportAction] = []
        for index in mapped.items.indices {
            let place = pointer.appending("items").appending(index)
            let block = mapped.items[index]
            mapped.items[index].category = Self.remap(block.category, of: block.label, at: place, &policy, &changes)
            mapped.items[index].templateId = resolve(block, at: place, &changes)
        }
        let digest = ContentDigest(of: mapped)
        if !allowsDuplicates, let same = state.sessions[ContentDigest(of: session)] ?? state.sessions[digest] {
            sessionIds[session.id] = same.id
            add(.skip, .session, session.name, "the store has it already as \"\(same.name)\" (\(same.id))", pointer)
            return
        }
        if !allowsDuplicates, !keepsIds, let same = state.containing(session, unsaid: unsaid).first {
            sessionIds[session.id] = same.id
            add(.skip, .session, session.name, "the store has it already as \"\(same.name)\" (\(same.id))", pointer)
            return
        }
        if updates, let old = state.replaceable(by: session) {
            return update(old, to: mapped, of: session, policy, changes, pointer, newID)
        }
        if let refusal = state.plan.refusalToAddSession(to: state.sessionCount) {
            add(.refuse, .session, session.name, refusal, pointer)
            return
        }
        mapped.id = identifier(session.id, state.sessionIds, newID)
        state.sessionIds.insert(mapped.id)
        sessionIds[session.id] = mapped.id
        var blockIds: Set<String> = []
        for index in mapped.items.indices {
            mapped.items[index].id = identifier(mapped.items[index].id, blockIds, newID)
            blockIds.insert(mapped.items[index].id)
        }
        commit(policy, changes)
        state.sessionCount += 1
        if state.sessions[digest] == nil {
            state.sessions[digest] = ImportState.Stored(id: mapped.id, name: mapped.name)
        }
        let blocks = mapped.items.count == 1 ? "1 block" : "\(mapped.items.count) blocks"
        var reason = "\(blocks), \(Self.length(mapped.totalSeconds))"
        let others = updates ? state.ids(named: session.name) : []
        if others.count > 1 {
            let ids = others.joined(separator: ", ")
            reason += "; \(others.count) sessions in the store are called \"\(session.name)\" (\(ids)), so it is added"
        }
        add(.create, .session, session.name, reason, pointer, .session(mapped))
    }

    /// Returns the identifier of what is added: its own, where that is kept and free, else a new one.
    private func identifier(_ own: String, _ taken: Set<String>, _ newID: () -> String) -> String {
        // No column holds U+0000.
        keepsIds && !taken.contains(own) && !own.utf8.contains(0) ? own : newID()
    }

    /// Plans to give a session of the store the content of the file's; blocks that stay keep their identifiers.
    private mutating func update(
        _ old: SessionTemplate,
        to content: SessionTemplate,
        of session: SessionTemplate,
        _ policy: CategoryPolicy,
        _ changes: [ImportAction],
        _ pointer: JSONPointer,
        _ newID: () -> String
    ) {
        let update = SessionUpdate(of: old, to: content, read: session, unsaid: unsaid, newID: newID)
        sessionIds[session.id] = old.id
        guard update.isChange else {
            state.replace(old, by: old)
            add(.skip, .session, session.name, "the store has it already as \"\(old.name)\" (\(old.id))", pointer)
            return
        }
        // A block that keeps its link does not stand for itself.
        let linked = update.session.items.indices.filter { update.session.items[$0].templateId != nil }
        let links = Set(linked.map { pointer.appending("items").appending($0).appending("templateId") })
        // A block that keeps its category does not take the mapped one.
        let new = update.session
        let own = new.items.indices.filter { new.items[$0].category != content.items[$0].category }
        let kept = links.union(own.map { pointer.appending("items").appending($0).appending("category") })
        commit(policy, changes.filter { $0.verb != .remap || !kept.contains($0.pointer) })
        state.replace(old, by: update.session)
        let count = old.items.count
        let blocks = new.items.count == 1 ? "1 block" : "\(new.items.count) blocks"
        let lengths =
            "\(blocks), \(Self.length(new.totalSeconds)); the store had \(count), \(Self.length(old.totalSeconds))"
        let reason = ([lengths] + ReplacedParts.words(of: old, by: update)).joined(separator: "; ")
        add(.update, .session, session.name, reason, pointer, .replacement(new))
    }

    private static func length(_ seconds: Int?) -> String { seconds.map(DurationText.words) ?? "too long to add up" }

    private mutating func add(
        _ verb: ImportAction.Verb,
        _ subject: ImportAction.Subject,
        _ name: String,
        _ reason: String,
        _ pointer: JSONPointer,
        _ payload: ImportAction.Payload? = nil
    ) {
        actions.append(
            ImportAction(verb: verb, subject: subject, name: name, reason: reason, pointer: pointer, payload: payload)
        )
    }

    /// Takes over what was remapped in something that is created, and only then.
    private mutating func commit(_ policy: CategoryPolicy, _ changes: [ImportAction]) {
        state.customCategories += policy.added
        actions += changes
    }

    private func resolve(
        _ block: BlockInstance,
        at pointer: JSONPointer,
        _ changes: inout [ImportAction]
    ) -> String? {
        guard let id = block.templateId else { return nil }
        if let mapped = activityIds[id] { return mapped }
        if state.activityIds.contains(id) { return id }
        changes.append(
            ImportAction(
                verb: .remap,
                subject: .template,
                name: block.label,
                reason: "no saved activity has the id \"\(id)\", so the block stands for itself",
                pointer: pointer.appending("templateId")
            )
        )
        return nil
    }

    private static func remap(
        _ category: String?,
        of label: String,
        at pointer: JSONPointer,
        _ policy: inout CategoryPolicy,
        _ changes: inout [ImportAction]
    ) -> String? {
        guard let category else { return nil }
        let decision = policy.decide(category)
        guard let reason = decision.reason else { return decision.category }
        changes.append(
            ImportAction(
                verb: reason == .added ? .create : .remap,
                subject: .category,
                name: reason == .added ? category : label,
                reason: text(reason, from: category, to: decision.category),
                pointer: pointer.appending("category"),
                payload: reason == .added ? .category(category) : nil
            )
        )
        return decision.category
    }

    private static func text(_ reason: CategoryDecision.Reason, from: String, to: String) -> String {
        switch reason {
        case .builtInSpelling: "\"\(from)\" is the built-in category \"\(to)\""
        case .customSpelling: "\"\(from)\" is the custom category \"\(to)\""
        case .needsPro: "\"\(from)\" becomes \"\(to)\", because custom categories are a Pro feature"
        case .added: "\"\(from)\" is new and is added to the custom categories"
        }
    }
}
