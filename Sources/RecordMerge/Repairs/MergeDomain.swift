public import StrictJSON

/// What holds between the records of an app, and is mended where the changes of several devices do not go together.
///
/// Repairs are functions of what is shown. They are never changes: a device that has seen as much mends as much.
public enum MergeDomain: String, Sendable, Hashable, CaseIterable {
    /// Nothing is mended.
    case none
    /// BZ Timer's store.
    case bztimer
    /// Slate.
    case slate
    /// Time Tracker.
    case tracker
    /// Study Timer.
    case study

    func mend(_ set: inout ShownSet) {
        switch self {
        case .none: break
        case .bztimer: BztimerRepairs.mend(&set)
        case .slate: SlateRepairs.mend(&set)
        case .tracker: TrackerRepairs.mend(&set)
        case .study: StudyRepairs.mend(&set)
        }
    }

    /// The record with facts that follow from a record; nil where there is none.
    ///
    /// Who changes a record writes these anew, as their store has them: so it shows where several devices changed what one
    /// fact follows from, without knowing of each other.
    ///
    /// - Parameter object: The record, as it is or was.
    public func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? {
        switch self {
        case .slate where key.collection == "habit_completions":
            object["date"]?.string.map { RecordKey("day_plan", $0) }
        case .slate where key.collection == "day_snapshots": RecordKey("day_plan", key.key)
        case .study where key.collection == "events":
            object["session_id"]?.string.map { RecordKey("sessions", $0) }
        default: nil
        }
    }

    /// The records with facts that follow from what differs between two sets, and are in the second.
    func facts(from base: RecordSet, to ours: RecordSet) -> Set<RecordKey> {
        let changed = ours.objects.filter { base.objects[$0.key] != $0.value }
        let removed = base.objects.filter { ours.objects[$0.key] == nil }
        let found = (Array(changed) + Array(removed)).compactMap { facts(of: $0.key, $0.value) }
        return Set(found.filter { ours.objects[$0] != nil })
    }

    /// The reference that a record lost, and the record that it named; nil where it lost none.
    ///
    /// Where that record is gone, the app only did what the repair does. It is no edit of the record: who deletes it without
    /// knowing of that is not contradicted, and if the other one comes back, so does the reference.
    public func lostReference(
        of key: RecordKey,
        from before: JSONObject,
        to now: JSONObject
    ) -> (member: String, target: RecordKey)? {
        let (member, collection): (String, String)
        switch (self, key.collection) {
        case (.bztimer, "history"): (member, collection) = ("sessionId", "sessions")
        case (.slate, "tasks"): (member, collection) = ("depends_on_task_id", "tasks")
        default: return nil
        }
        guard let name = before[member]?.string, now[member]?.isNull ?? true else { return nil }
        return (member, RecordKey(collection, name))
    }

    /// Gives records the references again that they lost because other records went.
    func restoreReferences(from base: RecordSet, to ours: inout RecordSet) {
        for (key, before) in base.objects {
            guard let now = ours.objects[key], let lost = lostReference(of: key, from: before, to: now),
                ours.objects[lost.target] == nil
            else { continue }
            ours.objects[key]?[lost.member] = before[lost.member]
        }
    }

    /// The collection whose changes concern the facts of all records that refer to the text; nil where there is none.
    public var sharedSource: (collection: String, text: String)? {
        self == .slate ? ("habits", SlateRepairs.habits) : nil
    }
}
