internal import StrictJSON

/// A note that a schema was evaluated on an object, with the members that the schema knows.
struct ObjectNote {
    let object: Int
    /// The schema, where it names members; -1 where it does not.
    let schema: Int32
    let evaluated: EvaluatedLocations
}

extension Evaluator {
    /// Evaluates the keywords for objects, and notes which members they know.
    mutating func evaluateNoted(
        _ number: Int32,
        _ ruleNumber: Int32,
        _ object: Int,
        _ outer: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        var evaluated = EvaluatedLocations()
        let isValid = evaluateObject(number, ruleNumber, object, &evaluated)
        let namesMembers = program.objects.base[Int(ruleNumber)].namesMembers
        journal.append(ObjectNote(object: object, schema: namesMembers ? number : -1, evaluated: evaluated))
        outer?.pointee.formUnion(evaluated)
        return isValid
    }

    /// Notes the members that no schema knows, in the objects for which some schema says which there are.
    ///
    /// It comes last because a member is known if any schema that was met knows it, from whichever branch it was applied.
    mutating func reportUnknownMembers() {
        journal.sort { $0.object < $1.object }
        var start = 0
        while start < journal.count {
            let object = journal[start].object
            var schemas: [Int32] = []
            var evaluated = EvaluatedLocations()
            while start < journal.count, journal[start].object == object {
                if journal[start].schema >= 0 { schemas.append(journal[start].schema) }
                evaluated.formUnion(journal[start].evaluated)
                start += 1
            }
            if !schemas.isEmpty, !evaluated.hasAll { reportUnknownMembers(of: object, schemas, evaluated) }
        }
    }

    private mutating func reportUnknownMembers(of object: Int, _ schemas: [Int32], _ evaluated: EvaluatedLocations) {
        var index = object + 2
        var position = 0
        while index < Int(words[object + 1]) {
            if !evaluated.contains(position),
                !isRequired(nameNumbers[TapeWord(bits: words[index]).payload], in: schemas)
            {
                _ = fail(schemas[0], "unknown-member", index, .unknownMember(object: object, schemas))
            }
            index = skip(index + 1)
            position += 1
        }
    }

    /// Tells whether any of the schemas requires a member of that name, and so knows it.
    private func isRequired(_ name: Int32, in schemas: [Int32]) -> Bool {
        schemas.contains { slot(program.objects.base + Int(schema($0).pointee.object), name) != nil }
    }
}
