import FormatKit
import StrictJSON

/// Version 2 (one session) to version 3 (several sessions, activities, custom categories declared).
enum BztimerStep2To3 {
    static let step = MigrationStep(
        format: "bztimer",
        from: 2,
        to: 3,
        losses: ["the activities", "an unknown member \"session\" of the envelope"],
        up: { value in Migrated(up(value)) },
        down: { (value) throws(AppFormatError) in try down(value) },
        olderPointer: olderPointer,
        newerPointer: { pointer in
            guard pointer.tokens.first == "session" else { return pointer }
            return JSONPointer(tokens: ["sessions", "0"] + pointer.tokens.dropFirst())
        }
    )

    private static let rules = PreservedRules(
        up: { name, value, envelope, incoming in
            switch name {
            case "generator": value.string != nil
            case "activities": isActivities(value)
            case "categories": isParkedCategories(value, usedNow: used(in: envelope, with: incoming))
            case "session": true
            default: false
            }
        },
        down: { name, _, _, _ in added.contains(name) }
    )

    /// The members that version 3 added to the envelope.
    private static let added = ["generator", "categories", "sessions", "activities"]

    @Sendable
    private static func olderPointer(_ pointer: JSONPointer) -> JSONPointer {
        switch pointer.tokens.first {
        case "sessions": JSONPointer(tokens: ["session"] + pointer.tokens.dropFirst(2))
        case "generator", "categories", "activities": .root
        default: pointer
        }
    }

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let envelope = document.object else { return document }
        let upgraded = envelope.passing(from: 2, to: 3, rules) { envelope, transfer in
            let session = envelope.removeValue(forName: "session") ?? .null
            for name in added {
                if let foreign = envelope.removeValue(forName: name) { transfer.park(name, foreign) }
            }
            envelope["version"] = 3
            envelope["generator"] = transfer.take("generator")
            envelope["activities"] = transfer.take("activities")
            envelope["sessions"] = [session]
            envelope["categories"] = transfer.take("categories")?["listed"] ?? .array(used(in: envelope))
            envelope["session"] = transfer.take("session")
        }
        return .object(upgraded)
    }

    // MARK: Down

    private static func down(_ document: JSONValue) throws(AppFormatError) -> Migrated {
        guard let envelope = document.object, let sessions = envelope["sessions"]?.array else {
            return Migrated(document)
        }
        guard sessions.count == 1 else {
            let count = sessions.isEmpty ? "no session" : "\(sessions.count) sessions"
            throw AppFormatError(
                .sessionCount,
                "version 2 holds exactly one session and this file has \(count); export one at a time",
                at: JSONPointer(tokens: ["sessions"])
            )
        }
        let (losses, notes) = (losses(envelope), notes(envelope))
        let downgraded = envelope.passing(from: 3, to: 2, rules) { envelope, transfer in
            let used = used(in: envelope)
            for name in ["generator", "activities", "session"] {
                if let value = envelope.removeValue(forName: name) { transfer.park(name, value) }
            }
            if let listed = envelope.removeValue(forName: "categories"), listed != .array(used) {
                transfer.park("categories", ["listed": listed, "used": .array(used)])
            }
            envelope["sessions"] = nil
            envelope["version"] = 2
            envelope["session"] = sessions[0]
            for name in added { envelope[name] = transfer.take(name) }
        }
        return Migrated(.object(downgraded), losses: losses, notes: notes)
    }

    private static func losses(_ envelope: JSONObject) -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        for (index, activity) in (envelope["activities"]?.array ?? []).enumerated() {
            let name = activity["label"]?.string ?? ""
            let text = "cannot hold saved activities: \"\(name)\" is preserved, and an older app does not show it"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: ["activities", String(index)])))
        }
        if envelope["session"] != nil {
            let text =
                "cannot hold another \"session\" beside its own: it is preserved, and an older app does not show it"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: ["session"])))
        }
        return losses
    }

    private static func notes(_ envelope: JSONObject) -> [MigrationLoss] {
        var notes: [MigrationLoss] = []
        if let generator = envelope["generator"]?.string {
            let text = "cannot hold the program that wrote the file: \"\(generator)\" is preserved"
            notes.append(MigrationLoss(text, at: JSONPointer(tokens: ["generator"])))
        }
        let used = used(in: envelope)
        for (index, category) in (envelope["categories"]?.array ?? []).enumerated() where !used.contains(category) {
            let text = "cannot list categories that no block uses: \"\(category.string ?? "")\" is preserved"
            notes.append(MigrationLoss(text, at: JSONPointer(tokens: ["categories", String(index)])))
        }
        return notes
    }

    // MARK: Parts

    /// Returns the custom categories of sessions and activities, each once, in the order of their first use.
    private static func used(in envelope: JSONObject) -> [JSONValue] {
        let blocks = (envelope["sessions"]?.array ?? []).flatMap { $0["items"]?.array ?? [] }
        let names = (blocks + (envelope["activities"]?.array ?? [])).map { $0["category"]?.string }
        return Categories.custom(among: names).map(JSONValue.string)
    }

    /// Returns the same for an envelope of version 2 and the activities that come back to it.
    private static func used(in envelope: JSONObject, with incoming: JSONObject) -> [JSONValue] {
        var upgraded = JSONObject()
        upgraded["sessions"] = [envelope["session"] ?? .null]
        upgraded["activities"] = incoming["activities"].flatMap { isActivities($0) ? $0 : nil }
        return used(in: upgraded)
    }

    private static func isActivities(_ value: JSONValue) -> Bool {
        guard let activities = value.array?.map({ try? BlockTemplate(json: $0) }) else { return false }
        let valid = activities.compactMap(\.self).filter { activity in
            !activity.id.isEmpty && !activity.label.isEmpty && activity.category?.isBlank != true
        }
        return valid.count == activities.count && Set(valid.map { ScalarKey($0.id) }).count == valid.count
    }

    private static func isParkedCategories(_ value: JSONValue, usedNow: [JSONValue]) -> Bool {
        guard let members = value.object, members.count == 2, members["used"] == .array(usedNow) else { return false }
        guard let listed = members["listed"]?.array, listed != usedNow else { return false }
        return listed.allSatisfy { $0.string?.isBlank == false } && Set(listed).count == listed.count
    }
}
