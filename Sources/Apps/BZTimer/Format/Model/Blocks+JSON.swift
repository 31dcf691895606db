public import FormatKit
public import StrictJSON

extension BlockTemplate {
    /// Makes an activity from its form in a file or a store.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = try MemberReader(value, at: pointer)
        id = try members.string("id")
        label = try members.string("label")
        guard try members.string("type") == BlockKind.activity.rawValue else {
            throw MemberReader.error("expected \"activity\"", at: pointer.appending("type"))
        }
        timing = try members.timing()
        category = try members.nullableString("category")
        color = try members.optionalString("color")
        icon = try members.optionalString("icon")
        notes = try members.optionalString("notes")
        extra = members.rest
    }

    /// The activity as a file holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("id", id)
        members.add("label", label)
        members.add("type", BlockKind.activity.rawValue)
        members.add(timing)
        members.add("category", category.map(JSONValue.string) ?? .null)
        members.addIfPresent("color", color)
        members.addIfPresent("icon", icon)
        members.addIfPresent("notes", notes)
        return members.finish(extra)
    }
}

extension BlockInstance {
    /// Makes a block from its form in a file or a store.
    ///
    /// - Throws: `bztimer.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = try MemberReader(value, at: pointer)
        id = try members.string("id")
        templateId = try members.nullableString("templateId")
        label = try members.string("label")
        kind = try members.required("type", "\"activity\", \"rest\" or \"transition\"") { value in
            value.string.flatMap(BlockKind.init)
        }
        timing = try members.timing()
        category = try members.nullableString("category")
        guard category == nil || kind == .activity else {
            throw MemberReader.error("a \(kind) has no category; expected null", at: pointer.appending("category"))
        }
        color = try members.optionalString("color")
        icon = try members.optionalString("icon")
        notes = try members.optionalString("notes")
        extra = members.rest
    }

    /// The block as a file holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        members.add("id", id)
        members.addIfPresent("templateId", templateId)
        members.add("label", label)
        members.add("type", kind.rawValue)
        members.add(timing)
        members.add("category", category.map(JSONValue.string) ?? .null)
        members.addIfPresent("color", color)
        members.addIfPresent("icon", icon)
        members.addIfPresent("notes", notes)
        return members.finish(extra)
    }
}
