internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import StrictJSON
internal import TimeTracker

/// The activities of a log: for each name its button and its entries.
struct NamedActivity {
    let name: String
    var button: ActivityButton?
    var entries: [TrackerActivity] = []

    /// Returns the activities of a log, by name.
    static func all(_ log: TrackerExport) -> [NamedActivity] {
        var order: [CategoryKey] = []
        var found: [CategoryKey: NamedActivity] = [:]
        func named(_ name: String) -> CategoryKey {
            let key = CategoryKey(name)
            if found[key] == nil {
                found[key] = NamedActivity(name: name)
                order.append(key)
            }
            return key
        }
        for button in log.buttons.sorted(by: { $0.isVisible && !$1.isVisible }) {
            let key = named(button.name)
            if found[key]?.button == nil { found[key]?.button = button }
        }
        for entry in log.activities { found[named(entry.name)]?.entries.append(entry) }
        return order.compactMap { found[$0] }
    }

    /// Returns the activity in a search.
    func record(_ clock: LocalClock) -> FoundLogRecord {
        let days = entries.map { clock.day(of: $0.start.moment) }
        var state = Words.count(entries.count, "entry")
        if let first = days.min(), let last = days.max() { state += ", \(first) to \(last)" }
        if let button, !button.isVisible { state += ", hidden" }
        return FoundLogRecord(
            kind: "activity",
            id: name,
            title: name,
            state: state,
            json: [
                "button": button?.json ?? .null, "entries": .number(entries.count),
                "from": days.min().map { .string($0.description) } ?? .null,
                "to": days.max().map { .string($0.description) } ?? .null,
            ]
        )
    }
}

extension TrackerActivity {
    /// Returns the entry in a search.
    func record(_ clock: LocalClock) -> FoundLogRecord {
        FoundLogRecord(
            kind: "entry",
            id: id,
            title: name,
            state: "\(EntryWords.span(self, clock)), \(id)",
            json: json,
            details: ActivityDetail.allCases.compactMap { detail($0) }
        )
    }
}

/// The button and entries to restore: those that the store lacks or has otherwise.
struct TrackerRestoration {
    /// The steps that are taken.
    private(set) var change = TrackerChange("restore")
    /// Entries that the store has as they are.
    private(set) var same = 0
    /// Entries that were running in the backup, which are left out.
    private(set) var running = 0

    /// Plans what is to be done.
    ///
    /// - Parameters:
    ///   - activity: What is brought back.
    ///   - backup: The entries of the backup, of all activities.
    ///   - store: What the store holds.
    init(_ activity: NamedActivity, of backup: [TrackerActivity], into store: TrackerExport) {
        let key = CategoryKey(activity.name)
        var buttonID = activity.button?.id
        if let button = activity.button {
            let others = store.buttons.filter { $0.id != button.id }
            if let stored = store.buttons.first(where: { $0.id == button.id }) {
                if stored != button { change.buttons = [TrackerChange.Step(before: stored, after: button)] }
            } else if let named = others.first(where: { CategoryKey($0.name) == key }) {
                buttonID = named.id
                if !named.isVisible, button.isVisible {
                    var shown = named
                    shown.isVisible = true
                    change.buttons = [TrackerChange.Step(before: named, after: shown)]
                }
            } else {
                var added = button
                if others.contains(where: { $0.position == button.position }) {
                    added.position = ActivityButton.position(after: others)
                }
                change.buttons = [TrackerChange.Step(after: added)]
            }
        }
        let stored = Dictionary(store.activities.map { ($0.id, $0) }) { first, _ in first }
        // One that the backup has as well is no other entry's.
        let known = Set(backup.map(\.id))
        let unknown = store.activities.filter { CategoryKey($0.name) == key && !known.contains($0.id) }
        var others = Dictionary(grouping: unknown, by: Times.init)
        for entry in activity.entries {
            var entry = entry
            if entry.buttonID == activity.button?.id { entry.buttonID = buttonID }
            if let before = stored[entry.id] {
                if before == entry || before.json == entry.json {
                    same += 1
                } else if entry.isRunning {
                    running += 1
                } else {
                    change.activities.append(TrackerChange.Step(before: before, after: entry))
                }
            } else if let index = others[Times(entry)]?.firstIndex(where: {
                !$0.isOfAnotherPerson(than: entry.unknownMembers)
            }) {
                others[Times(entry)]?.remove(at: index)
                same += 1
            } else if entry.isRunning {
                running += 1
            } else {
                change.activities.append(TrackerChange.Step(after: entry))
            }
        }
    }

    /// The times by which an entry is known that has another identifier.
    private struct Times: Hashable {
        let start: Timestamp
        let end: Timestamp?

        init(_ entry: TrackerActivity) { (start, end) = (entry.start.moment, entry.end?.moment) }
    }

    /// True if the store has everything as it was.
    var isEmpty: Bool { change.activities.isEmpty && change.buttons.isEmpty }

    /// Returns the plan for people.
    func lines(_ clock: LocalClock) -> [String] {
        let buttons = change.buttons.compactMap { step in
            step.after.map { after -> String in
                guard let before = step.before else { return "  create button \"\(after.name)\"" }
                guard before.name == after.name else { return "  button \"\(before.name)\" becomes \"\(after.name)\"" }
                return "  update button \"\(after.name)\""
            }
        }
        let entries = change.activities.compactMap { step in
            step.after.map { "  \(step.before == nil ? "create" : "update") entry \(EntryWords.span($0, clock))" }
        }
        var lines = buttons + entries.prefix(Self.listed)
        if entries.count > Self.listed { lines.append("  … and \(entries.count - Self.listed) more entries") }
        if same > 0 { lines.append("  keep \(Words.count(same, "entry")) that the store has") }
        if running > 0 { lines.append("  leave out \(Words.count(running, "entry")) that was running in the backup") }
        return lines
    }

    private static let listed = 10

    /// The plan in words: `1 button, 12 entries`.
    var words: String {
        let parts = [(change.buttons.count, "button"), (change.activities.count, "entry")].filter { $0.0 > 0 }
        return parts.map { Words.count($0.0, $0.1) }.joined(separator: ", ")
    }
}
