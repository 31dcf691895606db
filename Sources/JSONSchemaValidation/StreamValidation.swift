public import StrictJSON

/// Validates a text while it is read.
///
/// The outermost object, the objects directly in it, and the arrays in these are taken apart: each element is parsed,
/// checked and let go. That is possible where the schema says no more about such a container than what its members and
/// elements are, which there must be and how many; otherwise the container is read as one value.
struct StreamValidation: ~Copyable {
    private let program: SchemaProgram
    private var reader: JSONStreamReader
    private var evaluator: Evaluator
    private var findings: FindingList<ValidationFinding>
    private var report = ValidationReport()

    init(_ program: SchemaProgram, _ source: JSONByteSource, options: JSONParseOptions, isStrict: Bool, limit: Int)
        throws
    {
        self.program = program
        findings = FindingList(limit: limit)
        reader = try JSONStreamReader(source, options: options)
        evaluator = Evaluator(
            program: program,
            isStrict: isStrict,
            limit: limit,
            words: reader.words,
            text: reader.text,
            names: reader.names
        )
        evaluator.allowsDuplicateNames = options.allowsDuplicateNames
    }

    /// Reads and validates the whole text.
    ///
    /// - Throws: A `JSONError` for what is no JSON, and whatever the source throws.
    mutating func run() throws -> ValidationReport {
        try validate(program.root, depth: 0)
        try reader.finish()
        report.total = findings.count
        report.findings = findings.finish()
        if !report.findings.isEmpty {
            let positions = try reader.positions(ofOffsets: report.findings.map(\.position.offset))
            for (index, position) in positions.enumerated() { report.findings[index].position = position }
        }
        return report
    }

    private mutating func validate(_ schema: Int32, depth: Int) throws {
        switch try reader.peek() {
        case UInt8(ascii: "{") where depth < 2 && program.canTakeApart(schema, isObject: true):
            try validateObject(schema, depth: depth)
        case UInt8(ascii: "[") where depth < 3 && program.canTakeApart(schema, isObject: false):
            try validateArray(schema)
        default:
            try reader.readValue()
            check(schema)
        }
    }

    /// Checks the value on the reader's tape.
    private mutating func check(_ schema: Int32) {
        evaluator.words = reader.words
        evaluator.text = reader.text
        evaluator.learnNames(of: reader.names)
        if !evaluator.isStrict, evaluator.run(schema, reporting: false) { return }
        report(schema, path: reader.path, offset: reader.bufferOffset)
    }

    /// Checks the value on the evaluator's tape and notes what is found.
    private mutating func report(_ schema: Int32, path: [String], offset: Int) {
        if !evaluator.run(schema, reporting: true) { report.isValid = false }
        if evaluator.findings.count == 0 { return }
        let text = evaluator.findingText
        let words = evaluator.words
        // Putting a finding into words compares names, which takes longer than all else.
        findings.append(contentsOf: evaluator.takeFindings(), at: { offset + TapeWord(bits: words[$0.index]).offset }) {
            text.finding($0, path: path, offset: offset)
        }
    }

    /// Validates an object member by member, and then what is left of it: its names.
    private mutating func validateObject(_ number: Int32, depth: Int) throws {
        let offset = reader.offset
        let path = reader.path
        let rule = program.objects.base + Int(program.schemas.base[Int(number)].object)
        var tape: [UInt64] = [0, 0]
        try reader.open()
        while let (name, at) = try reader.next() {
            evaluator.learnNames(of: reader.names)
            tape.append(TapeWord(.name, payload: name, offset: at).bits)
            tape.append(TapeWord(.elsewhere, payload: 0, offset: at).bits)
            let slot = evaluator.slot(rule, evaluator.nameNumbers[name])
            let additional = rule.pointee.additional
            if let slot, slot.schema >= 0 {
                try validate(slot.schema, depth: depth + 1)
            } else if slot?.schema ?? -1 < 0, additional >= 0, program.schemas.base[Int(additional)].tags != 0 {
                try validate(additional, depth: depth + 1)
            } else {
                try reader.readValue()
            }
        }
        tape[0] = TapeWord(.object, payload: tape.count / 2 - 1, offset: offset).bits
        tape[1] = UInt64(tape.count)
        checkContainer(number, &tape, path)
    }

    /// Validates an array element by element, and then their number.
    private mutating func validateArray(_ number: Int32) throws {
        let offset = reader.offset
        let path = reader.path
        let items = program.arrays.base[Int(program.schemas.base[Int(number)].array)].items
        var count = 0
        try reader.open()
        while try reader.next() != nil {
            count += 1
            try reader.readValue()
            check(items)
        }
        var tape = [TapeWord(.array, payload: min(count, TapeWord.largestPayload), offset: offset).bits, 2]
        checkContainer(number, &tape, path)
    }

    /// Checks a container whose values were checked before.
    private mutating func checkContainer(_ schema: Int32, _ tape: inout [UInt64], _ path: [String]) {
        tape.withUnsafeMutableBufferPointer { words in
            guard let base = words.baseAddress else { return }
            evaluator.words = base
            evaluator.text = reader.text
            evaluator.learnNames(of: reader.names)
            report(schema, path: path, offset: 0)
        }
    }
}

extension SchemaProgram {
    /// Tells whether each member or element of a container can be validated by itself.
    func canTakeApart(_ number: Int32, isObject: Bool) -> Bool {
        let schema = schemas.base[Int(number)]
        guard schema.tags & SchemaCompiler.bits(isObject ? .object : .array) != 0, schema.inPlaceCount == 0,
            !schema.hasUnevaluated
        else { return false }
        if isObject {
            guard schema.object >= 0 else { return false }
            let rule = objects.base[Int(schema.object)]
            return rule.patternCount == 0 && rule.dependentCount == 0
        }
        guard schema.array >= 0 else { return false }
        let rule = arrays.base[Int(schema.array)]
        return rule.items >= 0 && rule.contains < 0 && !rule.isUnique && rule.prefixCount == 0
            && schemas.base[Int(rule.items)].tags != 0
    }
}

extension JSONSchema {
    /// Validates a text while reading it, in memory that depends on its largest rows and not on its length.
    ///
    /// - Parameters:
    ///   - source: The text; it is read a second time where there are findings, to tell their lines.
    ///   - options: Limits for reading.
    ///   - strict: Whether to report members that the schema does not know as well, as warnings.
    ///   - limit: How many findings to keep; all are counted.
    /// - Throws: A `JSONError` for what is no JSON, and whatever the source throws.
    public func validate(
        _ source: JSONByteSource,
        options: JSONParseOptions = JSONParseOptions(),
        strict: Bool = false,
        limit: Int = 100
    ) throws -> ValidationReport {
        var validation = try StreamValidation(program, source, options: options, isStrict: strict, limit: limit)
        return try validation.run()
    }
}
