internal import RecordMerge
internal import StrictJSON

/// Time Tracker: at most one running activity, and activities of a button that several devices made.
struct TrackerInvariants: MergeInvariants {
    let references = [Reference("activities", "buttonId", to: "buttons", loss: .kept)]

    var running: (collection: String, end: String)? { ("activities", "endTime") }

    func enforce(_ set: inout ResolvedSet) {
        Self.endRunning(&set)
        Self.rejoinButtons(&set)
        Self.tellButtonsApart(&set)
        Self.number(&set)
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
            let button = shown.object["buttonId"]?.string.map { ["\(Self.alias)\($0)"] } ?? []
            guard Self.start(shown.object) != nil else { return RecordLinks(references: button) }
            // Whoever runs is shown with all that do, so that the others see only that it does.
            return RecordLinks(names: [RecordLinks.Name("running")], references: button + ["running"])
        default: return RecordLinks()
        }
    }
}
