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
    private(set) var isReporting = false

    /// The tape and the text of the values being checked.
    var words: UnsafeMutablePointer<UInt64>
    var text: UnsafePointer<UInt8>
    /// The names of the document being checked.
    var names: NameView
    /// The number of each of the document's names in the program; -1 for a name that the program lacks.
    private(set) var nameNumbers: [Int32] = []
    var allowsDuplicateNames = false

    /// The resources that evaluation has passed through, outermost first; only kept where the program is dynamic.
    var scope: [Int32] = []
    private(set) var depth = 0
    /// The number of evaluated schemas, and the number from which results are remembered.
    private(set) var steps = 0
    private(set) var stepLimit = 0
    /// The number of evaluated schemas from which what is remembered is looked up: 0 once one had no answer.
    private var lookupLimit = 0
    var memory = Memory()
    var findings: FindingList<RawFinding>
    /// The reason why evaluation was given up; nil where it was not.
    private(set) var givenUp: RawFinding?
    /// How often each regular expression had no answer.
    var exhausted: [Int32: Int] = [:]
    /// The objects that were evaluated, in strict mode.
    var journal: [ObjectNote] = []
    /// The number of branches being compared around the present one.
    var branchDepth = 0
    /// The member name that is being checked as a string, or -1.
    var nameSymbol = -1
    /// Room for strings with escapes.
    var scratch: [UInt8] = []

    /// The deepest nesting of schemas, through values and references together: five schemas for each of a document's
    /// 128 levels, in less than the 512 KB of stack that a thread of macOS has.
    static let maximumDepth = 640

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
        findings = FindingList(limit: limit)
        self.words = words
        self.text = text
        self.names = names.view
        schemas = program.schemas.base
    }

    /// Returns the faults of the keywords that look at a value alone, and not at what is in it or at other schemas.
    mutating func assertionFaults(_ number: Int32, _ index: Int) -> [RawFinding] {
        (depth, givenUp) = (0, nil)
        isReporting = true
        defer { isReporting = false }
        return collect { $0.evaluateAssertions(number, index) }.findings.items
    }

    /// Returns the faults of an object's names under `propertyNames`.
    mutating func nameFaults(_ number: Int32, _ object: Int) -> [RawFinding] {
        let rule = program.objects.base + Int(max(0, schema(number).pointee.object))
        guard schema(number).pointee.object >= 0, rule.pointee.propertyNames >= 0 else { return [] }
        (depth, steps, givenUp, memory) = (0, 0, nil, Memory())
        isReporting = true
        defer { isReporting = false }
        let faults = collect { $0.evaluateNames(rule.pointee.propertyNames, of: object) }.findings.items
        return givenUp.map { [$0] } ?? faults
    }

    private mutating func evaluateAssertions(_ number: Int32, _ index: Int) {
        let rules = schema(number).pointee
        let word = TapeWord(bits: words[index])
        guard rules.tags & word.tagBit != 0 else {
            _ = fail(number, "type", index, .type)
            // The other keywords have their say as well.
            return evaluateValue(number, rules, index, word)
        }
        evaluateValue(number, rules, index, word)
    }

    private mutating func evaluateValue(_ number: Int32, _ rules: CompiledSchema, _ index: Int, _ word: TapeWord) {
        switch word.tag {
        case .string, .escapedString:
            if rules.string >= 0 { _ = evaluateString(number, rules.string, index, word) }
        case .integer, .decimal:
            if rules.wantsInteger, case .decimal = word.tag,
                rules.wantsIntegerToken ? !isIntegerToken(word) : !isIntegral(word)
            {
                _ = fail(number, "type", index, .type)
            }
            if rules.number >= 0 { _ = evaluateNumber(number, rules.number, index, word) }
        case .object: if rules.object >= 0 { evaluateObjectAlone(number, rules.object, index) }
        case .array: if rules.array >= 0 { evaluateArrayAlone(number, rules.array, index) }
        default: break
        }
        for offset in 0..<Int(rules.inPlaceCount) {
            let rule = program.inPlace.base[Int(rules.inPlace) + offset]
            if rule.keyword == .constant { _ = evaluateConstant(number, rule, index) }
        }
    }

    /// Looks up the names that the document has got since the last call.
    mutating func learnNames(of names: borrowing NameTable) { learnNames(names.view, count: names.count) }

    /// Looks up the names that the document has got since the last call.
    mutating func learnNames(_ names: NameView, count: Int) {
        self.names = names
        guard nameNumbers.count < count else { return }
        nameNumbers.reserveCapacity(count)
        while nameNumbers.count < count {
            nameNumbers.append(Int32(program.names.find(names.bytes(nameNumbers.count)) ?? -1))
        }
    }

    /// The number of names that were looked up.
    var nameCount: Int { nameNumbers.count }

    /// The writer of this evaluation's messages.
    var findingText: FindingText {
        FindingText(program: program, words: words, text: text, names: names, nameNumbers: nameNumbers)
    }

    /// Evaluates a schema on a tape's first value.
    mutating func run(_ number: Int32, reporting: Bool) -> Bool {
        (depth, steps, givenUp) = (0, 0, nil)
        memory = Memory()
        stepLimit = 1 << 20 + 64 * skip(0)
        lookupLimit = stepLimit
        isReporting = reporting
        defer { isReporting = false }
        let isValid = evaluateChild(number, 0)
        if reporting { finishReport() }
        return isValid && givenUp == nil
    }

    /// Returns a compiled schema; it lives as long as the program.
    @inline(__always)
    func schema(_ number: Int32) -> UnsafeMutablePointer<CompiledSchema> { schemas + Int(number) }

    /// Returns the index behind a value.
    @inline(__always)
    func skip(_ index: Int) -> Int {
        TapeWord(bits: words[index]).isContainer ? Int(truncatingIfNeeded: words[index &+ 1]) : index &+ 1
    }

    /// Evaluates a schema on a member or element: what it evaluates is of no interest to the schema around.
    @inline(__always)
    mutating func evaluateChild(_ number: Int32, _ index: Int) -> Bool {
        schema(number).pointee.acceptedTags & TapeWord(bits: words[index]).tagBit != 0 || evaluate(number, index, nil)
    }

    /// Evaluates a schema without noting faults.
    mutating func evaluateQuietly(_ number: Int32, _ index: Int, _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?)
        -> Bool
    {
        let wasReporting = isReporting
        isReporting = false
        defer { isReporting = wasReporting }
        return evaluate(number, index, evaluated)
    }

    /// Evaluates a schema on a value.
    ///
    /// - Parameters:
    ///   - evaluated: Where to note which members and elements were evaluated, if anybody wants to know.
    /// - Returns: Whether the value is valid.
    @inline(never)  // Inlined, its locals would make every frame of the recursion several times as large.
    mutating func evaluate(_ number: Int32, _ index: Int, _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?)
        -> Bool
    {
        depth &+= 1
        steps &+= 1
        defer { depth &-= 1 }
        guard depth < Self.maximumDepth else { return giveUp(number, "", index, .depth) }
        if isReporting || steps > lookupLimit {
            return isReporting || steps > stepLimit
                ? evaluateRemembering(number, index, evaluated) : evaluateLookingUp(number, index, evaluated)
        }
        return evaluateInResource(number, index, evaluated)
    }

    /// Evaluates a schema, whatever is remembered.
    @inline(__always)
    mutating func evaluateInResource(
        _ number: Int32,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        guard isDynamic else { return evaluateInScope(number, index, evaluated) }
        let resource = schema(number).pointee.resource
        // Only the first time that a resource is entered counts.
        guard !scope.contains(resource) else { return evaluateInScope(number, index, evaluated) }
        scope.append(resource)
        defer { scope.removeLast() }
        return evaluateInScope(number, index, evaluated)
    }

    /// Ends an evaluation that has no answer: from here every schema fails at once, and the value is not valid.
    @inline(never)
    private mutating func giveUp(_ number: Int32, _ keyword: String, _ index: Int, _ fault: Fault) -> Bool {
        if givenUp == nil {
            givenUp = RawFinding(schema: number, keyword: keyword, index: nameSymbol < 0 ? index : 0, fault: fault)
        }
        depth = .max / 2
        return false
    }

    /// Notes that a regular expression has no answer within its limit of steps.
    ///
    /// Where faults are not noted, a keyword around this one, such as `not`, may turn the answer round: then evaluation
    /// ends.
    @inline(never)
    mutating func failUnanswered(_ number: Int32, _ keyword: String, _ index: Int) -> Bool {
        isReporting
            ? fail(number, keyword, index, .tooManySteps) : giveUp(number, keyword, index, .tooManySteps)
    }

    /// Goes on after a regular expression had no answer, where another branch or element may decide without it.
    ///
    /// From here schemas without an answer are remembered, as each costs all the steps of a match.
    ///
    /// - Returns: The reason for having given up; nil where the evaluation was not given up, or for another reason.
    @inline(never)
    mutating func takeUnanswered(at depth: Int) -> RawFinding? {
        guard let reason = givenUp, case .tooManySteps = reason.fault else { return nil }
        (givenUp, self.depth) = (nil, depth)
        lookupLimit = 0
        return reason
    }

    /// Notes that more may have been evaluated than is known, as a branch or element had no answer.
    @inline(never)
    mutating func noteUncertain(_ evaluated: UnsafeMutablePointer<EvaluatedLocations>, _ reason: RawFinding) {
        evaluated.pointee.uncertainty = evaluated.pointee.uncertainty ?? reason
    }

    /// Evaluates a schema on a member or element of which it is uncertain whether it was evaluated: a fault may be none.
    @inline(never)
    mutating func evaluateUncertain(_ number: Int32, _ index: Int, _ uncertainty: RawFinding) -> Bool {
        if evaluateQuietly(number, index, nil) { return true }
        guard givenUp == nil else { return false }
        return giveUp(uncertainty)
    }

    /// Gives up after all, as nothing decided without the answer.
    @inline(never)
    mutating func giveUp(_ reason: RawFinding) -> Bool {
        (givenUp, depth) = (reason, .max / 2)
        return false
    }

    /// Places the reason for giving up at a member, where it came up in that member's name.
    mutating func moveGivenUp(to member: Int) {
        guard let reason = givenUp else { return }
        givenUp = RawFinding(schema: reason.schema, keyword: reason.keyword, index: member, fault: reason.fault)
    }

    @inline(__always)
    private mutating func evaluateInScope(
        _ number: Int32,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let schema = schema(number)
        if schema.pointee.hasUnevaluated { return evaluateRest(number, index, evaluated) }
        return evaluateKeywords(number, schema, index, evaluated)
    }

    /// Evaluates a schema with `unevaluated` keywords, which come last.
    @inline(never)
    private mutating func evaluateRest(
        _ number: Int32,
        _ index: Int,
        _ outer: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let schema = schema(number)
        var evaluated = EvaluatedLocations()
        var isValid = evaluateKeywords(number, schema, index, &evaluated)
        if !isValid, !isReporting { return false }
        switch TapeWord(bits: words[index]).tag {
        case .object where schema.pointee.unevaluatedProperties >= 0:
            isValid = evaluateUnevaluated(schema.pointee.unevaluatedProperties, number, index, &evaluated) && isValid
        case .array where schema.pointee.unevaluatedItems >= 0:
            isValid = evaluateUnevaluated(schema.pointee.unevaluatedItems, number, index, &evaluated) && isValid
        default: break
        }
        outer?.pointee.formUnion(evaluated)
        if isStrict, schema.pointee.unevaluatedProperties >= 0 {
            journal.append(ObjectNote(object: index, schema: -1, evaluated: evaluated))
        }
        return isValid
    }

    private mutating func evaluateKeywords(
        _ number: Int32,
        _ schema: UnsafeMutablePointer<CompiledSchema>,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let word = TapeWord(bits: words[index])
        let tag = word.tag
        guard schema.pointee.tags & word.tagBit != 0 else { return fail(number, "type", index, .type) }
        var isValid = true
        switch tag {
        case .string, .escapedString:
            if schema.pointee.string >= 0 { isValid = evaluateString(number, schema.pointee.string, index, word) }
        case .integer, .decimal:
            if schema.pointee.wantsInteger, case .decimal = tag,
                schema.pointee.wantsIntegerToken ? !isIntegerToken(word) : !isIntegral(word)
            {
                isValid = fail(number, "type", index, .type)
            }
            if schema.pointee.number >= 0 {
                isValid = evaluateNumber(number, schema.pointee.number, index, word) && isValid
            }
        case .object:
            if schema.pointee.object >= 0 {
                isValid =
                    isStrict
                    ? evaluateNoted(number, schema.pointee.object, index, evaluated)
                    : evaluateObject(number, schema.pointee.object, index, evaluated)
            }
        case .array:
            if schema.pointee.array >= 0 { isValid = evaluateArray(number, schema.pointee.array, index, evaluated) }
        default: break
        }
        if schema.pointee.inPlaceCount == 0 || !isValid && !isReporting { return isValid }
        return evaluateInPlace(number, schema, index, evaluated) && isValid
    }

    /// Evaluates the keywords that apply schemas to the value itself, and `enum` and `const`.
    private mutating func evaluateInPlace(
        _ number: Int32,
        _ schema: UnsafeMutablePointer<CompiledSchema>,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let first = program.inPlace.base + Int(schema.pointee.inPlace)
        var isValid = true
        for offset in 0..<Int(schema.pointee.inPlaceCount) {
            let rule = first[offset]
            let isMet =
                switch rule.keyword {
                case .reference: evaluate(rule.a, index, evaluated)
                case .dynamicReference: evaluate(dynamicTarget(rule), index, evaluated)
                case .allOf: evaluateAll(rule, index, evaluated)
                case .anyOf: evaluateAny(number, rule, index, evaluated)
                case .oneOf: evaluateOne(number, rule, index, evaluated)
                case .not: evaluateNot(number, rule, index)
                case .conditional: evaluateConditional(rule, index, evaluated)
                case .constant: evaluateConstant(number, rule, index)
                }
            if !isMet {
                if !isReporting { return false }
                isValid = false
            }
        }
        return isValid
    }

    /// Returns the schema that a dynamic reference leads to: the anchor's outermost one on the way here.
    private func dynamicTarget(_ rule: InPlaceRule) -> Int32 {
        let targets = program.dynamicAnchors[Int(rule.b)]
        for resource in scope where targets[Int(resource)] >= 0 { return targets[Int(resource)] }
        return rule.a
    }
}
