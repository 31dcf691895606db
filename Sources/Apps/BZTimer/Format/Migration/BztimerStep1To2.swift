import CivilTime
import FormatKit
import StrictJSON

/// Version 1 (a bare session) to version 2 (an envelope, only the timing of the mode, a category on each block).
///
/// Category and tags stand in both versions. The first apps wrote neither, and early versions of this library parked them:
/// on the way up they get their places, where they stay on the way down.
enum BztimerStep1To2 {
    static let step = MigrationStep(
        format: "bztimer",
        from: 1,
        to: 2,
        losses: ["unknown members of the envelope"],
        up: { value in Migrated(up(value)) },
        down: { value in down(value) },
        olderPointer: { pointer in
            pointer.tokens.first == "session" ? JSONPointer(tokens: Array(pointer.tokens.dropFirst())) : .root
        },
        newerPointer: { JSONPointer(tokens: ["session"] + $0.tokens) }
    )

    private static let sessionRules = PreservedRules(
        up: { name, value, session, _ in
            switch name {
            case "envelope": isEnvelope(value)
            case "tags": session["tags"] == nil && isTags(value)
            default: false
            }
        },
        down: { _, _, _, _ in false }
    )

    private static let blockRules = PreservedRules(
        up: { name, value, block, _ in
            name == "category" && isActivity(block) && block["category"] == nil && value != defaultCategory
                && isCategory(value)
        },
        down: { name, value, block, _ in
            guard name == "category" else {
                return unusedTimings(block).contains(name) && block[name] == nil && value.number != nil && value != 0
            }
            return !isActivity(block) && value.string != nil && isCategory(value)
        }
    )

    private static let envelopeNames = ["format", "version", "session"]

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let session = document.object else { return document }
        var envelope: JSONObject = ["format": "bztimer", "version": 2]
        let upgraded = session.passing(from: 1, to: 2, sessionRules) { session, transfer in
            for member in transfer.take("envelope")?.object ?? [:] {
                envelope[member.name] = member.value
            }
            if session["tags"] == nil { session["tags"] = transfer.take("tags") }
            session["items"] = session["items"].map { eachObject($0) { block, _ in upgrade(block) } }
        }
        envelope["session"] = .object(upgraded)
        return .object(envelope)
    }

    private static func upgrade(_ block: JSONObject) -> JSONObject {
        block.passing(from: 1, to: 2, blockRules) { block, transfer in
            for name in unusedTimings(block) {
                guard let value = block.removeValue(forName: name) else { continue }
                if value != 0 { transfer.park(name, value) }
            }
            let isActivity = isActivity(block)
            if isActivity {
                if block["category"] == nil { block["category"] = transfer.take("category") ?? defaultCategory }
            } else {
                if let category = block["category"], !category.isNull { transfer.park("category", category) }
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
        let losses = unknown.map { member in
            MigrationLoss(
                "cannot hold members beside the session: \"\(member.name)\" is preserved, and an older app "
                    + "does not show it",
                at: JSONPointer(tokens: [member.name])
            )
        }
        var notes: [MigrationLoss] = []
        if envelope["exportedAt"] != nil {
            let text = "cannot hold the moment of export: it is preserved"
            notes.append(MigrationLoss(text, at: JSONPointer(tokens: ["exportedAt"])))
        }
        let downgraded = session.passing(from: 2, to: 1, sessionRules) { session, transfer in
            if !envelope.isEmpty { transfer.park("envelope", .object(envelope)) }
            session["items"] = session["items"].map { items in
                eachObject(items) { block, _ in downgrade(block) }
            }
        }
        return Migrated(.object(downgraded), losses: losses, notes: notes)
    }

    private static func downgrade(_ block: JSONObject) -> JSONObject {
        block.passing(from: 2, to: 1, blockRules) { block, transfer in
            for name in unusedTimings(block) where block[name] == nil {
                block[name] = transfer.take(name) ?? 0
            }
            if !isActivity(block), let category = transfer.take("category") { block["category"] = category }
        }
    }

    // MARK: Parts

    private static let defaultCategory = JSONValue.string(Categories.uncategorized)

    /// Returns the timing members that a block's mode does not use.
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
