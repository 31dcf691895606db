internal import AppList
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import RecordStore
internal import Slate
internal import StrictJSON

/// Records, values and moments in words.
enum RecordWords {
    /// Returns a record as a person knows it: `task "Buy milk"`.
    static func name(_ record: RecordName) -> String {
        let noun = nouns[record.collection] ?? record.collection
        if let title = record.title { return "\(noun) \"\(TerminalText.cut(title, to: Words.nameColumns))\"" }
        return record.key.isEmpty ? noun : "\(noun) \(TerminalText.cut(record.key, to: Words.nameColumns))"
    }

    /// Returns a record as a person knows it, with what it belongs to: `completion "2026-01-07" of "Run"`.
    static func name(_ touched: SyncedChange.RecordChange) -> String {
        guard let owner = touched.owner.map({ "\"\(TerminalText.cut($0, to: Words.nameColumns))\"" }) else {
            return name(touched.name)
        }
        // A key without a title says less than what the record belongs to.
        let noun = nouns[touched.name.collection] ?? touched.name.collection
        return touched.name.title == nil ? "\(noun) of \(owner)" : "\(name(touched.name)) of \(owner)"
    }

    /// Returns the record of a conflict as a person knows it, with what it belongs to: `event "stopped" of "Maths"`.
    static func name(_ conflict: RecordConflict) -> String {
        let owner = conflict.owner.map { " of \"\(TerminalText.cut($0, to: Words.nameColumns))\"" }
        return name(conflict.name) + (owner ?? "")
    }

    /// Returns the word for one record of a collection.
    static func noun(_ collection: String) -> String { nouns[collection] ?? "\(collection) record" }

    /// Returns the names that a person may use for a record: its key, `collection/key` or its title.
    static func names(_ record: RecordName) -> [String] {
        [record.key, "\(record.collection)/\(record.key)"] + [record.title].compactMap(\.self)
    }

