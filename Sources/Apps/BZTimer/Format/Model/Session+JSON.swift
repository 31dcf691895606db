import CivilTime
public import FormatKit
public import StrictJSON

extension SessionTemplate {
    /// Makes a session from its form in a file or a store.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = try MemberReader(value, at: pointer)
        id = try members.string("id")
        name = try members.string("name")
        items = try members.elements("items") { (value, pointer) throws(AppFormatError) in
            try BlockInstance(json: value, at: pointer)
        }
        tags = try members.optionalStrings("tags")
        scheduledDaysOfWeek = try members.optional("scheduledDaysOfWeek", "ISO weekdays 1 to 7, each once") { value in
            let days = (value.array ?? []).compactMap(\.int)
            let isValid = days.count == value.array?.count && Set(days).count == days.count
            return isValid && days.allSatisfy((1...7).contains) ? days : nil
        }
        extra = members.rest
    }

    /// The session as a file holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("id", id)
        members.add("name", name)
        members.add("items", .array(items.map(\.json)))
        if let tags { members.add("tags", .array(tags.map(JSONValue.string))) }
        if let scheduledDaysOfWeek {
            members.add("scheduledDaysOfWeek", .array(scheduledDaysOfWeek.map { .number($0) }))
        }
        return members.finish(extra)
    }
}

extension SessionHistoryEntry {
    /// The longest run that an entry may give, in seconds: 2^53 - 1, which every JSON reader keeps exactly.
    public static let longestDuration = 9_007_199_254_740_991

    /// Makes a history entry from its form in a store or a dump of the app.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = try MemberReader(value, at: pointer)
        id = try members.string("id")
        sessionId = try members.nullableString("sessionId")
        sessionName = try members.string("sessionName")
        completedAt = try members.required("completedAt", "an RFC 3339 date and time") { value in
            value.string.flatMap { Timestamp($0) == nil ? nil : $0 }
        }
        totalDurationSeconds = try members.integer("totalDurationSeconds", in: 0...Self.longestDuration)
        extra = members.rest
    }

    /// The entry as JSON, members in the order of the app's document and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("id", id)
        members.add("sessionId", sessionId.map(JSONValue.string) ?? .null)
        members.add("sessionName", sessionName)
        members.add("completedAt", completedAt)
        members.add("totalDurationSeconds", .number(totalDurationSeconds))
        return members.finish(extra)
    }
}

extension BztimerFile {
    /// Makes the content of a document of the current version.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue) throws(AppFormatError) {
        var members = try MemberReader(value, at: .root)
        _ = try members.required("format", "\"bztimer\"") { $0.string == "bztimer" ? true : nil }
        _ = try members.required("version", "\(BztimerFormat.currentVersion)") {
            $0.int == BztimerFormat.currentVersion ? true : nil
        }
        generator = try members.optionalString("generator")
        exportedAt = try members.optionalString("exportedAt")
        categories = try members.optionalStrings("categories") ?? []
        sessions = try members.elements("sessions") { (value, pointer) throws(AppFormatError) in
            try SessionTemplate(json: value, at: pointer)
        }
        activities = nil
        if members.rest["activities"] != nil {
            activities = try members.elements("activities") { (value, pointer) throws(AppFormatError) in
                try BlockTemplate(json: value, at: pointer)
            }
        }
        extra = members.rest
    }

    /// The document of the current version, members in schema order and unknown ones after them at every level.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("format", "bztimer")
        members.add("version", .number(BztimerFormat.currentVersion))
        members.addIfPresent("generator", generator)
        members.addIfPresent("exportedAt", exportedAt)
        members.add("categories", .array(categories.map(JSONValue.string)))
        members.add("sessions", .array(sessions.map(\.json)))
        if let activities { members.add("activities", .array(activities.map(\.json))) }
        return members.finish(extra)
    }
}
