import StrictJSON

/// Version 1 (a bare session) to version 2 (an envelope, categories, only the timing of the mode).
enum BztimerStep1To2 {
    static let step = MigrationStep(
        format: "bztimer",
        from: 1,
        to: 2,
        losses: [
            "the category of an activity, unless it is Uncategorized", "the session's tags",
            "unknown members of the envelope",
        ],
        up: { value in Migrated(up(value)) },
        down: { value in down(value) },
        olderPointer: { pointer in
            pointer.tokens.first == "session" ? JSONPointer(tokens: Array(pointer.tokens.dropFirst())) : .root
        },
        newerPointer: { JSONPointer(tokens: ["session"] + $0.tokens) }
    )

    private static let sessionRules = PassageRules(
        up: { name, value, session, _ in
            switch name {
            case "envelope": isEnvelope(value)
            case "tags": session["tags"] == nil && isTags(value)
            default: false
            }
        },
        down: { name, value, session, _ in name == "tags" && session["tags"] != nil && value.bool == true }
    )

    private static let blockRules = PassageRules(
        up: { name, value, block, _ in
            name == "category" && isActivity(block) && block["category"] == nil && value != defaultCategory
                && isCategory(value)
        },
        down: { name, value, block, _ in
            guard name == "category" else {
                return unusedTimings(block).contains(name) && block[name] == nil && value.number != nil && value != 0
            }
            return isActivity(block) ? block["category"] != nil && value.bool == true : isCategory(value)
        }
    )

    private static let envelopeNames = ["format", "version", "session"]

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let session = document.object else { return document }
        var envelope: JSONObject = ["format": "bztimer", "version": 2]
        let upgraded = session.passing(from: 1, to: 2, sessionRules) { session, passage in
            for member in passage.take("envelope")?.object ?? [:] {
                envelope[member.name] = member.value
            }
            if session["tags"] != nil {
                passage.park("tags", true)
            } else if let tags = passage.take("tags") {
                session["tags"] = tags
            }
            session["items"] = session["items"].map { eachObject($0) { block, _ in upgrade(block) } }
        }
        envelope["session"] = .object(upgraded)
        return .object(envelope)
    }

    private static func upgrade(_ block: JSONObject) -> JSONObject {
        block.passing(from: 1, to: 2, blockRules) { block, passage in
            for name in unusedTimings(block) {
                guard let value = block.removeValue(forName: name) else { continue }
                if value != 0 { passage.park(name, value) }
            }
            let isActivity = isActivity(block)
            if let category = block["category"] {
                passage.park("category", isActivity ? true : category)
                if !isActivity { block["category"] = .null }
            } else if isActivity {
                block["category"] = passage.take("category") ?? defaultCategory
            } else {
                block["category"] = .null
            }
        }
    }

    // MARK: Down

    private static func down(_ document: JSONValue) -> Migrated {
        guard var envelope = document.object, let session = envelope["session"]?.object else {
            return Migrated(document)
        }
        for name in envelopeNames { envelope[name] = nil }
        let unknown = envelope.filter { $0.name != Preserved.memberName && $0.name != "exportedAt" }
        var losses = unknown.map { member in
            MigrationLoss(
                "cannot hold members beside the session: \"\(member.name)\" is parked and an older app will not show it",
                at: JSONPointer(tokens: [member.name])
            )
        }
        var notes: [MigrationLoss] = []
        if envelope["exportedAt"] != nil {
            let text = "cannot hold the moment of export: it is parked"
            notes.append(MigrationLoss(text, at: JSONPointer(tokens: ["exportedAt"])))
        }
        let place = JSONPointer(tokens: ["session"])
        let downgraded = session.passing(from: 2, to: 1, sessionRules) { session, passage in
            if !envelope.isEmpty { passage.park("envelope", .object(envelope)) }
            if let tags = session["tags"], passage.take("tags") == nil {
                session["tags"] = nil
                passage.park("tags", tags)
                losses += loss(ofTags: tags.array?.count ?? 0, at: place.appending("tags"))
            }
            session["items"] = session["items"].map { items in
                eachObject(items) { block, index in
                    downgrade(block, at: place.appending("items").appending(index), &losses)
                }
            }
        }
        return Migrated(.object(downgraded), losses: losses, notes: notes)
    }

    private static func downgrade(
        _ block: JSONObject,
        at pointer: JSONPointer,
        _ losses: inout [MigrationLoss]
    ) -> JSONObject {
        block.passing(from: 2, to: 1, blockRules) { block, passage in
            for name in unusedTimings(block) where block[name] == nil {
                block[name] = passage.take(name) ?? 0
            }
            guard isActivity(block) else {
                block["category"] = passage.take("category")
                return
            }
            guard let category = block["category"], passage.take("category") == nil else { return }
            block["category"] = nil
            guard category != defaultCategory else { return }
            passage.park("category", category)
            if let name = category.string {
                let text = "cannot hold categories: \"\(name)\" is parked and an older app will not show it"
                losses.append(MigrationLoss(text, at: pointer.appending("category")))
            }
        }
    }

    private static func loss(ofTags count: Int, at pointer: JSONPointer) -> [MigrationLoss] {
        guard count > 0 else { return [] }
        let tags = count == 1 ? "1 tag is" : "\(count) tags are"
        let text = "cannot hold tags: \(tags) parked and an older app will not show \(count == 1 ? "it" : "them")"
        return [MigrationLoss(text, at: pointer)]
    }

    // MARK: Parts

    private static let defaultCategory = JSONValue.string(Categories.uncategorized)

    /// The timing members that a block's mode does not use.
    private static func unusedTimings(_ block: JSONObject) -> [String] {
        switch block["mode"]?.string {
        case "duration": ["reps", "perRepSeconds"]
        case "reps": ["durationSeconds"]
        default: []
        }
    }

    private static func isActivity(_ block: JSONObject) -> Bool { block["type"]?.string == "activity" }

    private static func isTags(_ value: JSONValue) -> Bool {
        value.array?.allSatisfy { $0.string.map { !$0.isEmpty } ?? false } ?? false
    }

    private static func isCategory(_ value: JSONValue) -> Bool {
        value.isNull || value.string.map { !$0.isBlank } ?? false
    }

    private static func isEnvelope(_ value: JSONValue) -> Bool {
        guard let members = value.object, !members.isEmpty else { return false }
        guard envelopeNames.allSatisfy({ members[$0] == nil }) else { return false }
        return members["exportedAt"].map { $0.string.flatMap(Timestamp.init) != nil } ?? true
    }

    private static func eachObject(_ value: JSONValue, _ change: (JSONObject, Int) -> JSONObject) -> JSONValue {
        guard let elements = value.array else { return value }
        return .array(
            elements.enumerated().map { index, element in
                element.object.map { .object(change($0, index)) } ?? element
            }
        )
    }
}
