package import StrictJSON

/// Validates records of a document one by one, without the document around them.
///
/// One parser and one buffer serve all records.
package final class PartValidation {
    private let program: SchemaProgram
    private let part: Int32
    private let depth: Int
    private let buffer: Buffer
    private var writer: JSONWriter
    private var fragments = JSONFragments()
    private var evaluator: Evaluator

    private final class Buffer {
        var bytes: [UInt8] = []
    }

    /// The number of names from which parser and evaluator are made anew, and the size from which the buffer is.
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
            part = program.arrays.base[Int(program.schemas.base[Int(slot.schema)].array)].items
        } else {
            part = slot.schema
        }
        self.program = program
        self.evaluator = evaluator
        depth = isElement ? 2 : 1
        let buffer = Buffer()
        self.buffer = buffer
        writer = JSONWriter(style: .compact) { buffer.bytes.append(contentsOf: $0) }
    }

    /// Returns whether a value is valid where the member has it; it may be valid where the result is false.
    package func isSurelyValid(_ value: JSONValue) -> Bool {
        if evaluator.nameCount > Self.mostNames {
            fragments = JSONFragments()
            evaluator = Self.evaluator(program)
        }
        buffer.bytes.removeAll(keepingCapacity: buffer.bytes.capacity <= Self.mostBytes)
        writer.value(value)
        writer.beginNextText()
        guard buffer.bytes.count <= Self.mostBytes else { return false }
        return buffer.bytes.withUnsafeBufferPointer { text in
            guard let start = text.baseAddress, (try? fragments.read(text, depth: depth)) != nil else { return false }
            let tape = fragments.words(text)
            evaluator.words = tape.words
            evaluator.text = start
            evaluator.learnNames(tape.names, count: fragments.nameCount)
            return evaluator.run(part, reporting: false)
        }
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
