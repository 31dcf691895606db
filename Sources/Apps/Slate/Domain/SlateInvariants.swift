internal import CivilTime
internal import RecordMerge
internal import StrictJSON

/// Slate: plan items without what they plan, and tasks that wait for each other.
struct SlateInvariants: MergeInvariants {
    private static let dependency = "depends_on_task_id"
    /// The beginning of the names of tasks for the tasks that wait for them.
    private static let waiting = "waiting/"
    /// The name of all habits for days whose flag is computed.
    private static let habits = "habits"
    /// The beginning of the names of a day's completions and its snapshot.
    private static let day = "day/"

    /// True for backups that are merged as files, which do not tell when a dependency was set.
    ///
    /// A merge then opens a circle at the task that was changed last, among those whose dependency one of the files has
    /// set.
    ///
    /// Reports name tasks by their titles; notes of sync do not, as these would have to follow each change of another
    /// task.
    var areFiles = false

    let references = [
        Reference("tasks", dependency, to: "tasks", loss: .cleared),
        Reference("habit_completions", "habit_id", to: "habits"),
        Reference("day_plan_items", "entity_id", to: "habits", "tasks") { table(of: $0) },
    ]

    var sharedSource: (collection: String, text: String)? { ("habits", Self.habits) }

    func enforce(_ set: inout ResolvedSet) {
        Self.workOutDays(&set)
        Self.holdPlanItems(&set)
        Self.releaseDependants(&set)
        cutCircles(&set)
    }

    func isPassedOn(_ text: String) -> Bool { text.utf8.starts(with: Self.waiting.utf8) }

    func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? {
        switch key.collection {
        case "habit_completions": object["date"]?.string.map { RecordKey("day_plan", $0) }
        case "day_snapshots": RecordKey("day_plan", key.key)
        default: nil
        }
    }

    /// Blocks plan items whose task or habit does not exist, until it comes back.
    private static func holdPlanItems(_ set: inout ResolvedSet) {
        let keys = set.keys("day_plan_items")
        for key in keys {
            guard let item = set.records.objects[key], let entity = item["entity_id"]?.string else { continue }
            if !set.exists(RecordKey(table(of: item), entity)) { set.records.objects[key] = nil }
        }
        let shown = keys.filter { set.records.objects[$0] != nil }
        if shown.count < keys.count { set.records.order["day_plan_items"] = shown.map(\.key) }
    }

    /// Removes the dependency on a task that was deleted.
    private static func releaseDependants(_ set: inout ResolvedSet) {
        for key in set.keys("tasks") {
            guard let other = set.records.objects[key]?[dependency]?.string,
                !set.exists(RecordKey("tasks", other))
            else { continue }
            set.records.objects[key]?[dependency] = .null
        }
    }

    /// Cuts circles of tasks that wait for each other: the one whose dependency was set last stops waiting.
    private func cutCircles(_ set: inout ResolvedSet) {
        var settled: Set<RecordKey> = []
        for start in set.keys("tasks") {
            var path: [RecordKey] = []
            var places: [RecordKey: Int] = [:]
            var current: RecordKey? = start
            while let key = current, !settled.contains(key), places[key] == nil {
                places[key] = path.count
                path.append(key)
                current = set.records.objects[key]?[Self.dependency]?.string.map { RecordKey("tasks", $0) }
            }
            settled.formUnion(path)
            guard let key = current, let begin = places[key] else { continue }
            // It begins with its first task, whatever the one from which it was found.
            let found = path[begin...]
            let first = found.indices.min { path[$0] < path[$1] } ?? begin
            let circle = path[first...] + path[begin..<first]
            guard let cut = changed(circle, set).max(by: { isEarlier($0, $1, set) }) else { continue }
            set.records.objects[cut]?[Self.dependency] = .null
            let names = (circle + circle.prefix(1)).map { key in
                let title = areFiles ? set.records.objects[key]?["title"]?.string : nil
                return "\"\(title ?? key.key)\""
            }
            let circleInWords = names.joined(separator: " waits for ")
            set.note(cut, [Self.dependency], shown: .null, "tasks waited for each other: \(circleInWords)")
        }
    }

