import StrictJSON

/// The members of each object in schema order, for all versions: a version has some of them.
enum BztimerLayout {
    static let envelope = [
        "format", "version", "generator", "exportedAt", "categories", "session", "sessions", "activities",
    ]
    static let session = ["id", "name", "items", "tags", "scheduledDaysOfWeek"]
    static let block = [
        "id", "templateId", "label", "type", "mode", "durationSeconds", "reps", "perRepSeconds", "category", "color",
        "icon", "notes",
    ]

    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        guard var object = document.object else { return document }
        if version == 1 { return .object(orderedSession(object)) }
        // A member that this version does not know may have the name of another version's.
        let known = envelope.filter { name in
            switch name {
            case "session": version == 2
            case "generator", "categories", "sessions", "activities": version == 3
            default: true
            }
        }
        object = object.ordered(known)
        if version == 2, let session = object["session"]?.object {
            object["session"] = .object(orderedSession(session))
        } else if version == 3 {
            object["sessions"] = object["sessions"].map { eachObject($0, orderedSession) }
            object["activities"] = object["activities"].map { eachObject($0) { $0.ordered(block) } }
        }
        return .object(object)
    }

    private static func orderedSession(_ session: JSONObject) -> JSONObject {
        var session = session.ordered(self.session)
        session["items"] = session["items"].map { eachObject($0) { $0.ordered(block) } }
        return session
    }

    private static func eachObject(_ value: JSONValue, _ change: (JSONObject) -> JSONObject) -> JSONValue {
        guard let elements = value.array else { return value }
        return .array(elements.map { element in element.object.map { .object(change($0)) } ?? element })
    }
}
