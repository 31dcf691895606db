package import StrictJSON

/// Takes the known members out of an object, so that what is left are the unknown ones.
package struct MemberReader {
    /// The members that nobody asked for yet.
    package private(set) var rest: JSONObject
    package let pointer: JSONPointer

    package init(_ value: JSONValue, at pointer: JSONPointer) throws(AppFormatError) {
        guard let object = value.object else { throw Self.error("expected an object", at: pointer) }
        rest = object
        self.pointer = pointer
    }

    package static func error(_ message: String, at pointer: JSONPointer) -> AppFormatError {
        AppFormatError(.member, message, at: pointer)
    }

    /// Takes out a member that must be there, read by `read`.
    package mutating func required<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(AppFormatError) -> Value {
        guard let value = rest.removeValue(forName: name) else {
            throw Self.error("the member \"\(name)\" is missing", at: pointer)
        }
        guard let result = read(value) else {
            throw Self.error("expected \(expected)", at: pointer.appending(name))
        }
        return result
    }

    /// Takes out a member that may be absent, read by `read`.
    package mutating func optional<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(AppFormatError) -> Value? {
        guard rest[name] != nil else { return nil }
        return try required(name, expected, read)
    }

    package mutating func string(_ name: String) throws(AppFormatError) -> String {
        try required(name, "a string", \.string)
    }

    package mutating func optionalString(_ name: String) throws(AppFormatError) -> String? {
        try optional(name, "a string", \.string)
    }

    /// Takes out a string; nil for null or an absent member.
    package mutating func nullableString(_ name: String) throws(AppFormatError) -> String? {
        if rest[name]?.isNull == true {
            rest[name] = nil
            return nil
        }
        return try optionalString(name)
    }

    /// Takes out an integer within a range.
    package mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(AppFormatError) -> Int {
        try required(name, "an integer from \(range.lowerBound) to \(range.upperBound)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Takes out the elements of an array that must be there.
    package mutating func elements<Element>(
        _ name: String,
        _ read: (JSONValue, JSONPointer) throws(AppFormatError) -> Element
    ) throws(AppFormatError) -> [Element] {
        let values = try required(name, "an array", \.array)
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try read(value, pointer.appending(name).appending(index)))
        }
        return elements
    }

    /// Takes out the strings of an array; nil where it is absent.
    package mutating func optionalStrings(_ name: String) throws(AppFormatError) -> [String]? {
        guard rest[name] != nil else { return nil }
        return try elements(name) { (value, pointer) throws(AppFormatError) in
            guard let string = value.string else { throw Self.error("expected a string", at: pointer) }
            return string
        }
    }
}

/// Puts members together in the order of the schema.
package struct MemberWriter {
    package private(set) var object = JSONObject()

    package init() {}

    package mutating func add(_ name: String, _ value: JSONValue) { object[name] = value }

    package mutating func add(_ name: String, _ value: String) { add(name, .string(value)) }

    /// Adds a member, unless its value is nil.
    package mutating func addIfPresent(_ name: String, _ value: String?) {
        if let value { add(name, .string(value)) }
    }

    /// Adds the unknown members after the known ones, `x-preserved` last; one that has a known member's name is left
    /// out.
    package mutating func finish(_ extra: JSONObject) -> JSONValue {
        for member in extra where member.name != Preserved.memberName && object[member.name] == nil {
            object[member.name] = member.value
        }
        if let preserved = extra[Preserved.memberName] { object[Preserved.memberName] = preserved }
        return .object(object)
    }
}

extension JSONObject {
    /// Returns the members whose name is wanted.
    package static func members(of object: JSONObject, where isWanted: (String) -> Bool) -> JSONObject {
        var members = JSONObject()
        for member in object where isWanted(member.name) { members[member.name] = member.value }
        return members
    }

    /// Takes the members of another object that this one does not have.
    package mutating func keep(_ other: JSONObject) {
        for member in other where self[member.name] == nil { self[member.name] = member.value }
    }
}