    /// Returns the tasks of a circle whose dependency a file has set; all where none is known, and in sync.
    private func changed(_ circle: ArraySlice<RecordKey>, _ set: ResolvedSet) -> ArraySlice<RecordKey> {
        guard areFiles else { return circle }
        let changed = circle.filter { set.stamp($0, Self.dependency) != DocumentMerge.baseStamp }
        return changed.isEmpty ? circle : changed[...]
    }

    private func isEarlier(_ left: RecordKey, _ right: RecordKey, _ set: ResolvedSet) -> Bool {
        func isBefore<Moment: Comparable>(_ moment: (RecordKey) -> Moment?) -> Bool {
            guard let one = moment(left), let two = moment(right), one != two else { return left < right }
            return one < two
        }
        guard areFiles else { return isBefore { set.stamp($0, Self.dependency) } }
        return isBefore { set.records.objects[$0]?["updated_at"]?.string.flatMap { Timestamp($0) } }
    }
}

extension SlateInvariants {
    /// Returns the links of a record.
    ///
    /// Plan items see whether their task or habit exists; tasks see what those wait for that they wait for.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        let name = RecordLinks.Name("\(key.collection)/\(key.key)")
        switch key.collection {
        case "day_plan_items":
            guard let entity = shown.object["entity_id"]?.string else { return RecordLinks() }
            return RecordLinks(references: ["\(Self.table(of: shown.object))/\(entity)"])
        case "habits":
            let moments = [shown.object["created_at"]?.string, Self.lastChange(shown)].map { $0 ?? "" }
            let seen = "\(shown.object["active"]?.text(.canonical) ?? "") \(moments.joined(separator: " "))"
            return RecordLinks(names: [name, RecordLinks.Name(Self.habits, seen: seen)])
        case "habit_completions":
            // A plain record does not know its only origin.
            let origins = shown.origins.count > 1 ? shown.origins : []
            let seen = origins.map { "\($0.writer) \($0.sequence)" }.joined(separator: ", ")
            return RecordLinks(
                names: shown.object["date"]?.string.map { [RecordLinks.Name(Self.day + $0, seen: seen)] } ?? []
            )
        case "day_snapshots":
            let lists = [shown.object["habits"]].compactMap(\.self) + (shown.aliases[ScalarKey("habits")] ?? [])
            let seen = lists.map { $0.text(.canonical) }.joined(separator: " ")
            return RecordLinks(names: [RecordLinks.Name(Self.day + key.key, seen: seen)])
        case "meta":
            return RecordLinks(names: [RecordLinks.Name(key.collection, seen: Self.start(shown.object).description)])
        case "day_plan":
            guard Self.isOpen(shown) else { return RecordLinks() }
            return RecordLinks(references: [Self.day + key.key, Self.habits, "meta"])
        case "tasks":
            guard let other = shown.object[Self.dependency]?.string else {
                return RecordLinks(names: [name, RecordLinks.Name(Self.waiting + key.key)])
            }
            // Since when it waits is seen by those in its circle, which it is shown with.
            return RecordLinks(
                names: [name, RecordLinks.Name(Self.waiting + key.key, seen: other)],
                references: [Self.waiting + other]
            )
        default: return RecordLinks()
        }
    }

    /// Returns the collection of a plan item's task or habit.
    private static func table(of item: JSONObject) -> String {
        item["entity_type"]?.string == "habit" ? "habits" : "tasks"
    }
}

extension SlateInvariants {
    private static let perfect = "perfect_day"

    /// Tells whether a day's flag has to be computed.
    ///
    /// It does where several devices wrote whether it is perfect, or changed its completions, without knowing of each
    /// other, and not all of them call it perfect.
    private static func isOpen(_ day: ResolvedRecord) -> Bool {
        day.authoredValues(perfect).contains { !isTrue($0.value) }
    }

