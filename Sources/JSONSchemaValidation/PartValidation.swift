package import StrictJSON

/// Validates records of a document one by one, without the document around them.
///
/// One tape serves all records.
package final class PartValidation {
    private let program: SchemaProgram
    private let part: Int32
    private let depth: Int
    private var tape = ValueTape(mostBytes: mostBytes)
    private var evaluator: Evaluator

    /// The number of names from which tape and evaluator are made anew, and the size of the largest record.
    private static let mostNames = 1_000
    private static let mostBytes = 1 << 20

    /// Makes a validation of the elements of an array, or of the whole value, of a member of the outermost object.
    ///
    /// It is nil where the schema says more about these containers than what is in them.
    package init?(_ schema: JSONSchema, member: String, isElement: Bool) {
        let program = schema.program
        guard program.canTakeApart(program.root, isObject: true) else { return nil }
        let evaluator = Self.evaluator(program)
        var member = member
        let name = member.withUTF8 { program.names.find($0) } ?? -1
        let rule = program.objects.base + Int(program.schemas.base[Int(program.root)].object)
        guard let slot = evaluator.slot(rule, Int32(name)), slot.schema >= 0 else { return nil }
        if isElement {
            guard program.canTakeApart(slot.schema, isObject: false) else { return nil }
            let rule = program.arrays.base[Int(program.schemas.base[Int(slot.schema)].array)]
            guard rule.minimum == 0, rule.maximum == .max else { return nil }
            part = rule.items
        } else {
            part = slot.schema
        }
        self.program = program
        self.evaluator = evaluator
        depth = isElement ? 2 : 1
    }

    /// Returns whether a value is valid where the member has it; it may be valid where the result is false.
    package func isSurelyValid(_ value: JSONValue) -> Bool {
        if evaluator.nameCount > Self.mostNames {
            tape = ValueTape(mostBytes: Self.mostBytes)
            evaluator = Self.evaluator(program)
        }
        guard tape.lay(value, depth: depth) else { return false }
        let count = tape.nameCount
        return tape.withText { laid in
            // Without a string or a number nothing reads the text.
            if let start = laid.text.baseAddress { evaluator.text = start }
            evaluator.words = laid.words
            evaluator.learnNames(laid.names, count: count)
            return evaluator.run(part, reporting: false)
        }
    }

    /// Returns whether the value that a reader read last is valid where the member has it.
    ///
    /// It may be valid where the result is false. All values that are given to this validation come from one reader.
    package func isSurelyValid(_ reader: borrowing JSONStreamReader) -> Bool {
        evaluator.words = reader.words
        evaluator.text = reader.text
        evaluator.learnNames(of: reader.names)
        return evaluator.run(part, reporting: false)
    }

    /// Makes an evaluator that has no text yet.
    private static func evaluator(_ program: SchemaProgram) -> Evaluator {
        // Nothing reads these words: each text brings its own.
        let words = UnsafeMutableRawPointer(program.schemas.base).assumingMemoryBound(to: UInt64.self)
        let text = UnsafeRawPointer(program.schemas.base).assumingMemoryBound(to: UInt8.self)
        return Evaluator(
            program: program,
            isStrict: false,
            limit: 0,
            words: words,
            text: text,
            names: NameTable()
        )
    }
}
