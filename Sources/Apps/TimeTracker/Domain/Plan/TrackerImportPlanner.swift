import CivilTime
import FormatKit
import StrictJSON

/// Decides activity by activity what an import does with it: create, update, skip, keep what is there, or refuse.
///
/// It holds the buttons and one bit for each activity of the store that one of the source stands for. What it decides is
/// carried out before the next activity comes, so that the lookup finds it.
///
/// 1. The same id and the same content: skipped. An activity of the store that was running and has an end in the source
///    gets that end. Another content: a conflict; the store's is kept, or the source's taken (`update`). Where another one of the
///    source has the id, it is created with an id of its own, which follows from its content.
/// 2. Another id, and an activity that the store had before has name, start and end: skipped. One of the store stands for
///    one of the source only, so that the same entry twice in a source is two.
/// 3. A record without an id of which such an activity has name and start, and another end: a conflict as well. Apple
///    Health's sleep conflicts with each stored sleep that it overlaps, because the source joins overlapping ones.
/// 4. Else it is created. An end before the start is refused.
package struct TrackerImportPlanner {
    /// What is to be done with an activity.
    package enum Step {
        case create(TrackerActivity)
        case update(key: Int, TrackerActivity)
        case none
    }

    package var buttons: TrackerButtonPlanner
    private let update: Bool
    let recorder: TrackerPlanRecorder
    private var claimed = KeySet()
    /// How many records of a content came already, for contents that came twice.
    private var ordinals: [TimeEntry: Int] = [:]

    /// - Parameters:
    ///   - stored: The store's buttons.
    ///   - update: Whether what the source has takes the place of what has the same id in the store.
    ///   - recorder: Takes note of each decision.
    package init(_ stored: [ActivityButton], update: Bool, recorder: TrackerPlanRecorder) {
        buttons = TrackerButtonPlanner(stored)
        self.update = update
        self.recorder = recorder
    }

    // MARK: Activities of a tracker export

    /// Plans an activity of a tracker export.
    package mutating func plan(
        _ activity: TrackerActivity,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        var activity = activity
        guard try !refuse(activity, at: place) else { return .none }
        guard !activity.id.isEmpty else {
            try add(.refuse, activity, id: nil, "it has no id", at: place)
            return .none
        }
        if let id = activity.buttonID { activity.buttonID = buttons.renamed[ScalarKey(id)] ?? id }
        if let stored = try lookup.stored(id: activity.id) {
            let content = activity
            return try plan(&activity, sameIDAs: stored, at: place, lookup) { $0.isEqual(to: content) }
                ?? create(activity, "another one of the source has its id", at: place)
        }
        return try planNew(activity, at: place, lookup)
    }

    /// Plans an activity of whose id there is one already: in the store, or because another one of the source has it too.
    ///
    /// - Returns: Nil where it is to be created with the id that it is given, as two of one source are two.
    private mutating func plan(
        _ activity: inout TrackerActivity,
        sameIDAs stored: TrackerStored,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup,
        isSame: (TrackerActivity) -> Bool
    ) throws -> Step? {
        let isFirst = !stored.isNew && claimed.insert(stored.key)
        if isSame(stored.activity) {
            let reason = isFirst ? "the store has it already" : "the source has it twice"
            try skip(activity, id: activity.id, reason, at: place)
            return Step.none
        }
        if let step = try planEnd(of: activity, stored, at: place) { return step }
        let id = EntryIdentity.id(ofRepeated: activity)
        if let own = try lookup.stored(id: id) {
            claimed.insert(own.key)
            try skip(activity, id: id, "the store has it already, with the id \(id)", at: place)
            return Step.none
        }
        guard isFirst else {
            activity.id = id
            return nil
        }
        let other = "\"\(stored.activity.name)\" from \(stored.activity.start)"
        guard update else {
            let reason = "the store has \(other) with that id, which is kept as it is"
            try add(.conflict, activity, id: activity.id, reason, at: place)
            return Step.none
        }
        let reason = "it takes the place of \(other), which has the same id"
        try add(.update, activity, id: activity.id, reason, at: place)
        return .update(key: stored.key, activity)
    }

    /// An activity that was running when one of the two was written.
    private func planEnd(
        of activity: TrackerActivity,
        _ stored: TrackerStored,
        at place: TrackerImportAction.Place
    ) throws -> Step? {
        var ended = stored.activity
        guard ended.name == activity.name, ended.start.moment == activity.start.moment else { return nil }
        // Calendars need an end for each event: a running activity gets its start as its end there.
        if ended.isRunning, let end = activity.end, end.moment > ended.start.moment {
            ended.end = end
            for member in activity.unknownMembers where ended.unknownMembers[member.name] == nil {
                ended.unknownMembers[member.name] = member.value
            }
            try add(.update, activity, id: ended.id, "it was running in the store, and ended at \(end)", at: place)
            return .update(key: stored.key, ended)
        }
        if activity.isRunning, let end = ended.end {
            let reason = "the store has it already, and that it ended at \(end)"
            try add(.skip, activity, id: ended.id, reason, at: place)
            return Step.none
        }
        return nil
    }

    /// Plans an activity whose id the store does not have.
    ///
    /// - Parameters:
    ///   - isNamed: Whether the source gives it an id. One without, of which the store has name and start with another
    ///     end, is the same record, changed since.
    ///   - isJoined: Whether a stored activity of its name that overlaps it is an earlier state of it.
    private mutating func planNew(
        _ activity: TrackerActivity,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup,
        isNamed: Bool = true,
        isJoined: Bool = false
    ) throws -> Step {
        let unclaimed = try lookup.stored(startingAt: activity.start.moment).filter { !claimed.contains($0.key) }
        let candidates = unclaimed.filter { $0.activity.name == activity.name }
        if let same = candidates.first(where: { $0.activity.end?.moment == activity.end?.moment }) {
            claimed.insert(same.key)
            let reason = "the store has the same with the id \(same.activity.id)"
            return try planMembers(activity.unknownMembers, of: activity, same, reason, at: place)
        }
        for candidate in candidates {
            guard let step = try planEnd(of: activity, candidate, at: place) else { continue }
            claimed.insert(candidate.key)
            return step
        }
        if isJoined, let step = try planJoined(activity, at: place, lookup) { return step }
        if !isNamed, let candidate = candidates.first, let end = candidate.activity.end {
            claimed.insert(candidate.key)
            guard update else {
                let reason = "the store has it with the end \(end), which is kept as it is"
                try add(.conflict, activity, id: candidate.activity.id, reason, at: place)
                return .none
            }
            var changed = candidate.activity
            changed.end = activity.end
            for member in activity.unknownMembers { changed.unknownMembers[member.name] = member.value }
            try add(.update, activity, id: changed.id, "it ended at \(end) in the store", at: place)
            return .update(key: candidate.key, changed)
        }
        // Another program may call the same time otherwise: a person has to tell.
        let other = unclaimed.first { !$0.isNew && $0.activity.end?.moment == activity.end?.moment }
        let remark = other.map { "the store has \"\($0.activity.name)\" from the same start to the same end" }
        return try create(activity, remark, at: place)
    }

    /// Plans an activity of which the store has an earlier state, with other times; nil where it has none.
    private mutating func planJoined(
        _ activity: TrackerActivity,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step? {
        let known = try lookup.stored(overlapping: activity).filter { $0.activity.name == activity.name }
        guard let first = known.first, let end = first.activity.end else { return nil }
        let isOnly = claimed.insert(first.key) && known.count == 1
        let times = "from \(first.activity.start) to \(end)"
        guard update, isOnly else {
            let others = known.count > 1 ? ", and \(known.count - 1) more at that time" : ""
            let reason = "the store has it \(times)\(others), which is kept as it is"
            try add(.conflict, activity, id: first.activity.id, reason, at: place)
            return Step.none
        }
        var changed = first.activity
        (changed.start, changed.end) = (activity.start, activity.end)
        for member in activity.unknownMembers { changed.unknownMembers[member.name] = member.value }
        try add(.update, activity, id: changed.id, "it was \(times) in the store", at: place)
        return .update(key: first.key, changed)
    }

    /// Plans an activity that the store has with the same name and times: skipped, unless it says more than the store's.
    private func planMembers(
        _ members: JSONObject,
        of activity: TrackerActivity,
        _ stored: TrackerStored,
        _ reason: @autoclosure () -> String,
        at place: TrackerImportAction.Place
    ) throws -> Step {
        let others = stored.activity.others(of: members)
        guard !others.isEmpty else {
            try skip(activity, id: stored.activity.id, reason(), at: place)
            return .none
        }
        let names = stored.activity.names(of: others)
        guard update else {
            let reason = "the store has it, but not with this \(names); it is kept as it is"
            try add(.conflict, activity, id: stored.activity.id, reason, at: place)
            return .none
        }
        var changed = stored.activity
        for member in others { changed.unknownMembers[member.name] = member.value }
        try add(.update, activity, id: changed.id, "it gets from the source: \(names)", at: place)
        return .update(key: stored.key, changed)
    }

    private func create(
        _ activity: TrackerActivity,
        _ remark: String?,
        at place: TrackerImportAction.Place
    ) throws -> Step {
        try recorder.add(.create, .activity) {
            let reason = [Self.length(activity), remark].compactMap(\.self).joined(separator: "; ")
            return action(.create, activity, id: activity.id, reason, at: place)
        }
        return .create(activity)
    }

    // MARK: Records of other programs

    /// Plans a record of another program.
    ///
    /// - Parameter source: The kind of the source, for example `toggl`; ids of records that have none depend on it.
    package mutating func plan(
        _ entry: TimeEntry,
        source: String,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let place = TrackerImportAction.Place.record(entry.place)
        var entry = entry
        // What another program takes for a colour is not worth a record.
        entry.color = entry.color.flatMap { ActivityButton.isColor($0) ? $0 : nil }
        var activity = TrackerActivity(
            id: "",
            name: entry.name,
            start: entry.start,
            end: entry.end,
            color: entry.color,
            unknownMembers: entry.preserved
        )
        guard try !refuse(activity, at: place) else { return .none }
        if let identity = entry.identity, !identity.isEmpty {
            activity.id = identity
            if let stored = try lookup.stored(id: identity) {
                let given = activity
                let others = stored.activity.names(of: stored.activity.others(of: given.unknownMembers))
                if stored.isNew, !others.isEmpty, stored.activity.hasSameTimes(as: given) {
                    let reason = "the source has it twice, with another \(others); the first is kept"
                    try add(.conflict, activity, id: identity, reason, at: place)
                    return .none
                }
                activity = try changed(stored.activity, by: entry, at: place)
                let step = try plan(&activity, sameIDAs: stored, at: place, lookup) {
                    $0.hasSameTimes(as: given) && others.isEmpty
                }
                if let step { return step }
                activity.unknownMembers = entry.preserved
                let button = try buttons.button(named: entry.name, color: entry.color, recorder, place: place)
                activity.buttonID = button.id
                activity.color = entry.color ?? button.color
                return try create(activity, "another one of the source has its id", at: place)
            }
        } else {
            activity.id = EntryIdentity.id(of: entry, source: source, ordinal: 0)
            if let stored = try lookup.stored(id: activity.id) {
                if !stored.isNew, claimed.insert(stored.key) {
                    return try planMembers(
                        entry.preserved,
                        of: activity,
                        stored,
                        "the store has it already",
                        at: place
                    )
                }
                // The same record came before in this source.
                if let step = try planRepeated(entry, source, &activity, at: place, lookup) { return step }
            }
        }
        let button = try buttons.button(named: entry.name, color: entry.color, recorder, place: place)
        activity.buttonID = button.id
        activity.color = entry.color ?? button.color
        return try planNew(
            activity,
            at: place,
            lookup,
            isNamed: entry.identity?.isEmpty == false,
            isJoined: entry.isJoined
        )
    }

    /// An activity of the store with what a record says of it.
    private mutating func changed(
        _ stored: TrackerActivity,
        by entry: TimeEntry,
        at place: TrackerImportAction.Place
    ) throws -> TrackerActivity {
        var changed = stored
        (changed.name, changed.start, changed.end) = (entry.name, entry.start, entry.end)
        for member in entry.preserved { changed.unknownMembers[member.name] = member.value }
        guard update, entry.name != stored.name else { return changed }
        let button = try buttons.button(named: entry.name, color: entry.color, recorder, place: place)
        changed.buttonID = button.id
        changed.color = entry.color ?? button.color
        return changed
    }

    /// Gives a record that came before an id of its own.
    private mutating func planRepeated(
        _ entry: TimeEntry,
        _ source: String,
        _ activity: inout TrackerActivity,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step? {
        var content = entry
        content.place = EntryPlace(kind: "")
        content.color = nil
        content.preserved = JSONObject()
        while true {
            let ordinal = ordinals[content, default: 0] + 1
            ordinals[content] = ordinal
            activity.id = EntryIdentity.id(of: entry, source: source, ordinal: ordinal)
            guard let stored = try lookup.stored(id: activity.id) else { return nil }
            if !stored.isNew, claimed.insert(stored.key) {
                return try planMembers(entry.preserved, of: activity, stored, "the store has it already", at: place)
            }
        }
    }

    // MARK: Running activities

    /// Ends all that are running but the last, each when the next one begins.
    ///
    /// - Parameter running: The activities of the store that are running once all else is done, in the order of their
    ///   starts.
    package func settle(_ running: [TrackerStored]) throws -> [Step] {
        try zip(running, running.dropFirst()).map { earlier, later in
            var ended = earlier.activity
            ended.end = later.activity.start
            let reason =
                "it ends at \(later.activity.start), as \"\(later.activity.name)\" begins then and one runs at a time"
            try add(.update, ended, id: ended.id, reason, at: .store)
            return .update(key: earlier.key, ended)
        }
    }
}

extension TrackerActivity {
    /// Whether two activities hold the same; offsets from UTC are how a moment is written and do not count.
    fileprivate func isEqual(to other: TrackerActivity) -> Bool {
        hasSameTimes(as: other) && buttonID == other.buttonID && color == other.color
            && unknownMembers == other.unknownMembers
    }

    /// The members that this activity does not have, or with another value, in their order.
    ///
    /// Columns of a report come with those that it has: reports of two programs can tell of one activity.
    fileprivate func others(of members: JSONObject) -> [JSONObject.Member] {
        members.compactMap { member in
            guard member.name != Preserved.memberName, unknownMembers[member.name] != member.value else { return nil }
            guard member.name == Self.columns, let own = unknownMembers[Self.columns]?.object,
                let given = member.value.object
            else { return member }
            var both = own
            for column in given { both[column.name] = column.value }
            return both == own ? nil : JSONObject.Member(name: member.name, value: .object(both))
        }
    }

    /// Returns the names of such members for a person: columns by their own names.
    fileprivate func names(of others: [JSONObject.Member]) -> String {
        others.flatMap { member in
            guard member.name == Self.columns, let columns = member.value.object else { return [member.name] }
            let own = unknownMembers[Self.columns]?.object
            return columns.filter { own?[$0.name] != $0.value }.map(\.name)
        }.joined(separator: ", ")
    }

    /// The member with the columns of a report that are no detail.
    private static var columns: String { "columns" }

    fileprivate func hasSameTimes(as other: TrackerActivity) -> Bool {
        name == other.name && start.moment == other.start.moment && end?.moment == other.end?.moment
    }
}
