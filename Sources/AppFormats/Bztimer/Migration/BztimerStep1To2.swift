import StrictJSON

/// Version 1 (a bare session) to version 2 (an envelope, categories, only the timing of the mode).
enum BztimerStep1To2 {
    static let step = MigrationStep(
        format: "bztimer",
        from: 1,
        to: 2,
        losses: [
            "the category of an activity, unless it is Uncategorized", "the session's tags", "the moment of export",
            "unknown members of the envelope",
        ],
        up: { value in Migrated(up(value)) },
        down: { value in down(value) },
        olderPointer: { pointer in
            pointer.tokens.first == "session" ? JSONPointer(tokens: Array(pointer.tokens.dropFirst())) : .root
        },
        newerPointer: { JSONPointer(tokens: ["session"] + $0.tokens) }
    )

    private static let envelopeNames = ["format", "version", "session"]

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let session = document.object else { return document }
        var envelope: JSONObject = ["format": "bztimer", "version": 2]
        let upgraded = session.passing(from: 1, to: 2) { session, passage in
            for member in passage.take("envelope", where: isEnvelope)?.object ?? [:] {
                envelope[member.name] = member.value
            }
            if session["tags"] != nil {
                passage.park("tags", true)
            } else if let tags = passage.take("tags", where: isTags) {
                session["tags"] = tags
            }
            session["items"] = session["items"].map { eachObject($0) { block, _ in upgrade(block) } }
        }
        envelope["session"] = .object(upgraded)
        return .object(envelope)
    }

    private static func upgrade(_ block: JSONObject) -> JSONObject {
        block.passing(from: 1, to: 2) { block, passage in
            for name in unusedTimings(block) {
                guard let value = block.removeValue(forName: name) else { continue }
                if value != 0 { passage.park(name, value) }
            }
            let isActivity = block["type"]?.string == "activity"
            if let category = block["category"] {
                passage.park("category", isActivity ? true : category)
                if !isActivity { block["category"] = .null }
            } else if isActivity {
                block["category"] = passage.take("category", where: isParkedCategory) ?? defaultCategory
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
        var losses = envelope.filter { $0.name != Preserved.memberName }.map { member in
            MigrationLoss("\"\(member.name)\" of the envelope", at: JSONPointer(tokens: [member.name]))
        }
        let place = JSONPointer(tokens: ["session"])
        let downgraded = session.passing(from: 2, to: 1) { session, passage in
            if !envelope.isEmpty { passage.park("envelope", .object(envelope)) }
            if let tags = session["tags"], passage.take("tags", where: isTrue) == nil {
                session["tags"] = nil
                passage.park("tags", tags)
                let count = tags.array?.count ?? 0
                losses.append(MigrationLoss("\(count == 1 ? "1 tag" : "\(count) tags")", at: place.appending("tags")))
            }
            session["items"] = session["items"].map { items in
                eachObject(items) { block, index in
                    downgrade(block, at: place.appending("items").appending(index), &losses)
                }
            }
        }
        return Migrated(.object(downgraded), losses: losses)
    }

    private static func downgrade(
        _ block: JSONObject,
        at pointer: JSONPointer,
        _ losses: inout [MigrationLoss]
    ) -> JSONObject {
        block.passing(from: 2, to: 1) { block, passage in
            for name in unusedTimings(block) where block[name] == nil {
                block[name] = passage.take(name, where: { $0.number != nil && $0 != 0 }) ?? 0
            }
            let isActivity = block["type"]?.string == "activity"
            guard isActivity else {
                block["category"] = passage.take("category", where: isCategory)
                return
            }
            guard let category = block["category"], passage.take("category", where: isTrue) == nil else { return }
            block["category"] = nil
            guard category != defaultCategory else { return }
            passage.park("category", category)
            if let name = category.string {
                losses.append(MigrationLoss("the category \"\(name)\"", at: pointer.appending("category")))
            }
        }
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

    private static func isTrue(_ value: JSONValue) -> Bool { value.bool == true }

    private static func isTags(_ value: JSONValue) -> Bool {
        value.array?.allSatisfy { $0.string.map { !$0.isEmpty } ?? false } ?? false
    }

    private static func isCategory(_ value: JSONValue) -> Bool {
        value.isNull || value.string.map { !$0.isEmpty } ?? false
    }

    private static func isParkedCategory(_ value: JSONValue) -> Bool { isCategory(value) && value != defaultCategory }

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
