internal import RecordMerge
internal import StrictJSON

/// Time Tracker: at most one running activity, no end before its start, and activities of a button of several devices.
struct TrackerInvariants: MergeInvariants {
    /// False for a merge of files, which keeps the start and the end of one file.
    var mendsSpans = true

    let references = [Reference("activities", "buttonId", to: "buttons", loss: .kept)]

    var running: (collection: String, end: String)? { ("activities", "endTime") }

    func enforce(_ set: inout ResolvedSet) {
        if mendsSpans { Self.mendSpans(&set) }
        Self.endRunning(&set)
        Self.rejoinButtons(&set)
        Self.tellButtonsApart(&set)
        Self.number(&set)
    }

    /// The start and the end of an activity.
    private static let span = ["startTime", "endTime"]

    /// Shows a start and an end that go together, where devices moved the end before the start.
    ///
    /// They are the latest that stand; where none go together, the end is the start.
    private static func mendSpans(_ set: inout ResolvedSet) {
        for key in set.keys("activities") {
            guard let object = set.records.objects[key], isCrossed(object) else { continue }
            let values = span.map { member in
                let several = set.shown[key]?.authoredValues(member).map(\.value) ?? []
                return several.isEmpty ? [object[member]].compactMap(\.self) : several.reversed()
            }
            let pairs = values[0].flatMap { start in values[1].map { [start, $0] } }
            if let pair = pairs.first(where: { isInOrder($0[0], $0[1]) }) {
                for (member, value) in zip(span, pair) where value != object[member] { set.choose(key, member, value) }
            } else if let start = object["startTime"] {
                set.choose(key, "endTime", start)
                let told = "it was before the start, which another device moved"
                set.note(key, ["endTime"], shown: start, told)
            }
        }
    }

    private static func isInOrder(_ start: JSONValue, _ end: JSONValue) -> Bool {
        guard let start = start.string.flatMap(Moment.init), let end = end.string.flatMap(Moment.init) else {
            return false
        }
        return start <= end
    }

    /// Tells whether an activity ends before its start, which no app reads.
    private static func isCrossed(_ activity: JSONObject) -> Bool {
        guard let start = activity["startTime"]?.string, let end = activity["endTime"]?.string else { return false }
        // Texts of one length and offset, as nearly all are, compare as their moments do.
        let isAlike = start.utf8.count == end.utf8.count && start.utf8.suffix(6).elementsEqual(end.utf8.suffix(6))
        if isAlike, !precedes(end, start) { return false }
        guard let start = Moment(start), let end = Moment(end) else { return false }
        return end < start
    }

    func crossed(_ key: RecordKey, _ alone: ResolvedRecord) -> [String] {
        key.collection == "activities" && Self.isCrossed(alone.object) ? Self.span : []
    }

    /// Ends running activities: of several, all but the last end where the next begins.
    private static func endRunning(_ set: inout ResolvedSet) {
        let running = set.keys("activities").compactMap { key in
            set.records.objects[key].flatMap(start).map { (key: key, start: $0.moment, text: $0.text) }
        }
        let sorted = running.sorted { $0.start == $1.start ? $0.key < $1.key : $0.start < $1.start }
        for (earlier, later) in zip(sorted, sorted.dropFirst()) {
            set.records.objects[earlier.key]?["endTime"] = later.text
            set.note(earlier.key, ["endTime"], shown: later.text, "two activities ran at once")
        }
    }

    /// Returns the time at which a running activity began; nil for one that is not running.
    private static func start(_ activity: JSONObject) -> (moment: Moment, text: JSONValue)? {
        guard activity["endTime"]?.isNull ?? true, let start = activity["startTime"],
            let moment = start.string.flatMap(Moment.init)
        else { return nil }
        return (moment, start)
    }

    /// Activities that refer to a default button by the identifier that another device gave it refer to the one button.
    private static func rejoinButtons(_ set: inout ResolvedSet) {
        var identifiers: [ScalarKey: JSONValue] = [:]
        for key in set.keys("buttons") {
            guard let shown = set.records.objects[key]?["id"] else { continue }
            for other in set.shown[key]?.aliases[ScalarKey("id")] ?? [] {
                if let text = other.string, other != shown { identifiers[ScalarKey(text)] = shown }
            }
        }
        guard !identifiers.isEmpty else { return }
        for key in set.keys("activities") {
            guard let button = set.records.objects[key]?["buttonId"]?.string,
                let shown = identifiers[ScalarKey(button)]
            else { continue }
            set.records.objects[key]?["buttonId"] = shown
        }
    }

    /// Gives all but one of several buttons with the same identifier another one.
    ///
    /// Buttons may go by their names, or have the same identifier on several devices. A log has each identifier once,
    /// and a reference to it means one button.
    private static func tellButtonsApart(_ set: inout ResolvedSet) {
        let keys = set.keys("buttons").sorted()
        let identifiers = keys.map { set.records.objects[$0]?["id"]?.string }
        var all = Set(identifiers.compactMap { $0.map(ScalarKey.init) })
        guard all.count < identifiers.count else { return }
        var taken: Set<ScalarKey> = []
        for (key, identifier) in zip(keys, identifiers) {
            guard let identifier, !taken.insert(ScalarKey(identifier)).inserted else { continue }
            var number = 2
            while !all.insert(ScalarKey("\(identifier)-\(number)")).inserted { number += 1 }
            set.records.objects[key]?["id"] = .string("\(identifier)-\(number)")
        }
    }

    /// Sets the member `position` to the place in the order.
    private static func number(_ set: inout ResolvedSet) {
        for (index, key) in set.keys("buttons").enumerated() {
            set.records.objects[key]?["position"] = .number(index)
        }
    }

    /// The beginning of a button's other identifiers, as activities see them.
    private static let alias = "button/"

    // Only of a button that has several identifiers there is anything to see.
    func isOptional(_ reference: String) -> Bool { reference.utf8.starts(with: Self.alias.utf8) }

    /// Returns the links of a record.
    ///
    /// Running activities see each other, and buttons; activities see a button that has more than one identifier.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        switch key.collection {
        case "buttons":
            // Whoever is shown because of one button is shown with all of them.
            var names = [RecordLinks.Name("buttons")]
            guard let own = shown.object["id"] else { return RecordLinks(names: names, references: ["buttons"]) }
            let others = Set(shown.aliases[ScalarKey("id")] ?? []).subtracting([own]).compactMap(\.string)
            for other in others.sorted(by: precedes) {
                names.append(
                    RecordLinks.Name("\(Self.alias)\(other)", seen: "\(shown.place ?? "") \(own.text(.canonical))")
                )
            }
            return RecordLinks(names: names, references: ["buttons"])
        case "activities":
            var button = shown.object["buttonId"]?.string.map { ["\(Self.alias)\($0)"] } ?? []
            // An activity that is not shown as it stands depends on itself.
            if Self.isCrossed(shown.object) { button.append("span/\(key.key)") }
            guard Self.start(shown.object) != nil else { return RecordLinks(references: button) }
            // Whoever runs is shown with all that do, so that the others see only that it does.
            return RecordLinks(names: [RecordLinks.Name("running")], references: button + ["running"])
        default: return RecordLinks()
        }
    }
}
