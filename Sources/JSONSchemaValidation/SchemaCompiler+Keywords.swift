internal import StrictJSON

extension SchemaCompiler {
    /// Compiles an object schema keyword by keyword.
    mutating func compileKeywords(
        _ node: JSONNode,
        _ place: Place,
        _ schema: inout CompiledSchema
    ) throws(SchemaError) {
        var vocabularies = try vocabularies(for: Int(schema.resource), place)
        let keywords = Keywords(node: node, place: place, registry: registry, draft: draft(at: place))
        var inPlace: [InPlaceRule] = []
        try compileReferences(keywords, &inPlace)
        if standsAlone(keywords["$ref"], at: place) { vocabularies = .none }
        if vocabularies.validation {
            try compileType(keywords, &schema)
            try compileConstants(keywords, &inPlace)
            schema.number = try compileNumber(keywords)
        }
        schema.string = try compileString(keywords, vocabularies)
        schema.object = try compileObject(keywords, vocabularies)
        schema.array = try compileArray(keywords, vocabularies)
        if vocabularies.applicator { try compileApplicators(keywords, &inPlace) }
        if vocabularies.unevaluated {
            schema.unevaluatedProperties = try subschema(keywords["unevaluatedProperties"], keywords)
            schema.unevaluatedItems = try subschema(keywords["unevaluatedItems"], keywords)
        }
        schema.inPlace = Int32(self.inPlace.count)
        schema.inPlaceCount = Int32(inPlace.count)
        self.inPlace += inPlace
    }

    /// Compiles a keyword's schema; -1 where the keyword is absent.
    mutating func subschema(_ node: JSONNode?, _ keywords: Keywords) throws(SchemaError) -> Int32 {
        guard let node else { return -1 }
        return try compile(Place(document: keywords.place.document, index: node.index))
    }

    /// Compiles a keyword's array of schemas.
    private mutating func subschemas(_ keyword: String, _ keywords: Keywords) throws(SchemaError) -> [Int32]? {
        guard let node = keywords[keyword] else { return nil }
        guard node.kind == .array, node.count > 0 else {
            throw keywords.wrong(keyword, "an array of schemas, not empty")
        }
        var numbers: [Int32] = []
        for element in node.elements { numbers.append(try subschema(element, keywords)) }
        return numbers
    }

    private mutating func compileReferences(_ keywords: Keywords, _ rules: inout [InPlaceRule]) throws(SchemaError) {
        if let reference = keywords["$ref"] {
            rules.append(
                InPlaceRule(keyword: .reference, a: try compile(resolve(reference, from: keywords.place).place))
            )
        }
        if let reference = keywords["$recursiveRef"] {
            guard reference.string == "#" else { throw keywords.wrong("$recursiveRef", "\"#\"") }
            let target = try resolve(reference, from: keywords.place).place
            let number = try compile(target)
            if let anchor = dynamicAnchor("", at: target) {
                rules.append(InPlaceRule(keyword: .dynamicReference, a: number, b: anchor))
            } else {
                rules.append(InPlaceRule(keyword: .reference, a: number))
            }
        }
        if let reference = keywords["$dynamicRef"] {
            let target = try resolve(reference, from: keywords.place)
            if let anchor = dynamicAnchor(target.anchor, at: target.place) {
                rules.append(InPlaceRule(keyword: .dynamicReference, a: try compile(target.place), b: anchor))
            } else {
                rules.append(InPlaceRule(keyword: .reference, a: try compile(target.place)))
            }
        }
    }

