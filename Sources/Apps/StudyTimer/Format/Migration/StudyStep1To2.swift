import CivilTime
import FormatKit
import StrictJSON

/// Version 1 (the tables `sessions` and `session_history` as Supabase exports them, in one object or one of them as a
/// list) to version 2 (an envelope).
enum StudyStep1To2 {
    static let step = MigrationStep(
        format: StudyFormat.name,
        from: 1,
        to: 2,
        losses: ["the moment of the export"],
        up: { value in Migrated(up(value)) },
        down: { value in Migrated(down(value), notes: notes(value)) },
        olderPointer: { pointer in
            switch pointer.tokens.first {
            case "events": JSONPointer(tokens: ["session_history"] + pointer.tokens.dropFirst())
            case "format", "version", "exportedAt": .root
            default: pointer
            }
        },
        newerPointer: { pointer in
            guard pointer.tokens.first == "session_history" else { return pointer }
            return JSONPointer(tokens: ["events"] + pointer.tokens.dropFirst())
        }
    )

    /// Parked for version 1 where its document is one of the two lists.
    private static let list = "list"
    private static let added = ["format", "version", "exportedAt", "events"]

    private static let rules = PreservedRules(
        up: { name, value, _, _ in
            guard name == "exportedAt" else { return name == "session_history" }
            return value.isNull || value.string.flatMap(Timestamp.init) != nil
        },
        down: { name, value, _, _ in
            switch name {
            case "format": value.string == nil
            case "version": value.int == 1
            default: added.contains(name)
            }
        }
    )

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        if let elements = document.array {
            let isEvents = elements.first.map(StudyLayout.isEvent) ?? false
            return [
                "format": .string(StudyFormat.name), "version": 2, "sessions": isEvents ? [] : document,
                "events": isEvents ? document : [],
                "x-preserved": ["1": ["list": isEvents ? "events" : "sessions"]],
            ]
        }
        guard let envelope = document.object else { return document }
        return .object(upgrade(envelope))
    }

    /// Returns the top level of an object of version 1 in the form of version 2.
    static func upgrade(_ envelope: JSONObject) -> JSONObject {
        envelope.passing(from: 1, to: 2, rules) { envelope, transfer in
            let events = envelope.removeValue(forName: "session_history")
            for name in added {
                if let foreign = envelope.removeValue(forName: name) { transfer.park(name, foreign) }
            }
            envelope["format"] = .string(StudyFormat.name)
            envelope["version"] = 2
            envelope["events"] = events
            envelope["exportedAt"] = transfer.take("exportedAt")
            envelope["session_history"] = transfer.take("session_history")
        }
    }

    // MARK: Down

    private static func down(_ document: JSONValue) -> JSONValue {
        guard let envelope = document.object else { return document }
        if let list = onlyList(of: envelope) { return list }
        return .object(
            envelope.passing(from: 2, to: 1, rules) { envelope, transfer in
                let events = envelope.removeValue(forName: "events")
                for name in ["exportedAt", "session_history"] {
                    if let value = envelope.removeValue(forName: name) { transfer.park(name, value) }
                }
                envelope["format"] = nil
                envelope["version"] = nil
                for name in added { envelope[name] = transfer.take(name) }
                envelope["session_history"] = events
            }
        )
    }

    /// Returns the list that the document was in version 1, where nothing was added that a list cannot hold.
    private static func onlyList(of envelope: JSONObject) -> JSONValue? {
        guard envelope.count == 5, let preserved = envelope[Preserved.memberName] else { return nil }
        let (sessions, events) = (envelope["sessions"] ?? .null, envelope["events"] ?? .null)
        if preserved == ["1": ["list": "sessions"]], events == [], let first = sessions.array?.first {
            return StudyLayout.isEvent(first) ? nil : sessions
        }
        if preserved == ["1": ["list": "events"]], sessions == [], let first = events.array?.first {
            return StudyLayout.isEvent(first) ? events : nil
        }
        return nil
    }

    /// Returns members of the top level without the name of the list that a document of version 1 was.
    ///
    /// A store holds both tables, so that the name says nothing there.
    static func withoutListName(_ members: JSONObject) -> JSONObject {
        guard var preserved = members[Preserved.memberName]?.object, var parked = preserved["1"]?.object,
            let name = parked[list]?.string, ["sessions", "events"].contains(name)
        else { return members }
        parked[list] = nil
        preserved["1"] = parked.isEmpty ? nil : .object(parked)
        var members = members
        members[Preserved.memberName] = preserved.isEmpty ? nil : .object(preserved)
        return members
    }

    private static func notes(_ document: JSONValue) -> [MigrationLoss] {
        guard let moment = document["exportedAt"]?.string else { return [] }
        let text = "cannot hold the moment of the export: \"\(moment)\" is preserved"
        return [MigrationLoss(text, at: JSONPointer(tokens: ["exportedAt"]))]
    }
}
