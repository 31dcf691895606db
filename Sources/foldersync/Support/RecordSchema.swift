internal import AppList
internal import JSONSchemaValidation
internal import RecordStore
internal import StrictJSON

/// The kinds of the members of an app's records, by the JSON Schema of its format.
struct RecordSchema {
    /// The schema of the format, then those that it refers to.
    private let documents: [JSONValue]

    /// Makes the schema of an app; nil for a declared one, whose columns have no schema.
    init?(_ app: AppID) {
        let schemas = AppStores.all.definition(of: app)?.schemas ?? []
        guard !schemas.isEmpty else { return nil }
        documents = schemas.compactMap { try? JSONDocument(parsing: $0).root.value }
    }

    /// The kinds of values of a member.
    struct Member {
        /// The kind of the values of a member.
        enum Kind: Equatable {
            case text, day, moment, flag, integer, number
            /// A whole number of seconds.
            case seconds
            /// One of some values.
            case choice([JSONValue])
            /// Anything else, such as a list.
            case other
        }

        /// The member's name.
        let name: String
        /// The schema as it stands, and with what it refers to.
        fileprivate let written: JSONObject
        fileprivate let resolved: JSONObject
        /// The document that it stands in.
        fileprivate let document: Int

        /// The kind of its values.
        var kind: Kind {
            let types = resolved["type"]?.array?.compactMap(\.string) ?? [resolved["type"]?.string].compactMap(\.self)
            if types.contains("boolean") { return .flag }
            if let values = resolved["enum"]?.array {
                return values.contains(true) && values.contains(false) ? .flag : .choice(values)
            }
            switch resolved["format"]?.string {
            case "date": return .day
            case "date-time": return .moment
            default: break
            }
            let isLength = name.lowercased().hasSuffix("seconds")
            if types.contains("integer") { return isLength ? .seconds : .integer }
            if types.contains("number") { return isLength ? .seconds : .number }
            return types.contains("string") && !types.contains("array") && !types.contains("object") ? .text : .other
        }

        /// True if it may be null.
        var isNullable: Bool {
            (resolved["type"]?.array ?? []).contains("null") || (resolved["enum"]?.array ?? []).contains(.null)
        }

        /// The smallest and the greatest number that it may be, where there are such.
        var bounds: (least: Int?, most: Int?) { (resolved["minimum"]?.int, resolved["maximum"]?.int) }

        /// The schema of the member.
        var description: String? { resolved["description"]?.string }

        /// The name for people: `due date`, `done`.
        var words: String {
            if let title = written["title"]?.string { return title.prefix(1).lowercased() + title.dropFirst() }
            return MemberName.words(name, kind)
        }
    }

    /// Returns a member by its path in a record: its name, then for an element of a list its key and a name in it.
    ///
    /// - Returns: Nil where nothing is known of it.
    func member(_ collection: String, _ path: [String]) -> Member? {
        guard let root = documents.first?.object, let name = path.first else { return nil }
        var place = (object: root, document: 0)
        if !collection.isEmpty {
            guard let found = property(collection, of: place) else { return nil }
            place = element(of: found) ?? found
        }
        guard var written = property(name, of: place, isResolved: false) else { return nil }
        if path.count > 1 {
            guard path.count == 3, let found = element(of: resolve(written)),
                let member = property(path[2], of: found, isResolved: false)
            else { return nil }
            written = member
        }
        let resolved = resolve(written)
        return Member(
            name: path[path.count - 1],
            written: written.object,
            resolved: resolved.object,
            document: written.document
        )
    }

    /// Returns why a member cannot have a value; nil if it can.
    func fault(of value: JSONValue, _ member: Member) -> String? {
        var schema: JSONObject = [:]
        let document = documents[member.document]
        for name in ["$schema", "$id", "$defs"] { schema[name] = document[name] }
        for (name, value) in member.written.map({ ($0.name, $0.value) }) { schema[name] = value }
        var registry = SchemaRegistry()
        do {
            for (index, other) in documents.enumerated() where index != member.document {
                try registry.add(JSONDocument(parsing: other.encoded(.compact)))
            }
            let compiled = try JSONSchema(
                JSONDocument(parsing: JSONValue.object(schema).encoded(.compact)),
                registry: registry
            )
            return compiled.validate(try JSONDocument(parsing: value.encoded(.compact))).findings.first?.message
        } catch {
            // The store refuses what it cannot hold in any case.
            return nil
        }
    }

    private typealias Place = (object: JSONObject, document: Int)

    private func property(_ name: String, of place: Place, isResolved: Bool = true) -> Place? {
        guard let object = place.object["properties"]?[name]?.object else { return nil }
        return isResolved ? resolve((object, place.document)) : (object, place.document)
    }

    private func element(of place: Place) -> Place? {
        place.object["items"]?.object.map { resolve(($0, place.document)) }
    }

    /// Follows the references of a schema; what stands beside a reference stays.
    private func resolve(_ place: Place) -> Place {
        var place = place
        for _ in 0..<8 {
            guard let reference = place.object["$ref"]?.string, let hash = reference.firstIndex(of: "#") else { break }
            let (uri, pointer) = (reference[..<hash], reference[reference.index(after: hash)...])
            let document =
                uri.isEmpty ? place.document : documents.firstIndex { $0["$id"]?.string == String(uri) }
            var found = document.map { documents[$0] }
            for name in pointer.split(separator: "/") { found = found?[String(name)] }
            guard let document, var object = found?.object else { break }
            for member in place.object where member.name != "$ref" { object[member.name] = member.value }
            place = (object, document)
        }
        return place
    }
}

/// A member's name as words.
enum MemberName {
    /// Returns the words of a name in snake or camel case: `due_date` is `due date`, `isVisible` is `visible`.
    static func words(_ name: String, _ kind: RecordSchema.Member.Kind?) -> String {
        var words: [String] = []
        for part in name.split(whereSeparator: { $0 == "_" || $0 == "-" || $0 == " " }) {
            var word = ""
            for character in part {
                if character.isUppercase, word.last?.isLowercase == true {
                    words.append(word)
                    word = ""
                }
                word.append(character)
            }
            words.append(word)
        }
        words = words.map { $0.lowercased() }
        if words.count > 1, kind == .flag, words[0] == "is" { words.removeFirst() }
        if words.count > 1, kind == .seconds, words.last == "seconds" { words.removeLast() }
        if words.count > 1, words.last == "id" { words.removeLast() }
        return words.isEmpty ? name : words.joined(separator: " ")
    }
}