    private mutating func compileApplicators(_ keywords: Keywords, _ rules: inout [InPlaceRule]) throws(SchemaError) {
        let kinds: [(String, InPlaceRule.Keyword)] = [("allOf", .allOf), ("anyOf", .anyOf), ("oneOf", .oneOf)]
        for (name, kind) in kinds {
            guard let branches = try subschemas(name, keywords) else { continue }
            rules.append(InPlaceRule(keyword: kind, a: list(branches), b: Int32(branches.count)))
        }
        if let node = keywords["not"] {
            rules.append(InPlaceRule(keyword: .not, a: try subschema(node, keywords)))
        }
        if let node = keywords["if"] {
            rules.append(
                InPlaceRule(
                    keyword: .conditional,
                    a: try subschema(node, keywords),
                    b: try subschema(keywords["then"], keywords),
                    c: try subschema(keywords["else"], keywords)
                )
            )
        }
    }

    private func compileType(_ keywords: Keywords, _ schema: inout CompiledSchema) throws(SchemaError) {
        guard let node = keywords["type"] else { return }
        let expected =
            "one of \"null\", \"boolean\", \"integer\", \"number\", \"string\", \"array\", \"object\", or an array of them"
        var tags: UInt16 = 0
        var hasNumber = false
        var hasInteger = false
        for type in node.kind == .array ? Array(node.elements) : [node] {
            switch type.string {
            case "null": tags |= Self.bits(.null)
            case "boolean": tags |= Self.bits(.true, .false)
            case "integer": hasInteger = true
            case "number": hasNumber = true
            case "string": tags |= Self.bits(.string, .escapedString)
            case "array": tags |= Self.bits(.array)
            case "object": tags |= Self.bits(.object)
            default: throw keywords.wrong("type", expected)
            }
        }
        if hasNumber || hasInteger { tags |= Self.bits(.integer, .decimal) }
        schema.tags = tags
        schema.wantsInteger = hasInteger && !hasNumber
        schema.wantsIntegerToken = schema.wantsInteger && !keywords.draft.integersMayHaveFractions
    }

    static func bits(_ tags: TapeWord.Tag...) -> UInt16 { tags.reduce(0) { $0 | 1 << UInt16($1.rawValue) } }

    private mutating func compileConstants(_ keywords: Keywords, _ rules: inout [InPlaceRule]) throws(SchemaError) {
        for keyword in ["enum", "const"] {
            guard let node = keywords[keyword] else { continue }
            let isConst = keyword == "const"
            if !isConst, node.kind != .array { throw keywords.wrong(keyword, "an array of values") }
            var set = ConstantSet(isConst: isConst)
            for value in isConst ? [node] : Array(node.elements) { Self.add(value, to: &set) }
            set.integers.sort()
            constants.append(ConstantBox(set))
            rules.append(InPlaceRule(keyword: .constant, a: Int32(constants.count - 1)))
        }
    }

    private static func add(_ value: JSONNode, to set: inout ConstantSet) {
        if var string = value.string {
            set.tags |= bits(.string, .escapedString)
            _ = string.withUTF8 { set.strings.intern($0) }
        } else if let number = value.number {
            set.tags |= bits(.integer, .decimal)
            if let int = number.int {
                set.integers.append(int)
            } else {
                set.others.insert(value.document.comparableForm(at: value.index))
            }
        } else {
            set.tags |= value.word.tagBit
            guard value.word.isContainer else { return }
            set.sizes.insert(value.word.payload)
            set.others.insert(value.document.comparableForm(at: value.index))
        }
    }

    private mutating func compileString(_ keywords: Keywords, _ vocabularies: Vocabularies) throws(SchemaError) -> Int32
    {
        var rule = StringRule()
        var isNeeded = false
        if vocabularies.validation {
            isNeeded = keywords["minLength"] != nil || keywords["maxLength"] != nil
            rule.minimum = try keywords.size("minLength") ?? 0
            rule.maximum = try keywords.size("maxLength") ?? .max
            if let text = try keywords.string("pattern") {
                rule.pattern = try pattern(text, at("pattern", keywords.place), "pattern")
                isNeeded = true
            }
        }
        if let name = try keywords.string("format"), assertsFormats || vocabularies.formatAssertion,
            let format = StringFormat(name: name), format.isDefined(in: keywords.draft)
        {
            rule.format = Int16(format.rawValue)
            rule.draft = keywords.draft
            isNeeded = true
        }
        guard isNeeded else { return -1 }
        strings.append(rule)
        return Int32(strings.count - 1)
    }