    /// Works out which days are perfect that several devices wrote without knowing of each other: from the completions
    /// of the day, and the habits that existed on it.
    private static func workOutDays(_ set: inout ResolvedSet) {
        let keys = set.keys("day_plan").filter { set.shown[$0].map(isOpen) ?? false }
        guard !keys.isEmpty else { return }
        var habits = SlateHabits(dayStart: start(set.records.objects[RecordKey("meta", "")] ?? [:]))
        for key in set.keys("habits") {
            guard var habit = set.records.objects[key] else { continue }
            if let moment = set.shown[key].flatMap(lastChange) { habit["updated_at"] = .string(moment) }
            habits.insert(habit)
        }
        for key in set.keys("day_snapshots") {
            guard let day = CivilDay(key.key) else { continue }
            habits.insert(snapshot: set.records.objects[key]?["habits"], of: day)
        }
        var completions = SlateCompletions()
        var origins: [CivilDay: [[Dot]]] = [:]
        for key in set.keys("habit_completions") {
            guard let object = set.records.objects[key], let habit = object["habit_id"]?.string,
                let day = object["date"]?.string.flatMap(CivilDay.init)
            else { continue }
            completions.insert(habit, on: day)
            origins[day, default: []].append(set.shown[key]?.origins ?? [])
        }
        for key in keys {
            guard let day = CivilDay(key.key), let shown = set.shown[key] else { continue }
            let flags = Flags(shown.authoredValues(perfect), completions: origins[day] ?? [])
            let snapshots = set.shown[RecordKey("day_snapshots", key.key)]?.aliases[ScalarKey("habits")] ?? []
            let isPerfect: Bool
            if flags.isClaimed {
                // A habit that was woken later, or that only another device had, takes no day away.
                let lists =
                    flags.mayBeTakenBack
                    ? habits.lists(on: day, isCertain: false)
                    : habits.lists(on: day, others: snapshots, isCertain: true)
                isPerfect = SlateDays.staysPerfect(day, lists: lists, completions: completions)
            } else {
                let possible = habits.possible(on: day, others: snapshots)
                isPerfect =
                    !flags.isDecided && SlateDays.isPerfectDay(day, activeHabits: possible, completions: completions)
            }
            set.records.objects[key]?[perfect] = isPerfect ? 1 : 0
        }
    }

    /// Returns the moment of a habit's last change, in the offset of its `updated_at`.
    ///
    /// The app writes `updated_at` with each change. An import or a restore that pauses or wakes a habit brings an
    /// older one with it, which sync does not take: then the moment is that of the change itself.
    private static func lastChange(_ habit: ResolvedRecord) -> String? {
        let text = habit.object["updated_at"]?.string
        guard let text, let written = habit.stamp("active"), let noted = habit.stamp("updated_at"), noted < written,
            !habit.authoredValues("updated_at").contains(where: { $0.knows(written.dot) }),
            let known = ZonedTimestamp(text), let moment = Timestamp(milliseconds: written.clock.milliseconds),
            known.moment < moment
        else { return text }
        return ZonedTimestamp(moment, offsetMinutes: known.offsetMinutes).description
    }

    /// Returns a habit that a restore brings back, as changed at a moment: it was not there on the days before.
    func returning(_ key: RecordKey, _ object: JSONObject, at milliseconds: Int) -> JSONObject {
        guard key.collection == "habits", let known = object["updated_at"]?.string.flatMap(ZonedTimestamp.init),
            let moment = Timestamp(milliseconds: milliseconds), known.moment < moment
        else { return object }
        var habit = object
        habit["updated_at"] = .string(ZonedTimestamp(moment, offsetMinutes: known.offsetMinutes).description)
        return habit
    }

    /// The values of a day's flag that stand side by side.
    private struct Flags {
        /// True if somebody called the day perfect.
        let isClaimed: Bool
        /// True if somebody who called the day not perfect may have taken a completion back that the others count on.
        ///
        /// The device that wrote the day's first flag took back nothing that others know; it was perhaps only opened.
        let mayBeTakenBack: Bool
        /// True if somebody who called the day not perfect knew all of its completions, and the habits of that time.
        let isDecided: Bool

        /// - Parameter completions: For each completion of the day the changes that made it.
        init(_ flags: [AuthoredValue], completions: [[Dot]]) {
            let claims = flags.filter { isTrue($0.value) }
            let denials = flags.filter { !isTrue($0.value) }
            isClaimed = !claims.isEmpty
            mayBeTakenBack = claims.allSatisfy { claim in denials.contains { $0.sharesPast(with: claim) } }
            isDecided = denials.contains { flag in completions.allSatisfy { $0.contains(where: flag.knows) } }
        }
    }

    private static func start(_ meta: JSONObject) -> SlateDayStart {
        meta["day_start"]?.string.flatMap(SlateDayStart.init) ?? .standard
    }

    private static func isTrue(_ flag: JSONValue) -> Bool { flag.bool ?? (flag.int == 1) }
}
