import CivilTime
import FormatKit
import StrictJSON

/// Decides activity by activity what an import does with it: create, update, skip, keep what is there, or refuse.
///
/// It holds the buttons, one bit for each activity of the store that one of the source stands for, and the records that wait
/// for the end of the source. What it decides is carried out before the next activity comes, so that the lookup finds it.
///
/// 1. The same id and the same content: skipped. An activity of the store that was running and has an end in the source
///    gets that end. Another content: a conflict; the store's is kept, or the source's taken (`update`). Where another one of the
///    source has the id, it is created with an id of its own, which follows from its content.
/// 2. Another id, and an activity that the store had before has name, start and end: skipped. One of the store stands for
///    one of the source only, so that the same entry twice in a source is two.
/// 3. A record without an id that equals no activity of its name and start waits until all others are planned. Of what is left
///    then, records and activities that differ least stand for each other: other details or another end are a conflict.
///    Apple Health's sleep conflicts with each stored sleep that it overlaps, because the source joins overlapping ones.
/// 4. Else it is created. An end before the start is refused.
///
/// A record and an activity whose reports name different people are never the same. A created record with the start and end of
/// an activity that nothing of the source stands for is counted in a note; `update` gives that activity its name where all else
/// is the same.
package struct TrackerImportPlanner {
    /// The actions on an activity.
    package enum Step {
        case create(TrackerActivity)
        case update(key: Int, TrackerActivity)
        case none
    }

    package var buttons: TrackerButtonPlanner
    /// The places of a source that does not give all of its activities; nil where it does.
    package var places: SourcePlaces?
    private let update: Bool
    /// The command that deletes an entry, before its id.
    private let deletion: String
    let recorder: TrackerPlanRecorder
    private var claimed = KeySet()
    /// The first ordinal that may be free or wait for its record, for contents that came twice.
    private var ordinals: [Content: Int] = [:]
    /// The first ordinal of ids of earlier versions that may wait for its record, by the first of these ids.
    private var formerOrdinals: [String: Int] = [:]
    /// Records that the store has otherwise, by name and start, in the order in which they came.
    private var waiting: [[Waiting]] = []
    private var waitingPlaces: [Content: Int] = [:]
    /// Activities that differ from the store's with their ids: those with its times, the rest, and how many were planned.
    private var others: [[Other]] = [[], []]
    private var takenOthers = [0, 0]
    /// The number of groups of waiting records that were taken up.
    private var takenUp = 0
    /// Activities of the store that new records of the same name overlap, and what to say of it.
    private var overlaps: [(key: Int, text: String)] = []
    /// New records that the store may have under another name or address.
    private var twins: [Twin] = []
    /// Records that the store may have under another name, and the activities that take theirs once all others are planned.
    private var renamed: [Waiting] = []
    private var renamings: [TrackerStored?] = []
    private var takenRenamed = 0
    /// Waiting records with the activities that they stand for, the next one last.
    private var matched: [(record: Waiting, candidate: Candidate?)] = []

    /// - Parameters:
    ///   - stored: The store's buttons.
    ///   - update: Whether what the source has takes the place of what has the same id in the store.
    ///   - deletion: The command that deletes an entry, before its id.
    ///   - recorder: Takes note of each decision.
    package init(_ stored: [ActivityButton], update: Bool, deletion: String, recorder: TrackerPlanRecorder) {
        buttons = TrackerButtonPlanner(stored)
        self.update = update
        self.deletion = deletion
        self.recorder = recorder
    }

    // MARK: Activities of a tracker export

    /// Plans an activity of a tracker export.
    ///
    /// - Parameter mayRepeat: Whether several of the source may have one id.
    package mutating func plan(
        _ activity: TrackerActivity,
        at place: TrackerImportAction.Place,
        mayRepeat: Bool = false,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let given = activity
        var activity = activity
        guard try !refuse(activity, at: place) else { return .none }
        guard !activity.id.isEmpty else {
            try add(.refuse, activity, id: nil, "it has no id", at: place)
            return .none
        }
        if let id = activity.buttonID { activity.buttonID = buttons.renamed[ScalarKey(id)] ?? id }
        if let stored = try lookup.stored(id: activity.id) {
            var content = activity
            if let places {
                content.keep(stored.activity, without: places)
                content.keepOffsets(of: stored.activity)
            }
            var taken = content
            let planned = try plan(&taken, sameIDAs: stored, at: place, waits: mayRepeat, lookup) {
                [content] in $0.isEqual(to: content)
            }
            switch planned {
            case .done(let step): return step
            case .repeated:
                // It is another entry, which gets nothing from the store's.
                activity.id = taken.id
                return try create(activity, Self.repeated, at: place)
            case .later: return wait(.activity(given, place), hasSameTimes: stored.activity.hasSameTimes(as: content))
            }
        }
        return try planNew(activity, at: place, lookup)
    }

    /// Plans an activity of whose id there is one already: in the store, or because another one of the source has it too.
    ///
    /// - Parameter waits: Whether one that differs waits until all others are planned.
    private mutating func plan(
        _ activity: inout TrackerActivity,
        sameIDAs stored: TrackerStored,
        at place: TrackerImportAction.Place,
        waits: Bool,
        _ lookup: some TrackerLookup,
        isSame: (TrackerActivity) -> Bool
    ) throws -> Planned {
        let isFirst = !stored.isNew && !claimed.contains(stored.key)
        if isSame(stored.activity) {
            claimed.insert(stored.key)
            let reason = isFirst ? "the store has it already" : "the source has it twice"
            try skip(activity, id: activity.id, reason, at: place)
            return .done(.none)
        }
        if let step = try planEnd(of: activity, stored, whole: activity, at: place) {
            claimed.insert(stored.key)
            return .done(step)
        }
        let id = EntryIdentity.id(ofRepeated: activity)
        if let own = try lookup.stored(id: id) {
            claimed.insert(own.key)
            try skip(activity, id: id, "the store has it already, with the id \(id)", at: place)
            return .done(.none)
        }
        guard isFirst else {
            activity.id = id
            return .repeated
        }
        guard !waits else { return .later }
        claimed.insert(stored.key)
        return .done(try planOther(activity, than: stored, at: place, lookup))
    }

    private static let repeated = "another one of the source has its id"

    /// The result of planning an activity of whose id there is one already.
    private enum Planned {
        case done(Step)
        /// It has an id of its own now, as two of one source are two.
        case repeated
        /// It differs from the store's: another one of the source may be the same as that, and all others come first.
        case later
    }

    /// An activity that differs from the store's with its id.
    private enum Other {
        case activity(TrackerActivity, TrackerImportAction.Place)
        case record(TimeEntry, source: String)
    }

    /// Puts an activity aside until all others are planned; of those, one with the times of the store's comes first.
    private mutating func wait(_ other: Other, hasSameTimes: Bool) -> Step {
        others[hasSameTimes ? 0 : 1].append(other)
        return .none
    }

    /// Plans the next activity that differs from the store's with its id; nil where none is left.
    private mutating func planNextOther(_ lookup: some TrackerLookup) throws -> Step? {
        for kind in others.indices where takenOthers[kind] < others[kind].count {
            defer { takenOthers[kind] += 1 }
            switch others[kind][takenOthers[kind]] {
            case .activity(let activity, let place): return try plan(activity, at: place, lookup)
            case .record(let entry, let source): return try plan(entry, source: source, waits: false, lookup)
            }
        }
        return nil
    }

    /// Plans an activity that differs from the store's with its id.
    private mutating func planOther(
        _ activity: TrackerActivity,
        than stored: TrackerStored,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let other = "\"\(stored.activity.name)\" from \(stored.activity.start)"
        let differences = stored.activity.differences(from: activity)
        guard update else {
            let reason = "the store has \(other) with that id, which is kept as it is"
            try add(.conflict, activity, id: activity.id, reason + Self.words(differing: differences), at: place)
            return .none
        }
        let reason = "it takes the place of \(other), which has the same id" + Self.words(differences)
        try noteOverlaps(of: activity, before: stored, at: place, lookup)
        try add(.update, activity, id: activity.id, reason, at: place)
        return .update(key: stored.key, activity)
    }

    /// Plans an activity of which the store has name and start, and another end: the same record, changed since.
    private mutating func planOtherEnd(
        of activity: TrackerActivity,
        _ stored: TrackerStored,
        _ places: SourcePlaces,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let end = stored.activity.end.map { "\($0)" } ?? "none"
        var changed = stored.activity
        changed.take(activity.unknownMembers, places)
        let differences = stored.activity.differences(from: changed)
        changed.end = activity.end
        guard update else {
            let reason = "the store has it with the end \(end), which is kept as it is"
            try add(.conflict, activity, id: changed.id, reason + Self.words(differing: differences), at: place)
            return .none
        }
        let reason = "it ended at \(end) in the store" + Self.words(differences)
        try noteOverlaps(of: changed, before: stored, at: place, lookup)
        try add(.update, activity, id: changed.id, reason, at: place)
        return .update(key: stored.key, changed)
    }

    /// Plans the end of an activity that was running when the store or the file was written.
    ///
    /// The end comes without a question, and so does what the store's activity lacks. Where it has other values, they give
    /// way on request only.
    ///
    /// - Parameter whole: The activity as it is if the source's values take the place of the store's.
    private func planEnd(
        of activity: TrackerActivity,
        _ stored: TrackerStored,
        whole: TrackerActivity,
        at place: TrackerImportAction.Place
    ) throws -> Step? {
        var ended = stored.activity
        guard ended.name == activity.name, ended.start.moment == activity.start.moment else { return nil }
        // Calendars need an end for each event: a running activity gets its start as its end there.
        if ended.isRunning, let end = activity.end, end.moment > ended.start.moment {
            ended.end = end
            var whole = whole
            whole.end = end
            var reason = "it was running in the store, and ended at \(end)"
            if update {
                reason += Self.words(ended.differences(from: whole))
                ended = whole
            } else {
                ended.add(activity.unknownMembers)
                let differences = ended.differences(from: whole)
                let names = (differences.changed + differences.removed).joined(separator: ", ")
                if !names.isEmpty { reason += "; it keeps what the store has otherwise: \(names)" }
            }
            try add(.update, activity, id: ended.id, reason, at: place)
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
    private mutating func planNew(
        _ activity: TrackerActivity,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let unclaimed = try lookup.stored(startingAt: activity.start.moment).filter { !claimed.contains($0.key) }
        let candidates = unclaimed.filter {
            $0.activity.name == activity.name && !$0.activity.isOfAnotherPerson(than: activity.unknownMembers)
        }
        if let same = candidates.first(where: { $0.activity.end?.moment == activity.end?.moment }) {
            claimed.insert(same.key)
            let reason = "the store has the same with the id \(same.activity.id)"
            return try planMembers(of: activity, same, SourcePlaces(), reason, at: place)
        }
        for candidate in candidates {
            let whole = candidate.activity.taking(activity.unknownMembers, SourcePlaces())
            guard let step = try planEnd(of: activity, candidate, whole: whole, at: place) else { continue }
            claimed.insert(candidate.key)
            return step
        }
        return try create(activity, remark(on: activity, unclaimed), at: place)
    }

    /// Names an activity of the store with the same times, which another program may call otherwise: a person has to tell.
    private func remark(on activity: TrackerActivity, _ stored: [TrackerStored]) -> String? {
        let other = stored.first { !$0.isNew && $0.activity.end?.moment == activity.end?.moment }
        return other.map { "the store has \"\($0.activity.name)\" from the same start to the same end" }
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
        changed.take(activity.unknownMembers, SourcePlaces())
        try add(.update, activity, id: changed.id, "it was \(times) in the store", at: place)
        return .update(key: first.key, changed)
    }

    /// Plans an activity that the store has with the same name and times: skipped, unless it says something else.
    private func planMembers(
        of activity: TrackerActivity,
        _ stored: TrackerStored,
        _ places: SourcePlaces,
        _ reason: @autoclosure () -> String,
        at place: TrackerImportAction.Place
    ) throws -> Step {
        let members = activity.unknownMembers
        let names = stored.activity.fields(of: stored.activity.others(of: members)).joined(separator: ", ")
        let emptied = stored.activity.emptied(by: members, places)
        let gone = (emptied.members + emptied.columns).joined(separator: ", ")
        guard !names.isEmpty || !gone.isEmpty else {
            try skip(activity, id: stored.activity.id, reason(), at: place)
            return .none
        }
        guard update else {
            let parts = [
                names.isEmpty ? nil : "but not with this \(names)",
                gone.isEmpty ? nil : "\(names.isEmpty ? "but" : "and") with \(gone), which the source leaves empty",
            ]
            let what = parts.compactMap(\.self).joined(separator: ", ")
            try add(
                .conflict,
                activity,
                id: stored.activity.id,
                "the store has it, \(what); it is kept as it is",
                at: place
            )
            return .none
        }
        var changed = stored.activity
        changed.take(members, places)
        let parts = [
            names.isEmpty ? nil : "it gets from the source: \(names)",
            gone.isEmpty ? nil : "it loses what the source leaves empty: \(gone)",
        ]
        try add(.update, activity, id: changed.id, parts.compactMap(\.self).joined(separator: "; "), at: place)
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
        waits: Bool = true,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let given = entry
        let place = TrackerImportAction.Place.record(entry.place)
        var entry = entry
        // What another program takes for a colour is not worth a record.
        entry.color = entry.color.flatMap { ActivityButton.isColor($0) ? $0 : nil }
        var activity = TrackerActivity(of: entry)
        guard try !refuse(activity, at: place) else { return .none }
        guard var identity = entry.identity, !identity.isEmpty else {
            return try planUnnamed(Waiting(entry: entry, source: source), waits: true, lookup)
        }
        var found = try lookup.stored(id: identity)
        if found == nil, let former = try storedByFormerIdentity(of: entry, lookup) {
            (found, identity) = (former, former.activity.id)
        }
        activity.id = identity
        if let stored = found {
            entry.keepWriting(of: stored.activity)
            (activity.start, activity.end, activity.unknownMembers) = (entry.start, entry.end, entry.preserved)
            let content = activity
            let others = stored.activity.fields(of: stored.activity.others(of: content.unknownMembers))
                .joined(separator: ", ")
            // The same event twice in a source may say less the second time.
            let isFirst = !stored.isNew && !claimed.contains(stored.key)
            let emptied = stored.activity.emptied(by: entry.preserved, entry.places)
            let isWhole = !isFirst || emptied.members.isEmpty && emptied.columns.isEmpty
            if stored.isNew, !others.isEmpty, stored.activity.hasSameTimes(as: content) {
                let reason = "the source has it twice, with another \(others); the first is kept"
                try add(.conflict, activity, id: identity, reason, at: place)
                return .none
            }
            activity = try changed(stored.activity, by: entry, at: place)
            let planned = try plan(&activity, sameIDAs: stored, at: place, waits: waits, lookup) {
                [content] in $0.hasSameTimes(as: content) && others.isEmpty && isWhole
            }
            switch planned {
            case .done(let step): return step
            case .later:
                return wait(.record(given, source: source), hasSameTimes: stored.activity.hasSameTimes(as: content))
            case .repeated: break
            }
            activity.unknownMembers = entry.preserved
            try setButton(of: &activity, entry, at: place)
            return try create(activity, Self.repeated, at: place)
        }
        try setButton(of: &activity, entry, at: place)
        return try planNew(activity, at: place, lookup)
    }

    /// Returns what the store had before this import under an identifier that the record had; nil where it has nothing.
    private func storedByFormerIdentity(of entry: TimeEntry, _ lookup: some TrackerLookup) throws -> TrackerStored? {
        guard let former = entry.formerIdentity, let stored = try lookup.stored(id: former), !stored.isNew,
            !claimed.contains(stored.key)
        else { return nil }
        return stored
    }

    private mutating func setButton(
        of activity: inout TrackerActivity,
        _ entry: TimeEntry,
        at place: TrackerImportAction.Place
    ) throws {
        let button = try buttons.button(named: entry.name, color: entry.color, recorder, place: place)
        activity.buttonID = button.id
        activity.color = entry.color ?? button.color
    }

    /// Returns an activity of the store with the changes of a record.
    private mutating func changed(
        _ stored: TrackerActivity,
        by entry: TimeEntry,
        at place: TrackerImportAction.Place
    ) throws -> TrackerActivity {
        var changed = stored
        (changed.name, changed.start, changed.end) = (entry.name, entry.start, entry.end)
        changed.take(entry.preserved, entry.places)
        if update, entry.name != stored.name { try setButton(of: &changed, entry, at: place) }
        return changed
    }

    // MARK: Records without ids

    /// A record without an id, and the kind of its source.
    private struct Waiting {
        let entry: TimeEntry
        let source: String
    }

    /// The parts that form a record's id.
    private struct Content: Hashable {
        let name: String
        let start: Timestamp
        var end: Timestamp?
        let untimed: TimeEntry.Untimed?
        var person: String?

        init(_ entry: TimeEntry) {
            person = TrackerActivity.person(in: entry.preserved)
            untimed = entry.untimed
            name = entry.name
            start = entry.untimed?.day ?? entry.start.moment
            end = entry.untimed == nil ? entry.end?.moment : nil
        }
    }

    /// An activity that the store had before, and that a record can stand for.
    private struct Candidate {
        /// The ways in which the times of a record and of an activity differ.
        enum Times: Int {
            /// They have one name, start and end.
            case same
            /// The activity has the id of the record: a person corrected it since, or the record has no times.
            case own
            /// One of the two is running.
            case running
            /// They have one name and start.
            case otherEnd
        }

        let stored: TrackerStored
        let times: Times
        /// Tells that the activity has an id of the record.
        let isOwn: Bool
        /// The difference in the order in which it counts.
        let difference: (end: Int, details: Int, times: Int, others: Int)

        init(_ activity: TrackerActivity, _ stored: TrackerStored, _ places: SourcePlaces, isOwn: Bool) {
            let other = stored.activity
            let emptied = other.emptied(by: activity.unknownMembers, places)
            (self.stored, self.isOwn) = (stored, isOwn)
            if other.hasSameTimes(as: activity) {
                times = .same
            } else if isOwn {
                times = .own
            } else {
                times = other.isRunning || activity.isRunning ? .running : .otherEnd
            }
            difference = (
                end: times == .running || times == .otherEnd ? times.rawValue : 0,
                details: other.fields(of: other.others(of: activity.unknownMembers)).count
                    + emptied.members.count + emptied.columns.count,
                times: times.rawValue,
                others: activity.others(of: other.unknownMembers).count
            )
        }

        /// Tells that both say the same.
        var isExact: Bool { difference.end == 0 && difference.details == 0 && difference.others == 0 }

        var reason: String {
            guard isOwn else { return "the store has the same with the id \(stored.activity.id)" }
            guard times == .own else { return "the store has it already" }
            let end = stored.activity.end.map { "to \($0)" } ?? "and running"
            return "the store has it already, changed since: from \(stored.activity.start) \(end)"
        }
    }

    /// Plans a record without an id.
    ///
    /// - Parameters:
    ///   - waits: Whether a record that the store has otherwise waits until all others are planned.
    ///   - isLast: Whether one that the store has under another name waits no more.
    private mutating func planUnnamed(
        _ record: Waiting,
        waits: Bool,
        isLast: Bool = false,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let entry = record.entry
        let place = TrackerImportAction.Place.record(entry.place)
        var activity = TrackerActivity(of: entry)
        let known = try known(record, lookup)
        if let same = known.candidates.first(where: { isSettled($0, entry) }) {
            claimed.insert(same.stored.key)
            if update, same.times == .own { return try planCorrected(entry, same.stored, lookup) }
            try skip(activity, id: same.stored.activity.id, same.reason, at: place)
            return .none
        }
        if waits, !known.candidates.isEmpty {
            wait(record)
            return .none
        }
        if entry.isJoined, let step = try planJoined(activity, at: place, lookup) { return step }
        if !isLast, known.starting.contains(where: { isRenamed($0, record) }) {
            renamed.append(record)
            return .none
        }
        activity.id = known.freeID
        try setButton(of: &activity, entry, at: place)
        noteTwins(of: entry, known.starting)
        try noteOverlaps(of: activity, untimed: entry.untimed, at: place, lookup)
        return try create(activity, remark(on: activity, known.starting), at: place)
    }

    /// Plans a record whose activity a person corrected since, or that has no times.
    private mutating func planCorrected(
        _ entry: TimeEntry,
        _ stored: TrackerStored,
        _ lookup: some TrackerLookup
    ) throws -> Step {
        let place = TrackerImportAction.Place.record(entry.place)
        return try planOther(changed(stored.activity, by: entry, at: place), than: stored, at: place, lookup)
    }

    /// Takes note of what a new record overlaps: it may be a corrected one, which would count twice.
    ///
    /// A record without times may correct any of its day.
    ///
    /// - Parameter before: The activity that gets the times of the record; what it overlapped already is not noted.
    private mutating func noteOverlaps(
        of activity: TrackerActivity,
        before: TrackerStored? = nil,
        untimed: TimeEntry.Untimed? = nil,
        at place: TrackerImportAction.Place,
        _ lookup: some TrackerLookup
    ) throws {
        guard let end = activity.end, before?.activity.hasSameTimes(as: activity) != true else { return }
        var span = activity
        if let day = untimed?.zonedDay {
            span.start = ZonedTimestamp(day)
            span.end = ZonedTimestamp(max(day.adding(seconds: 86_400), end.moment))
        }
        for stored in try lookup.stored(overlapping: span) where stored.activity.name == activity.name {
            guard let until = stored.activity.end, !claimed.contains(stored.key), stored.key != before?.key,
                !stored.activity.isOfAnotherPerson(than: activity.unknownMembers),
                before.map({ !$0.activity.overlaps(stored.activity) }) ?? true
            else { continue }
            let relation = activity.overlaps(stored.activity) ? "overlaps" : "shares the day with"
            let text =
                "\(place): \"\(activity.name)\" from \(activity.start) to \(end) \(relation) that of the store from "
                + "\(stored.activity.start) to \(until), which the file does not have; where the file corrects it: "
                + "\(deletion) \(stored.activity.id)"
            overlaps.append((stored.key, text))
        }
    }

    /// Names the overlaps with activities that nothing of the source stands for, once all of it is planned.
    package func recordOverlaps() {
        let found = overlaps.filter { !claimed.contains($0.key) }.map(\.text)
        for text in found.prefix(Self.mostOverlaps) { recorder.note(text) }
        let rest = found.count - Self.mostOverlaps
        if rest > 0 { recorder.note("… and \(rest) more that overlap") }
    }

    /// The most overlaps that are named.
    private static let mostOverlaps = 100

    /// Tells whether an activity says what a record says, so that no other one needs to be looked at.
    private func isSettled(_ candidate: Candidate, _ entry: TimeEntry) -> Bool {
        candidate.isExact && (candidate.times == .same || entry.untimed == nil)
    }

    /// Finds what the store had before this import and a record can stand for, and the id of the record if it is created.
    private mutating func known(
        _ record: Waiting,
        _ lookup: some TrackerLookup
    ) throws -> (candidates: [Candidate], starting: [TrackerStored], freeID: String) {
        let entry = record.entry
        let activity = TrackerActivity(of: entry)
        var candidates: [Candidate] = []
        let content = Content(entry)
        var ordinal = ordinals[content, default: 0]
        var isTaken = true
        var id = EntryIdentity.id(of: entry, source: record.source, ordinal: ordinal)
        func own(_ stored: TrackerStored) -> Candidate? {
            guard !stored.activity.isOfAnotherPerson(than: entry.preserved) else { return nil }
            return Candidate(activity, stored, entry.places, isOwn: true)
        }
        while let stored = try lookup.stored(id: id) {
            if !stored.isNew, !claimed.contains(stored.key) {
                // Another record of this content may be that one.
                isTaken = false
                if let candidate = own(stored) {
                    candidates.append(candidate)
                    if isSettled(candidate, entry) { return ([candidate], [], id) }
                }
            }
            ordinal += 1
            if isTaken { ordinals[content] = ordinal }
            id = EntryIdentity.id(of: entry, source: record.source, ordinal: ordinal)
        }
        for stored in try storedByFormerID(record, lookup) {
            guard let candidate = own(stored) else { continue }
            candidates.append(candidate)
            if isSettled(candidate, entry) { return ([candidate], [], id) }
        }
        let starting = try lookup.stored(startingAt: entry.start.moment).filter { !claimed.contains($0.key) }
        let found = candidates.map(\.stored.key)
        for stored in starting where stored.activity.name == entry.name && !found.contains(stored.key) {
            if stored.activity.isOfAnotherPerson(than: entry.preserved) { continue }
            let candidate = Candidate(activity, stored, entry.places, isOwn: false)
            let isPossible =
                switch candidate.times {
                case .same, .own: entry.untimed == nil || candidate.isExact
                // An event without a length does not end what is running.
                case .running: entry.untimed == nil && (entry.end.map { $0.moment > entry.start.moment } ?? true)
                case .otherEnd: entry.untimed == nil && !entry.isJoined
                }
            if isPossible { candidates.append(candidate) }
        }
        return (candidates, starting, id)
    }

    /// Returns what the store has under ids that earlier versions gave a record.
    private mutating func storedByFormerID(
        _ record: Waiting,
        _ lookup: some TrackerLookup
    ) throws -> [TrackerStored] {
        func ids(_ ordinal: Int) -> [String] {
            EntryIdentity.formerIDs(of: record.entry, source: record.source, ordinal: ordinal)
        }
        var found: [TrackerStored] = []
        for (kind, first) in ids(0).enumerated() {
            var ordinal = formerOrdinals[first, default: 0]
            var isTaken = true
            while let stored = try lookup.stored(id: ordinal == 0 ? first : ids(ordinal)[kind]) {
                if !stored.isNew, !claimed.contains(stored.key) {
                    isTaken = false
                    found.append(stored)
                }
                ordinal += 1
                if isTaken { formerOrdinals[first] = ordinal }
            }
        }
        return found
    }

    private mutating func wait(_ record: Waiting) {
        var content = Content(record.entry)
        (content.end, content.person) = (nil, nil)
        if let place = waitingPlaces[content] {
            waiting[place].append(record)
        } else {
            waitingPlaces[content] = waiting.count
            waiting.append([record])
        }
    }

    /// Plans the next of the records that wait, once all others are planned; nil where none is left.
    package mutating func planWaiting(_ lookup: some TrackerLookup) throws -> Step? {
        if let step = try planNextOther(lookup) { return step }
        if matched.isEmpty {
            guard takenUp < waiting.count else { return try planNextRenamed(lookup) }
            let records = waiting[takenUp]
            waiting[takenUp] = []
            takenUp += 1
            matched = try match(records, lookup).reversed()
        }
        guard let (record, candidate) = matched.popLast() else { return nil }
        guard let candidate else { return try planUnnamed(record, waits: false, lookup) }
        let (entry, stored) = (record.entry, candidate.stored)
        let place = TrackerImportAction.Place.record(entry.place)
        let activity = TrackerActivity(of: entry)
        switch candidate.times {
        case .own where entry.untimed != nil: return try planCorrected(entry, stored, lookup)
        case .own where update: return try planCorrected(entry, stored, lookup)
        case .same, .own:
            return try planMembers(of: activity, stored, entry.places, candidate.reason, at: place)
        case .running, .otherEnd:
            let whole = stored.activity.taking(activity.unknownMembers, entry.places)
            if let step = try planEnd(of: activity, stored, whole: whole, at: place) { return step }
            return try planOtherEnd(of: activity, stored, entry.places, at: place, lookup)
        }
    }

    /// Chooses the activities that records stand for: those that differ least first, whatever the order of the records.
    private mutating func match(
        _ records: [Waiting],
        _ lookup: some TrackerLookup
    ) throws -> [(record: Waiting, candidate: Candidate?)] {
        var pairs: [(record: Int, candidate: Candidate)] = []
        for (index, record) in records.enumerated() {
            for candidate in try known(record, lookup).candidates { pairs.append((index, candidate)) }
        }
        let texts = records.map { record in
            let end = record.entry.end.map { "\($0)" } ?? ""
            return "\(end) \(JSONValue.object(record.entry.preserved).text(.canonical))"
        }
        pairs.sort { left, right in
            let (first, second) = (left.candidate.difference, right.candidate.difference)
            if first != second { return first < second }
            if left.record != right.record, texts[left.record] != texts[right.record] {
                return texts[left.record] < texts[right.record]
            }
            return left.candidate.stored.key < right.candidate.stored.key
        }
        var chosen: [Candidate?] = Array(repeating: nil, count: records.count)
        for pair in pairs where chosen[pair.record] == nil && !claimed.contains(pair.candidate.stored.key) {
            claimed.insert(pair.candidate.stored.key)
            chosen[pair.record] = pair.candidate
        }
        return zip(records, chosen).map { (record: $0, candidate: $1) }
    }

    // MARK: Other names

    /// A new record with the start and the end of activities of the store.
    private struct Twin {
        let keys: [Int]
        /// The activities' name, which is another one; nil where the address of its person is another one.
        let name: String?
    }

    /// Takes note of what a new record may be in the store: it would count twice.
    private mutating func noteTwins(of entry: TimeEntry, _ starting: [TrackerStored]) {
        let same = starting.filter { $0.activity.end?.moment == entry.end?.moment }
        let others = same.filter {
            $0.activity.name != entry.name && !$0.activity.isOfAnotherPerson(than: entry.preserved)
        }
        if let first = others.first { return twins.append(Twin(keys: others.map(\.key), name: first.activity.name)) }
        let people = same.filter {
            $0.activity.name == entry.name && $0.activity.hasOtherAddress(than: entry.preserved)
        }
        if !people.isEmpty { twins.append(Twin(keys: people.map(\.key), name: nil)) }
    }

    /// Counts the new records with the times of activities that nothing of the source stands for, once all is planned.
    package func recordTwins() {
        let found = twins.filter { twin in twin.keys.contains { !claimed.contains($0) } }
        func note(_ count: Int, _ what: String, _ why: String, _ advice: String = "") {
            guard count > 0 else { return }
            let isOne = count == 1
            recorder.note(
                "\(isOne ? "1 new entry has" : "\(count) new entries have") the start and end of an entry of the store "
                    + "with \(what): where \(why), \(isOne ? "it counts" : "they count") twice\(advice)"
            )
        }
        let names = found.compactMap(\.name)
        let advice =
            update ? "" : "; with --update that entry gets the new name, if its description and all else are the same"
        note(names.count, "another name, such as \"\(names.first ?? "")\"", "the name was changed", advice)
        note(found.count - names.count, "the same name and person, and another address", "the address was changed")
    }

    /// Tells whether an activity gets the name of a record.
    ///
    /// The same times alone do not tell that: a report may have one project only. A dash was no name, but an empty cell.
    private func isRenamed(_ stored: TrackerStored, _ record: Waiting) -> Bool {
        let description = "description"
        let isNamed = stored.activity.name != "-"
        let text = record.entry.preserved[description]?.string
        let isSame = text?.isBlank == false && text == stored.activity.unknownMembers[description]?.string
        return (isNamed ? update && isSame : true) && isUnderOtherName(stored, record)
    }

    /// Tells whether an activity is a record under another name: all else is the same, and it came from such a source.
    private func isUnderOtherName(_ stored: TrackerStored, _ record: Waiting) -> Bool {
        let (entry, activity) = (record.entry, stored.activity)
        guard entry.untimed == nil, !entry.isJoined, activity.name != entry.name,
            activity.end?.moment == entry.end?.moment, !activity.isOfAnotherPerson(than: entry.preserved)
        else { return false }
        let emptied = activity.emptied(by: entry.preserved, entry.places)
        // An update decides the amount as well.
        let others = update ? activity.memberOthers(of: entry.preserved) : activity.others(of: entry.preserved)
        let fields = activity.fields(of: others) + emptied.members + emptied.columns
        guard fields.count <= 1, fields.allSatisfy({ name in ActivityDetail.words.contains { $0.rawValue == name } })
        else { return false }
        var former = entry
        former.name = activity.name
        return (0..<Self.mostRepeated).contains { ordinal in
            EntryIdentity.id(of: former, source: record.source, ordinal: ordinal) == activity.id
                || EntryIdentity.formerIDs(of: former, source: record.source, ordinal: ordinal).contains(activity.id)
        }
    }

    /// The most activities of one content among which one that got another name is looked for.
    private static let mostRepeated = 4

    /// Plans the next record that the store may have under another name; nil where none is left.
    ///
    /// An activity gets the name of the only record that it may be, if the record may be no other activity.
    private mutating func planNextRenamed(_ lookup: some TrackerLookup) throws -> Step? {
        guard takenRenamed < renamed.count else { return nil }
        if takenRenamed == 0 {
            renamings = try renamed.map { record in
                let found = try lookup.stored(startingAt: record.entry.start.moment)
                    .filter { !claimed.contains($0.key) && isRenamed($0, record) }
                return found.count == 1 ? found.first : nil
            }
            let records = Dictionary(grouping: renamings.compactMap { $0?.key }) { $0 }
            renamings = renamings.map { stored in stored.flatMap { records[$0.key]?.count == 1 ? $0 : nil } }
        }
        let (record, stored) = (renamed[takenRenamed], renamings[takenRenamed])
        takenRenamed += 1
        guard let stored else { return try planUnnamed(record, waits: false, isLast: true, lookup) }
        claimed.insert(stored.key)
        let place = TrackerImportAction.Place.record(record.entry.place)
        var changed = try changed(stored.activity, by: record.entry, at: place)
        // The name of a dash gives way without a request, and so does its button.
        if !update { try setButton(of: &changed, record.entry, at: place) }
        let reason =
            "it is \"\(stored.activity.name)\" in the store" + Self.words(stored.activity.differences(from: changed))
        try add(.update, changed, id: changed.id, reason, at: place)
        return .update(key: stored.key, changed)
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
