import FormatKit
import StrictJSON

/// Reads single records of a phone's storage as if they came in a file.
enum StorageElement {
    /// Reads a session in the form of the current version.
    static func read(session value: JSONValue) -> ParseResult<BztimerFile> {
        read(["sessions": .array([distinct(value)])])
    }

    /// Returns a session whose blocks have an id each: an import gives them new ones anyway.
    private static func distinct(_ value: JSONValue) -> JSONValue {
        guard var session = value.object, let items = session["items"]?.array else { return value }
        var ids = Set(items.compactMap { $0["id"]?.string.map(ScalarKey.init) })
        guard ids.count < items.count else { return value }
        var used: Set<ScalarKey> = []
        session["items"] = .array(
            items.map { item in
                guard var block = item.object, let id = block["id"]?.string, !used.insert(ScalarKey(id)).inserted else {
                    return item
                }
                let free = (2...items.count + 1).lazy.map { "\(id)-\($0)" }.first { ids.insert(ScalarKey($0)).inserted }
                block["id"] = free.map(JSONValue.string)
                return .object(block)
            }
        )
        return .object(session)
    }

    /// Reads a saved activity in the form of the current version.
    static func read(activity value: JSONValue) -> ParseResult<BztimerFile> {
        read(["sessions": .array([]), "activities": .array([value])])
    }

    /// Reads a session in the form of the app's own records and of version 1.
    ///
    /// It has all three timing numbers, and perhaps no categories.
    ///
    /// - Returns: Nil where it is none of these by its shape.
    static func read(oldSession value: JSONValue) -> ParseResult<BztimerFile>? {
        guard var session = distinct(value).object, session["format"] == nil, session["version"] == nil else {
            return nil
        }
        session["items"] = .array((session["items"]?.array ?? []).map(completed))
        return BztimerFormat.read(JSONValue.object(session).encoded(.compact))
    }

    /// Reads a saved block in that form, as the only one of a session.
    static func read(oldBlock value: JSONValue) -> ParseResult<BztimerFile>? {
        read(oldSession: ["id": "block", "name": "block", "items": .array([value])])
    }

    /// Returns the library's activity that a block stands for; nil for a block that is no activity.
    static func activity(_ block: BlockInstance) -> BlockTemplate? {
        guard block.kind == .activity, var object = block.json.object else { return nil }
        object["templateId"] = nil
        return try? BlockTemplate(json: .object(object))
    }

    private static func read(_ content: JSONObject) -> ParseResult<BztimerFile> {
        var file: JSONObject = ["format": "bztimer", "version": 3, "categories": .array([])]
        for member in content { file[member.name] = member.value }
        return BztimerFormat.read(JSONValue.object(file).encoded(.compact))
    }

    /// Returns a block with a number for each timing; one that its mode needs is still missing as 0.
    private static func completed(_ value: JSONValue) -> JSONValue {
        guard var block = value.object else { return value }
        for name in ["durationSeconds", "reps", "perRepSeconds"] where block[name] == nil {
            block[name] = .number(0)
        }
        return .object(block)
    }
}
