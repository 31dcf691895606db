import FormatKit
import StrictJSON

/// The members of each object in schema order.
enum TrackerLayout {
    static let button = ["id", "name", "color", "icon", "isDefault", "position", "isVisible"]
    static let activity = ["id", "name", "buttonId", "startTime", "endTime", "duration", "color"]
    /// The times of an activity, which the versions write differently.
    static let times = ["startTime", "endTime"]

    /// The members of the top level of a version.
    static func top(_ version: Int) -> [String] {
        version == 1
            ? ["activities", "buttons"] : ["format", "version", "exportedAt", "timeZone", "buttons", "activities"]
    }

    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        guard var object = document.object?.ordered(top(version)) else { return document }
        for (list, names) in [("buttons", button), ("activities", activity)] {
            guard let elements = object[list]?.array else { continue }
            object[list] = .array(elements.map { value in value.object.map { .object($0.ordered(names)) } ?? value })
        }
        return .object(object)
    }
}
