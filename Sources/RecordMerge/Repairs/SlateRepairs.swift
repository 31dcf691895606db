internal import StrictJSON

/// Slate: plan items without what they plan, and tasks that wait for each other.
enum SlateRepairs {
    private static let dependency = "depends_on_task_id"
    /// What the names of tasks begin with as those see them that wait for them.
    static let waiting = "waiting/"

    static func mend(_ set: inout ShownSet) {
        holdPlanItems(&set)
        releaseDependants(&set)
        cutCircles(&set)
    }

    /// A plan item of a task or habit that is not there is held back until that comes back.
    private static func holdPlanItems(_ set: inout ShownSet) {
        let keys = set.keys("day_plan_items")
        for key in keys {
            guard let item = set.records.objects[key], let entity = item["entity_id"]?.string else { continue }
            if set.records.objects[RecordKey(table(of: item), entity)] == nil { set.records.objects[key] = nil }
        }
        let shown = keys.filter { set.records.objects[$0] != nil }
        if shown.count < keys.count { set.records.order["day_plan_items"] = shown.map(\.key) }
    }

    /// A task does not wait for one that was deleted.
    private static func releaseDependants(_ set: inout ShownSet) {
        for key in set.keys("tasks") {
            guard let other = set.records.objects[key]?[dependency]?.string,
                set.records.objects[RecordKey("tasks", other)] == nil
            else { continue }
            set.records.objects[key]?[dependency] = .null
        }
    }

    /// Of tasks that wait for each other in a circle, the one stops waiting whose dependency was set last.
    private static func cutCircles(_ set: inout ShownSet) {
        var settled: Set<RecordKey> = []
        for start in set.keys("tasks") {
            var path: [RecordKey] = []
            var places: [RecordKey: Int] = [:]
            var current: RecordKey? = start
            while let key = current, !settled.contains(key), places[key] == nil {
                places[key] = path.count
                path.append(key)
                current = set.records.objects[key]?[dependency]?.string.map { RecordKey("tasks", $0) }
            }
            settled.formUnion(path)
            guard let key = current, let begin = places[key] else { continue }
            // It begins with its first task, whatever the one from which it was found.
            let found = path[begin...]
            let first = found.indices.min { path[$0] < path[$1] } ?? begin
            let circle = path[first...] + path[begin..<first]
            guard let cut = circle.max(by: { isEarlier($0, $1, set) }) else { continue }
            set.records.objects[cut]?[dependency] = .null
            let names = (circle + circle.prefix(1)).map { "\"\($0.key)\"" }.joined(separator: " waits for ")
            set.note(cut, [dependency], shown: .null, "tasks waited for each other: \(names)")
        }
    }

    private static func isEarlier(_ left: RecordKey, _ right: RecordKey, _ set: ShownSet) -> Bool {
        let stamps = (set.stamp(left, dependency), set.stamp(right, dependency))
        guard let one = stamps.0, let two = stamps.1, one != two else { return left < right }
        return one < two
    }
}

extension SlateRepairs {
    /// Plan items see whether what they plan is there; tasks see what those wait for that they wait for.
    static func links(_ key: RecordKey, _ shown: ShownRecord) -> RecordLinks {
        let name = RecordLinks.Name("\(key.collection)/\(key.key)")
        switch key.collection {
        case "day_plan_items":
            guard let entity = shown.object["entity_id"]?.string else { return RecordLinks() }
            return RecordLinks(references: ["\(table(of: shown.object))/\(entity)"])
        case "habits": return RecordLinks(names: [name])
        case "tasks":
            guard let other = shown.object[dependency]?.string else {
                return RecordLinks(names: [name, RecordLinks.Name(waiting + key.key)])
            }
            // Since when it waits is seen by those in its circle, which it is shown with.
            return RecordLinks(
                names: [name, RecordLinks.Name(waiting + key.key, seen: other)],
                references: [waiting + other]
            )
        default: return RecordLinks()
        }
    }

    /// The collection of what a plan item plans.
    private static func table(of item: JSONObject) -> String {
        item["entity_type"]?.string == "habit" ? "habits" : "tasks"
    }
}

extension SlateRepairs {
    /// Works out anew which days are perfect, of those that two documents disagree on or know other completions of.
    static func recompute(_ merged: inout RecordSet, from left: RecordSet, _ right: RecordSet) {
        for name in merged.order["day_plan"] ?? [] {
            let key = RecordKey("day_plan", name)
            guard let day = merged.objects[key]?["date"]?.string, left.objects[key] != nil, right.objects[key] != nil
            else { continue }
            let agree = left.objects[key]?["perfect_day"] == right.objects[key]?["perfect_day"]
            if agree, completions(day, left) == completions(day, merged),
                completions(day, right) == completions(day, merged)
            {
                continue
            }
            let isPerfect = isPerfect(day, merged)
            merged.objects[key]?["perfect_day"] = isPerfect ? 1 : 0
        }
    }

    private static func completions(_ day: String, _ records: RecordSet) -> Set<RecordKey> {
        let keys = (records.order["habit_completions"] ?? []).map { RecordKey("habit_completions", $0) }
        return Set(keys.filter { records.objects[$0]?["date"]?.string == day })
    }

    /// Whether a day is perfect: there is an active habit, and each has a completion of that day.
    private static func isPerfect(_ day: String, _ records: RecordSet) -> Bool {
        let active = (records.order["habits"] ?? []).filter { isActive(records.objects[RecordKey("habits", $0)]) }
        return !active.isEmpty
            && active.allSatisfy { habit in
                let key = JSONValue.array([.string(habit), .string(day)]).text(.canonical)
                return records.objects[RecordKey("habit_completions", key)] != nil
            }
    }

    private static func isActive(_ habit: JSONObject?) -> Bool {
        guard let habit else { return false }
        return habit["active"]?.bool ?? (habit["active"]?.int != 0)
    }
}