    /// Returns the records of a change by name; where they are many, the number of each kind.
    ///
    /// - Parameters:
    ///   - titles: How many of many are named at most: deleted ones, and with `--verbose` changed ones.
    ///   - values: The words for what members were and became; nil for the members' names as the store has them.
    ///   - isShort: Whether members are named without their values.
    static func list(
        _ change: SyncedChange,
        most: Int = 5,
        titles: Int = 20,
        values: ValueWords? = nil,
        isShort: Bool = false
    ) -> String {
        func words(_ touched: SyncedChange.RecordChange) -> String {
            // Tell a record that has no name but its kind, such as the settings, by its values.
            let isShort = isShort && !touched.name.key.isEmpty
            let members = members(of: touched, values, notedBefore: change.milliseconds, isShort: isShort)
            return name(touched) + TerminalText.safe(members) + (touched.action == .kept ? Messages.notDeleted : "")
        }
        if change.recordCount <= most {
            return change.records.map { "\($0.action.rawValue) \(words($0))" }.joined(separator: ", ")
        }
        return SyncedChange.Action.allCases.compactMap { action in
            let counts = change.counts.filter { $0.action == action }.sorted {
                ($1.count, $0.collection) < ($0.count, $1.collection)
            }
            guard !counts.isEmpty else { return nil }
            let isNamed = action == .deleted || action == .changed && Printing.current.isVerbose
            let named = change.records.filter { isNamed && $0.action == action && hasOwnTitle($0) }.prefix(titles)
            let rest = counts.compactMap { count -> String? in
                let left = count.count - named.count { $0.name.collection == count.collection }
                guard left > 0 else { return nil }
                return Words.count(left, (left < count.count ? "more " : "") + noun(count.collection))
            }
            return "\(action.rawValue) \((named.map(words) + rest).joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// Tells whether a person gave the record its title: a completion has none but its day.
    private static func hasOwnTitle(_ touched: SyncedChange.RecordChange) -> Bool {
        touched.owner == nil && touched.name.title.map { $0 != touched.name.key } ?? false
    }

    /// Returns the members that were written, between brackets; with what they were and became where that is wanted and known.
    ///
    /// - Parameter synced: The time of the change, in milliseconds since 1970: where the app noted the edit a minute
    ///   earlier, as no sync looked meanwhile, that is said.
    /// - Parameter isShort: Whether members are named without their values.
    static func members(
        of touched: SyncedChange.RecordChange,
        _ words: ValueWords?,
        notedBefore synced: Int? = nil,
        isShort: Bool = false
    ) -> String {
        guard !touched.members.isEmpty else { return "" }
        guard let words, !touched.values.isEmpty else { return " (\(touched.members.joined(separator: ", ")))" }
        var telling = touched.values.filter { !noted.contains($0.name) }
        if telling.contains(where: { !$0.isDetail }) { telling.removeAll(where: \.isDetail) }
        if isShort {
            let names = telling.isEmpty ? touched.values : telling
            return " (\(names.map { words.shortName($0.name, touched.name.collection) }.joined(separator: ", ")))"
        }
        guard !telling.isEmpty else {
            return " (\(touched.values.map { words.change($0, touched.name.collection) }.joined(separator: "; ")))"
        }
        var texts = telling.map { words.change($0, touched.name.collection) }
        let edited = touched.values.first { noted.contains($0.name) }?.new
        if let synced, let moment = edited?.string.flatMap({ Timestamp($0) }), moment.seconds < synced / 1_000 - 60 {
            texts.append("edited \(words.moment(moment))")
        }
        return " (\(texts.joined(separator: "; ")))"
    }

    /// The members by which apps note each edit of a record.
    static let noted: Set<String> = ["updated_at", "updatedAt"]

    /// Returns the last edit of a record: `, changed 2026-11-21T14:30:00+01:00 by tower`.
    static func edit(_ edit: SyncedChange.Edit?, _ verb: String, _ clock: LocalClock) -> String {
        guard let edit else { return "" }
        return ", \(verb) \(moment(edit.milliseconds, clock)) by \(device(edit.device))"
    }

    static func json(_ touched: SyncedChange.RecordChange) -> JSONValue {
        var object = json(touched.name)
        object["action"] = .string(touched.action.rawValue)
        object["owner"] = touched.owner.map { .string($0) }
        object["members"] = .array(touched.members.map { .string($0) })
        object["values"] = json(touched.values)
        object["edit"] = touched.edit.map(json)
        return .object(object)
    }

    static func json(_ edit: SyncedChange.Edit) -> JSONValue {
        ["device": .object(edit.device.json), "time": json(moment: edit.milliseconds)]
    }

    static func json(_ values: [SyncedChange.MemberChange]) -> JSONValue {
        .array(
            values.map { value in
                var object: JSONObject = ["name": .string(value.name), "isOldKnown": .bool(value.isOldKnown)]
                object["old"] = value.old
                object["new"] = value.new
                if !value.losing.isEmpty { object["losing"] = .array(value.losing) }
                return .object(object)
            }
        )
    }

    /// Returns the text about the tables and columns of a store that are not synchronised.
    static func unsynced(_ names: [String], _ app: AppID) -> String {
        let words = names.map { name in
            "the \(name.contains(".") ? "column" : "table") \(TerminalText.cut(name, to: Words.nameColumns))"
        }
        let list = words.joined(separator: ", ")
        return AppStores.all.definition(of: app) == nil ? Messages.undeclared(list) : Messages.unsynced(list)
    }

    /// Returns a device's name.
    static func device(_ device: SyncDevice?) -> String {
        device.map { TerminalText.safe(DeviceNames.name(of: $0)) } ?? "an unknown device"
    }

    /// Returns a moment of a device's clock, in the time zone of the person.
    static func moment(_ milliseconds: Int, _ clock: LocalClock) -> String {
        clock.text(of: Timestamp(seconds: timestamp(milliseconds).seconds))
    }

    static func json(_ record: RecordName) -> JSONObject {
        [
            "collection": .string(record.collection), "key": .string(record.key),
            "title": record.title.map { .string($0) } ?? .null,
        ]
    }

    /// Returns a moment in UTC, to the millisecond.
    static func text(moment milliseconds: Int) -> String { timestamp(milliseconds).description }

    /// Returns a moment for programs, in UTC.
    static func json(moment milliseconds: Int?) -> JSONValue {
        milliseconds.map { .string(text(moment: $0)) } ?? .null
    }

    static func json(count: Int?) -> JSONValue { count.map { .number($0) } ?? .null }

    /// Clocks may be wrong by as much as they like: what lies outside of the years is held at their ends.
    private static func timestamp(_ milliseconds: Int) -> Timestamp {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let borrow = rest < 0 ? 1 : 0
        return Timestamp(seconds: seconds - borrow, nanoseconds: (rest + borrow * 1_000) * 1_000_000)
    }

    private static let nouns = [
        "": "document", "tasks": "task", "habits": "habit", "habit_completions": "completion", "day_plan": "day",
        "day_plan_items": "plan item", "activity_log": "log entry", "day_snapshots": "snapshot",
        "sessions": "session", "activities": "activity", "history": "history entry", "presets": "preset",
        "buttons": "button", "events": "event", "settings": "setting", "meta": "meta record",
    ]
}
