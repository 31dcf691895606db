internal import StrictJSON

/// A schema document taken apart by dialect: an embedded schema with an identifier may name its own.
struct SchemaParts {
    /// The dialect of a schema.
    struct Dialect: Equatable {
        let draft: JSONSchemaDraft
        /// True if the dialect is the draft itself, rather than one that a metaschema of its own defines.
        var isStandard = true

        /// Returns the dialect of a schema that is embedded in one of this dialect.
        ///
        /// Without an identifier of its own a schema is part of the one around it, whatever its `$schema` says.
        func dialect(ofEmbedded schema: JSONNode) -> Dialect {
            guard let name = schema["$schema"]?.string else { return self }
            let named = JSONSchemaDraft(dialect: name).map { Dialect(draft: $0) }
            let own = named ?? Dialect(draft: draft, isStandard: false)
            guard let identifier = own.draft.identifier(of: schema), !URIReference(identifier).isFragmentOnly else {
                return self
            }
            return own
        }
    }

    private var parts: [(root: JSONNode, dialect: Dialect)]
    /// Where the parts begin.
    private var roots: Set<Int> = [0]

    /// A document that is of one draft throughout.
    init(whole document: JSONDocument, _ draft: JSONSchemaDraft) {
        parts = [(document.root, Dialect(draft: draft))]
    }

    /// Takes a document apart.
    ///
    /// - Parameters:
    ///   - document: The schema document.
    ///   - draft: The draft where the document names none.
    init(_ document: JSONDocument, defaultDraft draft: JSONSchemaDraft) {
        var dialect = Dialect(draft: draft)
        if let name = document.root["$schema"]?.string {
            let named = JSONSchemaDraft(dialect: name)
            dialect = Dialect(draft: named ?? draft, isStandard: named != nil)
        }
        parts = [(document.root, dialect)]
        collect(document.root, dialect)
    }

    private mutating func collect(_ schema: JSONNode, _ dialect: Dialect) {
        for member in schema.members {
            for child in Subschemas.children(of: member.name, member.value, dialect.draft) where child.kind == .object {
                let own = dialect.dialect(ofEmbedded: child)
                if own != dialect, roots.insert(child.index).inserted { parts.append((child, own)) }
                collect(child, own)
            }
        }
    }

    /// Returns what the metaschema of each part's draft finds, in document order; nothing for other dialects.
    ///
    /// - Parameters:
    ///   - file: The file's name, for the findings.
    ///   - limit: How many findings to return.
    func faults(file: String?, limit: Int = 100) -> [Diagnostic] {
        var found: [(node: JSONNode, message: String)] = []
        for part in parts where part.dialect.isStandard {
            guard let metaschema = JSONSchema.metaschema(part.dialect.draft), let instance = instance(part.root) else {
                continue
            }
            found += metaschema.validate(instance, limit: limit).findings.map {
                (part.root[$0.pointer] ?? part.root, $0.message)
            }
        }
        found.sort { $0.node.offset < $1.node.offset }
        let shown = found.prefix(limit)
        let positions = parts.first?.root.document.positions(ofOffsets: shown.map(\.node.offset)) ?? []
        return zip(shown, positions).map { fault, position in
            Diagnostic(
                code: SchemaError.Code.keyword.description,
                message: fault.message,
                file: file,
                position: position,
                pointer: fault.node.pointer
            )
        }
    }

    /// Returns a part as a document, with an empty schema in place of each part in it.
    private func instance(_ root: JSONNode) -> JSONDocument? {
        guard roots.count > 1 else { return root.document }
        var options = JSONParseOptions.rfc8259
        options.maximumDepth = .max
        return try? JSONDocument(parsing: value(of: root, isRoot: true).encoded(.compact), options: options)
    }

    private func value(of node: JSONNode, isRoot: Bool = false) -> JSONValue {
        if !isRoot, roots.contains(node.index) { return [:] }
        switch node.kind {
        case .array: return .array(node.elements.map { value(of: $0) })
        case .object:
            var object = JSONObject()
            for member in node.members { object[member.name] = value(of: member.value) }
            return .object(object)
        default: return node.value
        }
    }
}

extension JSONSchemaDraft {
    /// Returns the URI that a schema gives itself; nil where there is none, or the draft ignores it beside `$ref`.
    func identifier(of schema: JSONNode) -> String? {
        if referenceStandsAlone, schema["$ref"]?.string != nil { return nil }
        return schema[identifier]?.string
    }
}
