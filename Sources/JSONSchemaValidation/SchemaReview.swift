public import StrictJSON

extension JSONSchema {
    /// Looks a schema over before it is compiled: every keyword of a wrong kind, not just the first, and what is
    /// probably misspelt.
    ///
    /// A keyword that the draft does not know is an annotation, so `"requried"` is valid and checks nothing. One that is
    /// an edit or two away from a known one is worth a warning, and so is such a name of a format.
    ///
    /// - Returns: Errors with the code `schema.keyword`; warnings with `schema.unknown-keyword` and
    ///   `schema.unknown-format`. Nothing for a schema of another dialect.
    public static func review(_ schema: JSONDocument, file: String?) -> [Diagnostic] {
        if let dialect = schema.root["$schema"]?.string, URIReference(dialect).document != Metaschemas.dialect {
            return []
        }
        let faults = metaschema?.validate(schema).findings ?? []
        let errors = faults.map { fault in
            var diagnostic = fault.diagnostic(file: file)
            diagnostic.code = SchemaError.Code.keyword.description
            return diagnostic
        }
        var warnings: [Diagnostic] = []
        review(schema.root, file, &warnings)
        return errors + warnings
    }

    private static func review(_ schema: JSONNode, _ file: String?, _ warnings: inout [Diagnostic]) {
        for member in schema.members where warnings.count < 100 {
            if member.name == "format", let name = member.value.string, StringFormat(name: name) == nil,
                let meant = Suggestion.nearest(to: name, among: StringFormat.allCases.map(\.name))
            {
                let message = "found the format \(quoted(name)), which is not checked; did you mean \(quoted(meant))?"
                warnings.append(warning("schema.unknown-format", message, file, member.value))
            } else if !knownKeywords.contains(member.name),
                let meant = Suggestion.nearest(to: member.name, among: knownKeywords.sorted())
            {
                let message =
                    "found the keyword \(quoted(member.name)), which checks nothing; did you mean \(quoted(meant))?"
                warnings.append(warning("schema.unknown-keyword", message, file, member.value))
            }
            for child in Subschemas.children(of: member.name, member.value) { review(child, file, &warnings) }
        }
    }

    private static func warning(_ code: String, _ message: String, _ file: String?, _ node: JSONNode) -> Diagnostic {
        Diagnostic(.warning, code: code, message: message, file: file, position: node.position, pointer: node.pointer)
    }

    /// The keywords of the draft, read off its metaschemas.
    private static let knownKeywords: Set<String> = {
        var names: Set<String> = []
        for text in Metaschemas.all {
            let document = try? JSONDocument(parsing: text)
            for member in document?.root["properties"]?.members.map(\.self) ?? [] { names.insert(member.name) }
        }
        return names
    }()
}
