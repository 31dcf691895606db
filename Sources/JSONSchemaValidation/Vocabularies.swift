internal import StrictJSON

/// Which vocabularies a schema's dialect uses.
struct Vocabularies {
    var applicator = true
    var validation = true
    var unevaluated = true
    var formatAssertion = false
}

extension SchemaCompiler {
    /// The vocabularies of a resource's dialect.
    func vocabularies(for resource: Int, _ place: Place) throws(SchemaError) -> Vocabularies {
        guard let dialect = registry.resources[resource].dialect, dialect != Metaschemas.dialect else {
            return Vocabularies()
        }
        guard let number = registry.resource(uri: dialect) else {
            throw registry.error(
                .dialect,
                at("$schema", place),
                "found \"$schema\" \(quoted(dialect)), expected \(quoted(Metaschemas.dialect)) or a registered metaschema"
            )
        }
        let metaschema = node(
            at: Place(document: registry.resources[number].document, index: registry.resources[number].root)
        )
        guard let list = metaschema["$vocabulary"] else { return Vocabularies() }
        var vocabularies = Vocabularies(applicator: false, validation: false, unevaluated: false)
        for member in list.members {
            let isOurs = member.name.hasPrefix(Metaschemas.vocabularyBase)
            switch isOurs ? String(member.name.dropFirst(Metaschemas.vocabularyBase.count)) : "" {
            case "applicator": vocabularies.applicator = true
            case "validation": vocabularies.validation = true
            case "unevaluated": vocabularies.unevaluated = true
            case "format-assertion": vocabularies.formatAssertion = true
            case "core", "meta-data", "format-annotation", "content": break
            default:
                if member.value.bool == true {
                    throw registry.error(
                        .vocabulary,
                        at("$schema", place),
                        "found the dialect \(quoted(dialect)), which requires the vocabulary \(quoted(member.name)), "
                            + "expected only vocabularies of draft 2020-12"
                    )
                }
            }
        }
        return vocabularies
    }
}
