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
    public static func review(
        _ schema: JSONDocument,
        file: String?,
        draft: JSONSchemaDraft = .draft2020
    ) -> [Diagnostic] {
        var dialect = SchemaParts.Dialect(draft: draft)
        if let name = schema.root["$schema"]?.string {
            guard let named = JSONSchemaDraft(dialect: name) else { return [] }
            dialect = SchemaParts.Dialect(draft: named)
        }
        let errors = SchemaParts(schema, defaultDraft: draft).faults(file: file)
        var warnings: [Diagnostic] = []
        review(schema.root, dialect, file, &warnings)
        return errors + warnings
    }

    private static func review(
        _ schema: JSONNode,
        _ dialect: SchemaParts.Dialect,
        _ file: String?,
        _ warnings: inout [Diagnostic]
    ) {
        let draft = dialect.draft
        for member in schema.members where warnings.count < 100 {
            if member.name == "format", let name = member.value.string, StringFormat(name: name) == nil,
                let meant = Suggestion.nearest(to: name, among: StringFormat.allCases.map(\.name))
            {
                let message = "found the format \(quoted(name)), which is not checked; did you mean \(quoted(meant))?"
                warnings.append(warning("schema.unknown-format", message, file, member.value))
            } else if !draft.knows(member.name), member.name != "$defs", let drafts = drafts(with: member.name) {
                let message =
                    "found the keyword \(quoted(member.name)), which checks nothing in draft \(draft.name); "
                    + "it is one of draft \(drafts)"
                warnings.append(warning("schema.unknown-keyword", message, file, member.value))
            } else if !draft.knows(member.name), member.name != "$defs",
                let meant = misspelt(member.name, draft)
            {
                let message =
                    "found the keyword \(quoted(member.name)), which checks nothing; did you mean \(quoted(meant))?"
                warnings.append(warning("schema.unknown-keyword", message, file, member.value))
            }
            for child in Subschemas.children(of: member.name, member.value, draft) {
                review(child, dialect.dialect(ofEmbedded: child), file, &warnings)
            }
        }
    }

    /// Returns the keyword that is probably meant by a name.
    ///
    /// Programs have keywords of their own, such as `note` and `tsType`, so short names may differ less than elsewhere.
    private static func misspelt(_ name: String, _ draft: JSONSchemaDraft) -> String? {
        // Without or with one letter, a name is nearer than with another one.
        let related = draft.keywords.filter { name.hasPrefix($0) || $0.hasPrefix(name) }
        guard let meant = Suggestion.nearest(to: name, among: related + draft.keywords) else { return nil }
        if name.utf8.count < 5 { return meant.utf8.count < name.utf8.count ? nil : meant }
        return name.utf8.count < 7 && Suggestion.nearest(to: name, among: [meant], atMost: 1) == nil ? nil : meant
    }

    private static func warning(_ code: String, _ message: String, _ file: String?, _ node: JSONNode) -> Diagnostic {
        Diagnostic(.warning, code: code, message: message, file: file, position: node.position, pointer: node.pointer)
    }

    /// Returns the drafts that know a keyword, in words; nil where none does.
    private static func drafts(with keyword: String) -> String? {
        let drafts = JSONSchemaDraft.allCases.filter { $0.knows(keyword) }
        guard let first = drafts.first, let last = drafts.last else { return nil }
        return first == last ? first.name : "\(first.name) to \(last.name)"
    }
}
