internal import StrictJSON

/// The vocabularies that a schema's dialect uses.
struct Vocabularies {
    var applicator = true
    var validation = true
    var unevaluated = true
    var formatAssertion = false

    /// None at all: of a schema of which only its reference counts.
    static let none = Vocabularies(applicator: false, validation: false, unevaluated: false)
}

extension SchemaCompiler {
    /// Returns the vocabularies of a resource's dialect.
    mutating func vocabularies(for resource: Int, _ place: Place) throws(SchemaError) -> Vocabularies {
        guard let dialect = registry.resources[resource].dialect, JSONSchemaDraft(dialect: dialect) == nil else {
            return Vocabularies()
        }
        guard let number = registry.resource(uri: dialect) else {
            let drafts = JSONSchemaDraft.allCases.map(\.name).joined(separator: ", ")
            throw registry.error(
                .dialect,
                at("$schema", place),
                "found \"$schema\" \(quoted(dialect)), expected the metaschema of draft \(drafts) or one that is registered"
            )
        }
        let draft = registry.resources[number].draft
        let metaschema = node(
            at: Place(document: registry.resources[number].document, index: registry.resources[number].root)
        )
        guard draft.knows("$vocabulary"), let list = metaschema["$vocabulary"] else { return Vocabularies() }
        var vocabularies = Vocabularies(applicator: false, validation: false, unevaluated: false)
        for member in list.members {
            let isOurs = member.name.hasPrefix(draft.vocabularyBase)
            switch isOurs ? String(member.name.dropFirst(draft.vocabularyBase.count)) : "" {
            case "applicator":
                vocabularies.applicator = true
                // Until 2019-09 this vocabulary had the unevaluated keywords as well.
                if draft == .draft2019 { vocabularies.unevaluated = true }
            case "validation": vocabularies.validation = true
            case "unevaluated": vocabularies.unevaluated = true
            case "format-assertion": vocabularies.formatAssertion = true
            case "format" where draft == .draft2019: vocabularies.formatAssertion = member.value.bool == true
            case "core", "meta-data", "format-annotation", "content": break
            default:
                if member.value.bool == true {
                    throw registry.error(
                        .vocabulary,
                        at("$schema", place),
                        "found the dialect \(quoted(dialect)), which requires the vocabulary \(quoted(member.name)), "
                            + "expected only vocabularies of draft \(draft.name)"
                    )
                }
            }
        }
        return vocabularies
    }
}
