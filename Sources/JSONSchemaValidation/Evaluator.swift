internal import StrictJSON

/// Runs a program over values on a tape.
///
/// It works in one of two ways. Checking stops at the first fault and allocates nothing. Reporting goes on, and notes
/// every fault; it is only used where checking has found that there is one, or in strict mode.
struct Evaluator: ~Copyable {
    let program: SchemaProgram
    private let schemas: UnsafeMutablePointer<CompiledSchema>
    private let isDynamic: Bool
    let isStrict: Bool
    var isReporting = false

    /// The tape and the text of the values being checked.
    var words: UnsafeMutablePointer<UInt64>
    var text: UnsafePointer<UInt8>
    /// The names of the document being checked.
    var names: NameView
    /// For each name of the document its number in the program, or -1.
    private(set) var nameNumbers: [Int32] = []
    var allowsDuplicateNames = false

    /// The resources that evaluation has passed through, outermost first; only kept where the program is dynamic.
    private var scope: [Int32] = []
    private var depth = 0
    var findings: [RawFinding] = []
    /// How many findings are kept, and how many were not.
    let limit: Int
    var dropped = 0
    /// Whether the schema called itself without end.
    private(set) var isEndless = false
    /// Room for strings with escapes.
    var scratch: [UInt8] = []

    /// The deepest nesting of schemas, through values and references together.
    private static let maximumDepth = 1500
    private static let objectBit: UInt16 = 1 << 8

    init(
        program: SchemaProgram,
        isStrict: Bool,
        limit: Int,
        words: UnsafeMutablePointer<UInt64>,
        text: UnsafePointer<UInt8>,
        names: borrowing NameTable
    ) {
        self.program = program
        isDynamic = program.isDynamic
        self.isStrict = isStrict
        self.limit = limit
        self.words = words
        self.text = text
        self.names = names.view
        schemas = program.schemas.base
    }

    /// Looks up the names that the document has got since the last call.
    mutating func learnNames(of names: borrowing NameTable) {
        self.names = names.view
        nameNumbers.reserveCapacity(names.count)
        while nameNumbers.count < names.count {
            nameNumbers.append(Int32(program.names.find(names.bytes(nameNumbers.count)) ?? -1))
        }
    }

    /// What puts this evaluation's faults into words.
    var findingText: FindingText {
        FindingText(program: program, words: words, text: text, names: names, nameNumbers: nameNumbers)
    }

    /// A compiled schema; it lives as long as the program.
    @inline(__always)
    func schema(_ number: Int32) -> UnsafeMutablePointer<CompiledSchema> { schemas + Int(number) }

    /// The index behind a value.
    @inline(__always)
    func skip(_ index: Int) -> Int {
        TapeWord(bits: words[index]).isContainer ? Int(truncatingIfNeeded: words[index &+ 1]) : index &+ 1
    }

    /// Evaluates a schema on a member or element: what it evaluates is of no interest to the schema around.
    @inline(__always)
    mutating func evaluateChild(_ number: Int32, _ index: Int) -> Bool {
        let schema = schema(number)
        let bit = TapeWord(bits: words[index]).tagBit
        if schema.pointee.acceptedTags & bit != 0 { return true }
        guard isStrict, bit == Self.objectBit else { return evaluate(number, index, nil) }
        var marks = Marks()
        let isValid = evaluate(number, index, &marks)
        reportUnknownMembers(number, index, marks)
        return isValid
    }

