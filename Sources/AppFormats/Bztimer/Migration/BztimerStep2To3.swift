import StrictJSON

/// Version 2 (one session) to version 3 (several sessions, activities, custom categories declared).
enum BztimerStep2To3 {
    static let step = MigrationStep(
        format: "bztimer",
        from: 2,
        to: 3,
        losses: ["the activities", "the name of the program that wrote the file", "categories that no block uses"],
        up: { value in Migrated(up(value)) },
        down: { (value) throws(AppFormatError) in try down(value) },
        olderPointer: olderPointer,
        newerPointer: { pointer in
            guard pointer.tokens.first == "session" else { return pointer }
            return JSONPointer(tokens: ["sessions", "0"] + pointer.tokens.dropFirst())
        }
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
        let upgraded = envelope.passing(from: 2, to: 3) { envelope, passage in
            let session = envelope.removeValue(forName: "session") ?? .null
            for name in added {
                if let foreign = envelope.removeValue(forName: name) { passage.park(name, foreign) }
            }
            envelope["version"] = 3
            envelope["generator"] = passage.take("generator") { $0.string != nil }
            envelope["activities"] = passage.take("activities", where: isActivities)
            envelope["sessions"] = [session]
            envelope["categories"] = categories(used(in: envelope), &passage)
            envelope["session"] = passage.take("session")
        }
        return .object(upgraded)
    }

    /// The categories that the blocks use, or what an earlier version 3 file declared beyond them.
    private static func categories(_ used: [JSONValue], _ passage: inout Passage) -> JSONValue {
        guard
            let parked = passage.take("categories", where: isParkedCategories),
            let listed = parked["listed"]?.array,
            let usedThen = parked["used"]?.array
        else { return .array(used) }
        if usedThen == used { return .array(listed) }
        return .array(used + listed.filter { !used.contains($0) && !usedThen.contains($0) })
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
        let losses = losses(envelope)
        let downgraded = envelope.passing(from: 3, to: 2) { envelope, passage in
            let used = used(in: envelope)
            for name in ["generator", "activities", "session"] {
                if let value = envelope.removeValue(forName: name) { passage.park(name, value) }
            }
            if let listed = envelope.removeValue(forName: "categories"), listed != .array(used) {
                passage.park("categories", ["listed": listed, "used": .array(used)])
            }
            envelope["sessions"] = nil
            envelope["version"] = 2
            envelope["session"] = sessions[0]
            for name in added { envelope[name] = passage.take(name) }
        }
        return Migrated(.object(downgraded), losses: losses)
    }

    private static func losses(_ envelope: JSONObject) -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        if let generator = envelope["generator"]?.string {
            losses.append(MigrationLoss("the generator \"\(generator)\"", at: JSONPointer(tokens: ["generator"])))
        }
        let used = used(in: envelope)
        for (index, category) in (envelope["categories"]?.array ?? []).enumerated() where !used.contains(category) {
            let pointer = JSONPointer(tokens: ["categories", String(index)])
            losses.append(MigrationLoss("the category \"\(category.string ?? "")\", which no block uses", at: pointer))
        }
        for (index, activity) in (envelope["activities"]?.array ?? []).enumerated() {
            let pointer = JSONPointer(tokens: ["activities", String(index)])
            losses.append(MigrationLoss("the activity \"\(activity["label"]?.string ?? "")\"", at: pointer))
        }
        if envelope["session"] != nil {
            losses.append(MigrationLoss("\"session\" of the envelope", at: JSONPointer(tokens: ["session"])))
        }
        return losses
    }

    // MARK: Parts

    /// The custom categories of sessions and activities, each once, in the order of their first use.
    private static func used(in envelope: JSONObject) -> [JSONValue] {
        let blocks = (envelope["sessions"]?.array ?? []).flatMap { $0["items"]?.array ?? [] }
        let names = (blocks + (envelope["activities"]?.array ?? [])).map { $0["category"]?.string }
        return Categories.custom(among: names).map(JSONValue.string)
    }

    private static func isActivities(_ value: JSONValue) -> Bool {
        value.array?.allSatisfy { (try? BlockTemplate(json: $0)) != nil } ?? false
    }

    private static func isParkedCategories(_ value: JSONValue) -> Bool {
        guard let members = value.object, members.count == 2, members["listed"] != members["used"] else { return false }
        let lists = [members["listed"]?.array, members["used"]?.array].compactMap { $0 }
        let areNames = lists.allSatisfy { $0.allSatisfy { name in name.string.map { !$0.isEmpty } ?? false } }
        return lists.count == 2 && areNames && Set(lists[0]).count == lists[0].count
    }
}
