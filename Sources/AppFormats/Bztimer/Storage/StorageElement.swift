import StrictJSON

/// Reads single records of a phone's storage as if they came in a file.
enum StorageElement {
    /// A session as the current version has it.
    static func read(session value: JSONValue) -> BztimerReading { read(["sessions": .array([value])]) }

    /// A saved activity as the current version has it.
    static func read(activity value: JSONValue) -> BztimerReading {
        read(["sessions": .array([]), "activities": .array([value])])
    }

    /// A session as the app's own records and version 1 have it: with all three timing numbers, perhaps without categories.
    ///
    /// - Returns: Nil where it is none of these by its shape.
    static func read(oldSession value: JSONValue) -> BztimerReading? {
        guard var session = value.object, session["format"] == nil, session["version"] == nil else { return nil }
        session["items"] = .array((session["items"]?.array ?? []).map(completed))
        return BztimerReader.read(JSONValue.object(session).encoded(.compact))
    }

    /// A saved block of that kind, as the only one of a session.
    static func read(oldBlock value: JSONValue) -> BztimerReading? {
        read(oldSession: ["id": "block", "name": "block", "items": .array([value])])
    }

    /// An activity of the library that a block stands for.
    static func activity(_ block: BlockInstance) -> BlockTemplate? {
        guard block.kind == .activity, var object = block.json.object else { return nil }
        object["templateId"] = nil
        return try? BlockTemplate(json: .object(object))
    }

    private static func read(_ content: JSONObject) -> BztimerReading {
        var file: JSONObject = ["format": "bztimer", "version": 3, "categories": .array([])]
        for member in content { file[member.name] = member.value }
        return BztimerReader.read(JSONValue.object(file).encoded(.compact))
    }

    /// A block with a number for each timing; one that its mode needs is still missing as 0.
    private static func completed(_ value: JSONValue) -> JSONValue {
        guard var block = value.object else { return value }
        for name in ["durationSeconds", "reps", "perRepSeconds"] where block[name] == nil {
            block[name] = .number(JSONNumber(0))
        }
        return .object(block)
    }
}
