import StrictJSON

/// Takes the known members out of an object, so that what is left are the unknown ones.
struct MemberReader {
    /// The members that nobody asked for yet.
    private(set) var rest: JSONObject
    let pointer: JSONPointer

    init(_ value: JSONValue, at pointer: JSONPointer) throws(AppFormatError) {
        guard let object = value.object else { throw Self.error("expected an object", at: pointer) }
        rest = object
        self.pointer = pointer
    }

    static func error(_ message: String, at pointer: JSONPointer) -> AppFormatError {
        AppFormatError(.member, message, at: pointer)
    }

    /// A member that must be there, read by `read`.
    mutating func required<Value>(
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

    /// A member that may be absent, read by `read`.
    mutating func optional<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(AppFormatError) -> Value? {
        guard rest[name] != nil else { return nil }
        return try required(name, expected, read)
    }

    mutating func string(_ name: String) throws(AppFormatError) -> String { try required(name, "a string", \.string) }

    mutating func optionalString(_ name: String) throws(AppFormatError) -> String? {
        try optional(name, "a string", \.string)
    }

    /// A string, or nil for null or an absent member.
    mutating func nullableString(_ name: String) throws(AppFormatError) -> String? {
        if rest[name]?.isNull == true {
            rest[name] = nil
            return nil
        }
        return try optionalString(name)
    }

    /// An integer within a range.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(AppFormatError) -> Int {
        try required(name, "an integer from \(range.lowerBound) to \(range.upperBound)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// The elements of an array that must be there, or may be absent where `mayBeAbsent` says so.
    mutating func elements<Element>(
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

    /// The strings of an array, or nil where it is absent.
    mutating func optionalStrings(_ name: String) throws(AppFormatError) -> [String]? {
        guard rest[name] != nil else { return nil }
        return try elements(name) { (value, pointer) throws(AppFormatError) in
            guard let string = value.string else { throw Self.error("expected a string", at: pointer) }
            return string
        }
    }

    /// `mode` and the timing members that belong to it.
    mutating func timing() throws(AppFormatError) -> BlockTiming {
        switch try string("mode") {
        case "duration": .duration(seconds: try integer("durationSeconds", in: 1...BlockTiming.longestDuration))
        case "reps":
            .reps(
                count: try integer("reps", in: 1...BlockTiming.mostReps),
                secondsEach: try integer("perRepSeconds", in: 1...BlockTiming.longestRep)
            )
        default: throw Self.error("expected \"duration\" or \"reps\"", at: pointer.appending("mode"))
        }
    }
}

/// Puts members together in the order of the schema.
struct MemberWriter {
    private(set) var object = JSONObject()

    mutating func add(_ name: String, _ value: JSONValue) { object[name] = value }

    mutating func add(_ name: String, _ value: String) { add(name, .string(value)) }

    /// A member that is left out where it is nil.
    mutating func addIfPresent(_ name: String, _ value: String?) {
        if let value { add(name, .string(value)) }
    }

    mutating func add(_ timing: BlockTiming) {
        add("mode", timing.mode)
        switch timing {
        case .duration(let seconds): add("durationSeconds", .number(JSONNumber(seconds)))
        case .reps(let count, let secondsEach):
            add("reps", .number(JSONNumber(count)))
            add("perRepSeconds", .number(JSONNumber(secondsEach)))
        }
    }

    /// The unknown members after the known ones, `x-preserved` last; one that has a known member's name gives way.
    mutating func finish(_ extra: JSONObject) -> JSONValue {
        for member in extra where member.name != Preserved.memberName && object[member.name] == nil {
            object[member.name] = member.value
        }
        if let preserved = extra[Preserved.memberName] { object[Preserved.memberName] = preserved }
        return .object(object)
    }
}