    private mutating func compileNumber(_ keywords: Keywords) throws(SchemaError) -> Int32 {
        var exact = ExactBounds()
        exact.minimum = try keywords.number("minimum")
        exact.maximum = try keywords.number("maximum")
        if keywords.draft.exclusiveBoundsAreFlags {
            if try keywords.flag("exclusiveMinimum") { swap(&exact.minimum, &exact.exclusiveMinimum) }
            if try keywords.flag("exclusiveMaximum") { swap(&exact.maximum, &exact.exclusiveMaximum) }
        } else {
            exact.exclusiveMinimum = try keywords.number("exclusiveMinimum")
            exact.exclusiveMaximum = try keywords.number("exclusiveMaximum")
        }
        exact.multipleOf = try keywords.number("multipleOf")
        let all = [
            exact.minimum, exact.exclusiveMinimum, exact.maximum, exact.exclusiveMaximum, exact.multipleOf,
        ]
        if all.allSatisfy({ $0 == nil }) { return -1 }
        if let divisor = exact.multipleOf, divisor.isNegative || divisor.digits.isEmpty {
            throw keywords.wrong("multipleOf", "a number above 0")
        }
        var rule = NumberRule()
        // Bounds that are no 64-bit integers are rare enough to be checked exactly each time.
        rule.isExactOnly = all.contains { $0 != nil && $0?.int == nil }
        rule.smallest = max(exact.minimum?.int ?? .min, exact.exclusiveMinimum?.int.map { $0 &+ 1 } ?? .min)
        rule.largest = min(exact.maximum?.int ?? .max, exact.exclusiveMaximum?.int.map { $0 &- 1 } ?? .max)
        if exact.exclusiveMinimum?.int == .max || exact.exclusiveMaximum?.int == .min { rule.isExactOnly = true }
        rule.divisor = exact.multipleOf?.int ?? 1
        rule.exact = Int32(bounds.count)
        bounds.append(exact)
        numbers.append(rule)
        return Int32(numbers.count - 1)
    }

    private mutating func compileArray(_ keywords: Keywords, _ vocabularies: Vocabularies) throws(SchemaError) -> Int32
    {
        var rule = ArrayRule()
        var isNeeded = false
        if vocabularies.validation {
            isNeeded = ["minItems", "maxItems", "uniqueItems"].contains { keywords[$0] != nil }
            rule.minimum = try keywords.size("minItems") ?? 0
            rule.maximum = try keywords.size("maxItems") ?? .max
            rule.isUnique = try keywords.flag("uniqueItems")
            rule.minContains = try keywords.size("minContains") ?? 1
            rule.maxContains = try keywords.size("maxContains") ?? .max
        }
        if vocabularies.applicator {
            if let prefix = try subschemas("prefixItems", keywords) {
                rule.prefix = list(prefix)
                rule.prefixCount = Int32(prefix.count)
            }
            if keywords.draft.itemsMayBeArray, let items = keywords["items"], items.kind == .array {
                var prefix: [Int32] = []
                for element in items.elements { prefix.append(try subschema(element, keywords)) }
                rule.prefix = list(prefix)
                rule.prefixCount = Int32(prefix.count)
                rule.items = try subschema(keywords["additionalItems"], keywords)
                rule.itemsAreAdditional = true
            } else {
                rule.items = try subschema(keywords["items"], keywords)
            }
            rule.contains = try subschema(keywords["contains"], keywords)
            rule.containsEvaluates = keywords.draft.containsEvaluates
            isNeeded = isNeeded || rule.prefixCount > 0 || rule.items >= 0 || rule.contains >= 0
        }
        guard isNeeded else { return -1 }
        arrays.append(rule)
        return Int32(arrays.count - 1)
    }
}
