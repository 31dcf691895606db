internal import StrictJSON

/// The keywords of one schema, and what they must look like.
struct Keywords {
    let node: JSONNode
    let place: SchemaRegistry.Place
    let registry: SchemaRegistry
    let draft: JSONSchemaDraft

    /// A keyword's value; nil where the draft has no such keyword, for then the member is an annotation.
    subscript(keyword: String) -> JSONNode? { draft.knows(keyword) ? node[keyword] : nil }

    /// Returns the error for a keyword with a wrong value.
    func wrong(_ keyword: String, _ expected: String) -> SchemaError {
        let value = node[keyword]
        let found = value.map { String(decoding: $0.encoded(.compact), as: UTF8.self) } ?? ""
        let shown = found.count > 60 ? found.prefix(60) + "…" : Substring(found)
        let at = SchemaRegistry.Place(document: place.document, index: value?.index ?? place.index)
        return registry.error(.keyword, at, "found \"\(keyword)\": \(shown), expected \(expected)")
    }

    /// Returns a keyword's string.
    func string(_ keyword: String) throws(SchemaError) -> String? {
        guard let value = self[keyword] else { return nil }
        guard let string = value.string else { throw wrong(keyword, "a string") }
        return string
    }

    /// Returns a keyword's number.
    func number(_ keyword: String) throws(SchemaError) -> DecimalNumber? {
        guard let value = self[keyword] else { return nil }
        guard let number = value.number.flatMap({ DecimalNumber(token: $0.token) }) else {
            throw wrong(keyword, "a number")
        }
        return number
    }

    /// Returns a keyword's number of characters, elements or members.
    func size(_ keyword: String) throws(SchemaError) -> Int? {
        guard let number = try number(keyword) else { return nil }
        guard number.isInteger, !number.isNegative else { throw wrong(keyword, "an integer from 0 on") }
        return number.int ?? .max
    }

    /// Returns a keyword's Boolean; false where the keyword is absent.
    func flag(_ keyword: String) throws(SchemaError) -> Bool {
        guard let value = self[keyword] else { return false }
        guard let bool = value.bool else { throw wrong(keyword, "true or false") }
        return bool
    }

    /// Returns the members of a keyword's object.
    func map(_ keyword: String, _ value: JSONNode) throws(SchemaError) -> JSONNode.Members {
        guard value.kind == .object else { throw wrong(keyword, "an object") }
        return value.members
    }

    /// Returns the strings of a keyword's array.
    func strings(_ keyword: String, _ value: JSONNode) throws(SchemaError) -> [String] {
        let strings = value.elements.compactMap(\.string)
        guard value.kind == .array, strings.count == value.count else { throw wrong(keyword, "an array of strings") }
        return strings
    }
}
