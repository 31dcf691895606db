import FormatKit
import StrictJSON

/// The members of each object in schema order.
enum BztimerLayout {
    /// The members of an envelope; version 1 has none.
    static func envelope(_ version: Int) -> [String] {
        version == 2
            ? ["format", "version", "exportedAt", "session"]
            : ["format", "version", "generator", "exportedAt", "categories", "sessions", "activities"]
    }

    static let session = ["id", "name", "items", "tags", "scheduledDaysOfWeek"]
    static let block = [
        "id", "templateId", "label", "type", "mode", "durationSeconds", "reps", "perRepSeconds", "category", "color",
        "icon", "notes",
    ]
    static let activity = block.filter { $0 != "templateId" }

    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        guard var object = document.object else { return document }
        if version == 1 { return .object(orderedSession(object)) }
        object = object.ordered(envelope(version))
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