    /// Evaluates a schema on a value.
    ///
    /// - Parameters:
    ///   - marks: Where to note which members and elements were evaluated, if anybody wants to know.
    /// - Returns: Whether the value is valid.
    mutating func evaluate(_ number: Int32, _ index: Int, _ marks: UnsafeMutablePointer<Marks>?) -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else {
            isEndless = true
            return fail(number, "$ref", index, .endless)
        }
        guard isDynamic else { return evaluateInScope(number, index, marks) }
        let resource = schema(number).pointee.resource
        guard scope.last != resource else { return evaluateInScope(number, index, marks) }
        scope.append(resource)
        defer { scope.removeLast() }
        return evaluateInScope(number, index, marks)
    }

    @inline(__always)
    private mutating func evaluateInScope(
        _ number: Int32,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let schema = schema(number)
        if schema.pointee.hasUnevaluated { return evaluateRest(number, index, marks) }
        return evaluateKeywords(number, schema, index, marks)
    }

    /// Evaluates a schema with `unevaluated` keywords, which come last.
    private mutating func evaluateRest(_ number: Int32, _ index: Int, _ outer: UnsafeMutablePointer<Marks>?) -> Bool {
        let schema = schema(number)
        var marks = Marks()
        var isValid = evaluateKeywords(number, schema, index, &marks)
        if !isValid, !isReporting { return false }
        switch TapeWord(bits: words[index]).tag {
        case .object where schema.pointee.unevaluatedProperties >= 0:
            isValid = evaluateUnmarked(schema.pointee.unevaluatedProperties, number, index, &marks) && isValid
        case .array where schema.pointee.unevaluatedItems >= 0:
            isValid = evaluateUnmarked(schema.pointee.unevaluatedItems, number, index, &marks) && isValid
        default: break
        }
        outer?.pointee.formUnion(marks)
        return isValid
    }

    private mutating func evaluateKeywords(
        _ number: Int32,
        _ schema: UnsafeMutablePointer<CompiledSchema>,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let word = TapeWord(bits: words[index])
        let tag = word.tag
        guard schema.pointee.tags & word.tagBit != 0 else { return fail(number, "type", index, .type) }
        var isValid = true
        switch tag {
        case .string, .escapedString:
            if schema.pointee.string >= 0 { isValid = evaluateString(number, schema.pointee.string, index, word) }
        case .integer, .decimal:
            if schema.pointee.wantsInteger, case .decimal = tag, !isIntegral(word) {
                isValid = fail(number, "type", index, .type)
            }
            if schema.pointee.number >= 0 {
                isValid = evaluateNumber(number, schema.pointee.number, index, word) && isValid
            }
        case .object:
            if schema.pointee.object >= 0 { isValid = evaluateObject(number, schema.pointee.object, index, marks) }
        case .array:
            if schema.pointee.array >= 0 { isValid = evaluateArray(number, schema.pointee.array, index, marks) }
        default: break
        }
        if schema.pointee.inPlaceCount == 0 || !isValid && !isReporting { return isValid }
        return evaluateInPlace(number, schema, index, marks) && isValid
    }

    /// Evaluates the keywords that apply schemas to the value itself, and `enum` and `const`.
    private mutating func evaluateInPlace(
        _ number: Int32,
        _ schema: UnsafeMutablePointer<CompiledSchema>,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let first = program.inPlace.base + Int(schema.pointee.inPlace)
        var isValid = true
        for offset in 0..<Int(schema.pointee.inPlaceCount) {
            let rule = first[offset]
            let isMet =
                switch rule.keyword {
                case .reference: evaluate(rule.a, index, marks)
                case .dynamicReference: evaluate(dynamicTarget(rule), index, marks)
                case .allOf: evaluateAll(rule, index, marks)
                case .anyOf: evaluateAny(number, rule, index, marks)
                case .oneOf: evaluateOne(number, rule, index, marks)
                case .not: evaluateNot(number, rule, index)
                case .conditional: evaluateConditional(rule, index, marks)
                case .constant: evaluateConstant(number, rule, index)
                }
            if !isMet {
                if !isReporting { return false }
                isValid = false
            }
        }
        return isValid
    }

    /// The schema that a dynamic reference leads to: the anchor's outermost one on the way here.
    private func dynamicTarget(_ rule: InPlaceRule) -> Int32 {
        let targets = program.dynamicAnchors[Int(rule.b)]
        for resource in scope where targets[Int(resource)] >= 0 { return targets[Int(resource)] }
        return rule.a
    }
}

/// Which members or elements of one value some keyword has evaluated.
struct Marks {
    private var bits: [UInt64] = []
    private(set) var hasAll = false
    /// Schemas whose properties the object might have meant.
    var schemas: [Int32] = []

    mutating func insert(_ position: Int) {
        let word = position >> 6
        if word >= bits.count { bits += Array(repeating: 0, count: word + 1 - bits.count) }
        bits[word] |= 1 << UInt64(position & 63)
    }

    mutating func insertAll() { hasAll = true }

    func contains(_ position: Int) -> Bool {
        hasAll || position >> 6 < bits.count && bits[position >> 6] >> UInt64(position & 63) & 1 != 0
    }

    mutating func formUnion(_ other: Marks) {
        hasAll = hasAll || other.hasAll
        if other.bits.count > bits.count { bits += Array(repeating: 0, count: other.bits.count - bits.count) }
        for (word, bits) in other.bits.enumerated() { self.bits[word] |= bits }
        schemas += other.schemas
    }
}
