internal import StrictJSON

/// Time Tracker: at most one running activity, and activities of a button that several devices made.
enum TrackerRepairs {
    static func mend(_ set: inout ShownSet) {
        endRunning(&set)
        rejoinButtons(&set)
        number(&set)
    }

    /// Of several running activities all but the last end where the next begins.
    private static func endRunning(_ set: inout ShownSet) {
        let running = set.keys("activities").compactMap { key -> (key: RecordKey, start: Moment, text: JSONValue)? in
            guard let activity = set.records.objects[key], activity["endTime"]?.isNull ?? true,
                let start = activity["startTime"], let moment = start.string.flatMap(Moment.init)
            else { return nil }
            return (key, moment, start)
        }
        let sorted = running.sorted { $0.start == $1.start ? $0.key < $1.key : $0.start < $1.start }
        for (earlier, later) in zip(sorted, sorted.dropFirst()) {
            set.records.objects[earlier.key]?["endTime"] = later.text
            set.note(earlier.key, ["endTime"], shown: later.text, "two activities ran at once")
        }
    }

    /// Activities that refer to a default button by the identifier that another device gave it refer to the one button.
    private static func rejoinButtons(_ set: inout ShownSet) {
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

    /// The member `position` follows from the order.
    private static func number(_ set: inout ShownSet) {
        for (index, key) in set.keys("buttons").enumerated() {
            set.records.objects[key]?["position"] = .number(JSONNumber(index))
        }
    }
}
