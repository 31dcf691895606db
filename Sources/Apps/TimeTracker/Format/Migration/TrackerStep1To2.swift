import CivilTime
import FormatKit
import RecordStore
import StrictJSON

/// Version 1 (milliseconds since 1970, no envelope) to version 2 (RFC 3339, an envelope).
enum TrackerStep1To2 {
    static let step = MigrationStep(
        format: TrackerFormat.name,
        from: 1,
        to: 2,
        losses: ["offsets from UTC", "parts of a millisecond", "the time zone"],
        up: { value in Migrated(up(value)) },
        down: { value in down(value) },
        olderPointer: { pointer in
            guard let first = pointer.tokens.first, TrackerEnvelope.names.contains(first) else { return pointer }
            return .root
        }
    )

    /// The rules for what fits an activity: a parked time of the other version for the very moment that the activity
    /// has.
    private static let rules = PreservedRules(
        up: { name, value, activity, _ in
            guard TrackerLayout.times.contains(name), let text = value.string, let time = ZonedTimestamp(text) else {
                return false
            }
            return activity[name]?.int == time.moment.milliseconds && text != Self.text(of: time.moment.milliseconds)
        },
        down: { name, value, activity, _ in
            guard TrackerLayout.times.contains(name), let number = value.number, let time = number.int else {
                return false
            }
            return activity[name]?.string.flatMap(ZonedTimestamp.init)?.moment.milliseconds == time
                && number.token != String(time)
        }
    )

    /// Returns version 2's form of a moment in milliseconds; nil where there is no such moment.
    static func text(of milliseconds: Int) -> String? {
        Timestamp(milliseconds: milliseconds).map { ZonedTimestamp($0).description }
    }

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let envelope = document.object else { return document }
        var upgraded = TrackerEnvelope.up(envelope)
        if let activities = envelope["activities"]?.array {
            upgraded["activities"] = .array(activities.map { $0.object.map { .object(upgrade($0)) } ?? $0 })
        }
        return .object(upgraded)
    }

    /// Returns an activity in the form of version 2.
    static func upgrade(_ activity: JSONObject) -> JSONObject {
        activity.passing(from: 1, to: 2, rules) { activity, transfer in
            for name in TrackerLayout.times {
                guard let number = activity[name]?.number, let time = number.int, let text = text(of: time) else {
                    continue
                }
                activity[name] = transfer.take(name) ?? .string(text)
                if number.token != String(time) { transfer.park(name, .number(number)) }
            }
        }
    }

    // MARK: Down

    private static func down(_ document: JSONValue) -> Migrated {
        guard let envelope = document.object else { return Migrated(document) }
        var losses = TrackerLosses()
        var downgraded = TrackerEnvelope.down(envelope)
        if let activities = envelope["activities"]?.array {
            let rows = activities.map { value in
                value.object.map { JSONValue.object(downgrade($0, &losses)) } ?? value
            }
            downgraded["activities"] = .array(rows)
        }
        return Migrated(.object(downgraded), losses: losses.found, notes: TrackerEnvelope.notes(envelope))
    }

    /// Returns an activity in the form of version 1.
    static func downgrade(_ activity: JSONObject, _ losses: inout TrackerLosses) -> JSONObject {
        var found: [ZonedTimestamp] = []
        let downgraded = activity.passing(from: 2, to: 1, rules) { activity, transfer in
            for name in TrackerLayout.times {
                guard let text = activity[name]?.string, let time = ZonedTimestamp(text) else { continue }
                found.append(time)
                let milliseconds = time.moment.milliseconds
                activity[name] = transfer.take(name) ?? .number(milliseconds)
                if text != Self.text(of: milliseconds) { transfer.park(name, .string(text)) }
            }
        }
        losses.add(found)
        return downgraded
    }
}

/// The parts of times that a reader of version 1 does not see, counted by activity.
struct TrackerLosses {
    private var offsets = 0
    private var fractions = 0

    /// Takes note of the times of an activity.
    mutating func add(_ times: [ZonedTimestamp]) {
        if times.contains(where: { $0.offsetMinutes != nil }) { offsets += 1 }
        if times.contains(where: { $0.moment.submilliseconds != 0 }) { fractions += 1 }
    }

    /// The losses, one sentence of each kind.
    var found: [MigrationLoss] {
        let kinds = [(offsets, "offsets from UTC"), (fractions, "parts of a millisecond")]
        return kinds.filter { $0.0 > 0 }.map { count, what in
            let activities = count == 1 ? "1 activity" : "\(count) activities"
            return MigrationLoss(
                "cannot hold \(what): those of \(activities) are preserved, and an older app does not show them",
                at: JSONPointer(tokens: ["activities"])
            )
        }
    }
}

/// The top level of an export, without its lists.
enum TrackerEnvelope {
    /// The members that version 2 added.
    static let names = ["format", "version", "exportedAt", "timeZone"]
    /// Those of them that say something.
    private static let parked = ["exportedAt", "timeZone"]

    private static let rules = PreservedRules(
        up: { name, value, _, _ in
            guard let text = value.string else { return value.isNull && parked.contains(name) }
            return name == "exportedAt" && Timestamp(text) != nil || name == "timeZone" && !text.isBlank
        },
        down: { name, value, _, _ in
            switch name {
            case "format": value.string == nil
            case "version": value.int == 1
            default: parked.contains(name)
            }
        }
    )

    /// Returns the top level in the form of version 2; lists stay as they are.
    static func up(_ envelope: JSONObject) -> JSONObject {
        envelope.passing(from: 1, to: 2, rules) { envelope, transfer in
            for name in names {
                if let foreign = envelope.removeValue(forName: name) { transfer.park(name, foreign) }
            }
            envelope["format"] = .string(TrackerFormat.name)
            envelope["version"] = 2
            for name in parked { envelope[name] = transfer.take(name) }
        }
    }

    /// Returns the top level in the form of version 1; lists stay as they are.
    static func down(_ envelope: JSONObject) -> JSONObject {
        envelope.passing(from: 2, to: 1, rules) { envelope, transfer in
            for name in names {
                let value = envelope.removeValue(forName: name)
                if let value, parked.contains(name) { transfer.park(name, value) }
                envelope[name] = transfer.take(name)
            }
        }
    }

    /// Returns the parts of the top level that a reader of version 1 does not see.
    static func notes(_ envelope: JSONObject) -> [MigrationLoss] {
        parked.compactMap { name in
            guard let value = envelope[name]?.string else { return nil }
            let what = name == "timeZone" ? "a time zone" : "the moment of the export"
            return MigrationLoss("cannot hold \(what): \"\(value)\" is preserved", at: JSONPointer(tokens: [name]))
        }
    }
}
