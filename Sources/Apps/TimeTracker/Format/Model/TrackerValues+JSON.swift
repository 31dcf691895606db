import CivilTime
public import FormatKit
public import StrictJSON

extension TrackerActivity {
    /// Makes an activity from its form in an export.
    ///
    /// - Throws: `tracker.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = TrackerMembers(value, at: pointer)
        id = try members.required("id", "a string") { $0.string }
        name = try members.required("name", "a string") { $0.string }
        buttonID = try members.optional("buttonId", "a string") { $0.string }
        start = try members.required("startTime", "a time as RFC 3339 has it") {
            $0.string.flatMap(ZonedTimestamp.init)
        }
        end = try members.optional("endTime", "a time as RFC 3339 has it") { $0.string.flatMap(ZonedTimestamp.init) }
        _ = try members.optional("duration", "a number") { $0.number }
        color = try members.optional("color", "a string") { $0.string }
        unknownMembers = members.rest
    }

    /// The activity as an export holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var object: JSONObject = ["id": .string(id), "name": .string(name)]
        object["buttonId"] = buttonID.map(JSONValue.string)
        object["startTime"] = .string(start.description)
        object["endTime"] = end.map { .string($0.description) }
        object["duration"] = durationMilliseconds.map { .number($0) }
        object["color"] = color.map(JSONValue.string)
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }

    /// Tells whether two activities are the same, byte by byte, whatever order their unknown members have.
    public func isSame(as other: TrackerActivity) -> Bool { json == other.json }
}

extension ActivityButton {
    /// Makes a button from its form in an export of any version.
    ///
    /// - Throws: `tracker.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = TrackerMembers(value, at: pointer)
        id = try members.required("id", "a string") { $0.string }
        name = try members.required("name", "a string") { $0.string }
        color = try members.required("color", "a string") { $0.string }
        icon = try members.required("icon", "a string") { $0.string }
        isDefault = try members.required("isDefault", "true or false") { $0.bool }
        position = try members.required("position", "an integer") { $0.int }
        isVisible = try members.required("isVisible", "true or false") { $0.bool }
        unknownMembers = members.rest
    }

    /// The button as an export of any version holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "name": .string(name), "color": .string(color), "icon": .string(icon),
            "isDefault": .bool(isDefault), "position": .number(position), "isVisible": .bool(isVisible),
        ]
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }

    /// Tells whether two buttons are the same, byte by byte, whatever order their unknown members have.
    public func isSame(as other: ActivityButton) -> Bool { json == other.json }
}

/// Takes the known members out of an object, so that what is left are the unknown ones; null is an absent member.
package struct TrackerMembers {
    package private(set) var rest: JSONObject
    private let pointer: JSONPointer

    package init(_ value: JSONValue, at pointer: JSONPointer) {
        rest = value.object ?? JSONObject()
        self.pointer = pointer
    }

    package mutating func required<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(AppFormatError) -> Value {
        guard let value = try optional(name, expected, read) else {
            throw AppFormatError(.trackerMember, "the member \"\(name)\" is missing", at: pointer)
        }
        return value
    }

    package mutating func optional<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(AppFormatError) -> Value? {
        guard let value = rest.removeValue(forName: name), !value.isNull else { return nil }
        guard let result = read(value) else {
            throw AppFormatError(.trackerMember, "expected \(expected)", at: pointer.appending(name))
        }
        return result
    }
}
