internal import StrictJSON

extension Evaluator {
    /// Evaluates the keywords for objects.
    mutating func evaluateObject(
        _ number: Int32,
        _ ruleNumber: Int32,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let rule = program.objects.base + Int(ruleNumber)
        let isSimple = rule.pointee.patternCount == 0 && rule.pointee.propertyNames < 0 && evaluated == nil
        var isValid = true
        var required = 0
        var position = 0
        var index = index &+ 2
        let start = index
        let end = Int(truncatingIfNeeded: words[index &- 1])
        while index < end {
            let symbol = TapeWord(bits: words[index]).payload
            let name = nameNumbers[symbol]
            var isNamed = false
            if let slot = slot(rule, name) {
                if slot.isRequired { required &+= 1 }
                if slot.schema >= 0 {
                    isNamed = true
                    if !evaluateChild(slot.schema, index &+ 1) {
                        if !isReporting { return false }
                        isValid = false
                    }
                }
            }
            if !isSimple {
                if isNamed { evaluated?.pointee.insert(position) }
                if !evaluateName(number, rule, index, symbol, position, &isNamed, evaluated) {
                    if !isReporting { return false }
                    isValid = false
                }
                position &+= 1
            }
            if !isNamed, rule.pointee.additional >= 0 {
                if !evaluateAdditional(number, rule.pointee.additional, index, start &- 2) {
                    if !isReporting { return false }
                    isValid = false
                }
            }
            index = skip(index &+ 1)
        }
        if rule.pointee.additional >= 0 { evaluated?.pointee.insertAll() }
        isValid = evaluateSize(number, rule, start &- 2) && isValid
        if required < Int(rule.pointee.requiredCount) || allowsDuplicateNames {
            isValid = evaluateRequired(number, rule, start &- 2) && isValid
        }
        if rule.pointee.dependentCount > 0, isValid || isReporting {
            isValid = evaluateDependents(number, rule, start &- 2, evaluated) && isValid
        }
        return isValid
    }

    private mutating func evaluateSize(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ object: Int
    ) -> Bool {
        let count = TapeWord(bits: words[object]).payload
        if count < rule.pointee.minimum { return fail(number, "minProperties", object, .size) }
        if count > rule.pointee.maximum { return fail(number, "maxProperties", object, .size) }
        return true
    }

    /// Evaluates what a schema says about an object without looking into its members.
    mutating func evaluateObjectAlone(_ number: Int32, _ ruleNumber: Int32, _ object: Int) {
        let rule = program.objects.base + Int(ruleNumber)
        _ = evaluateSize(number, rule, object)
        _ = evaluateRequired(number, rule, object)
        _ = evaluateDependents(number, rule, object, nil, withSchemas: false)
    }

    /// Evaluates a schema on each of an object's names.
    mutating func evaluateNames(_ schema: Int32, of object: Int) {
        var index = object + 2
        let end = Int(words[object + 1])
        while index < end {
            _ = evaluateNameItself(schema, TapeWord(bits: words[index]).payload, index)
            index = skip(index + 1)
        }
    }

    /// Returns the rule's slot for the member with a name of that number.
    @inline(__always)
    func slot(_ rule: UnsafeMutablePointer<ObjectRule>, _ name: Int32) -> PropertySlot? {
        guard name >= 0 else { return nil }
        let slots = program.slots.base + Int(rule.pointee.slots)
        let mask = Int(rule.pointee.slotMask)
        var index = Int(truncatingIfNeeded: name) & mask
        while slots[index].name != name {
            if slots[index].name < 0 { return nil }
            index = (index &+ 1) & mask
        }
        return slots[index]
    }

    /// Evaluates `patternProperties` and `propertyNames` for one member.
    private mutating func evaluateName(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ index: Int,
        _ symbol: Int,
        _ position: Int,
        _ isNamed: inout Bool,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        var isValid = true
        for offset in 0..<Int(rule.pointee.patternCount) {
            let pattern = (program.patternRules.base + Int(rule.pointee.patterns) + offset).pointee
            guard let isMatch = matches(pattern.pattern, names.bytes(symbol)) else {
                isValid = failUnanswered(number, "patternProperties", index)
                continue
            }
            if !isMatch { continue }
            isNamed = true
            evaluated?.pointee.insert(position)
            if !evaluateChild(pattern.schema, index + 1) { isValid = false }
        }
        if rule.pointee.propertyNames >= 0 {
            isValid = evaluateNameItself(rule.pointee.propertyNames, symbol, index) && isValid
        }
        return isValid
    }

    /// Evaluates a schema on a member's name; its faults are noted as those of the member.
    private mutating func evaluateNameItself(_ schema: Int32, _ symbol: Int, _ index: Int) -> Bool {
        guard isReporting else { return asString(symbol) { $0.evaluate(schema, 0, nil) } }
        var isValid = true
        let hadGivenUp = givenUp != nil
        let collection = collect { evaluator in
            isValid = evaluator.asString(symbol) { $0.evaluate(schema, 0, nil) }
        }
        if !hadGivenUp { moveGivenUp(to: index) }
        for finding in collection.findings.items where !isValid {
            _ = fail(finding.schema, finding.keyword, index, finding.fault)
        }
        return isValid
    }

    /// Evaluates with a name as the only value, a string on a tape of its own.
    private mutating func asString(_ symbol: Int, _ body: (inout Evaluator) -> Bool) -> Bool {
        let name = names.bytes(symbol)
        guard let base = name.baseAddress else { return true }
        var word = TapeWord(.string, payload: name.count, offset: 1).bits
        let outer = (words, text, nameSymbol)
        return withUnsafeMutablePointer(to: &word) {
            // The content of a string begins one byte behind its offset.
            (words, text, nameSymbol) = ($0, base - 2, symbol)
            defer { (words, text, nameSymbol) = outer }
            return body(&self)
        }
    }

    private mutating func evaluateAdditional(_ number: Int32, _ schema: Int32, _ index: Int, _ object: Int) -> Bool {
        if self.schema(schema).pointee.tags == 0 {
            return fail(number, "additionalProperties", index, .unexpectedMember(object: object))
        }
        return evaluateChild(schema, index + 1)
    }

    /// Reports the names that are missing; finds none where duplicates have confused the count.
    private mutating func evaluateRequired(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ object: Int
    ) -> Bool {
        let present = Presence(self, object, queries: Int(rule.pointee.requiredCount))
        var isValid = true
        for offset in 0..<Int(rule.pointee.requiredCount) {
            let name = program.lists.base[Int(rule.pointee.required) + offset]
            if !present.has(name, self) {
                isValid = fail(number, "required", object, .missing(name))
                if !isReporting { return false }
            }
        }
        return isValid
    }

    private mutating func evaluateDependents(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ object: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?,
        withSchemas: Bool = true
    ) -> Bool {
        let present = Presence(self, object, queries: Int(rule.pointee.dependentCount))
        var isValid = true
        for offset in 0..<Int(rule.pointee.dependentCount) {
            let dependent = (program.dependents.base + Int(rule.pointee.dependents) + offset).pointee
            guard present.has(dependent.name, self) else { continue }
            for position in 0..<Int(dependent.requiredCount) {
                let name = program.lists.base[Int(dependent.required) + position]
                if !present.has(name, self) {
                    isValid = fail(number, dependent.keyword, object, .missingDependent(name, of: dependent.name))
                }
            }
            if withSchemas, dependent.schema >= 0, !evaluate(dependent.schema, object, evaluated) { isValid = false }
            if !isValid, !isReporting { return false }
        }
        return isValid
    }

    /// Evaluates a schema on the members or elements that nothing has evaluated.
    mutating func evaluateUnevaluated(
        _ schema: Int32,
        _ number: Int32,
        _ container: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>
    ) -> Bool {
        let isObject = TapeWord(bits: words[container]).tag == .object
        let isFalse = self.schema(schema).pointee.tags == 0
        let end = Int(words[container + 1])
        var index = container + 2
        var position = 0
        var isValid = true
        while index < end {
            let value = isObject ? index + 1 : index
            if !evaluated.pointee.contains(position) {
                let isMet =
                    if let uncertainty = evaluated.pointee.uncertainty {
                        evaluateUncertain(schema, value, uncertainty)
                    } else if isFalse {
                        fail(
                            number,
                            isObject ? "unevaluatedProperties" : "unevaluatedItems",
                            index,
                            isObject ? .unexpectedMember(object: container) : .unexpectedElement
                        )
                    } else { evaluateChild(schema, value) }
                if !isMet {
                    if !isReporting { return false }
                    isValid = false
                }
            }
            index = skip(value)
            position += 1
        }
        evaluated.pointee.insertAll()
        return isValid
    }
}

/// The set of an object's members, by the numbers of their names.
private struct Presence {
    private let object: Int
    /// The names; nil where there are too few questions to make the set worthwhile.
    private var names: Set<Int32>?

    init(_ evaluator: borrowing Evaluator, _ object: Int, queries: Int) {
        self.object = object
        guard queries > 8 else { return }
        var names: Set<Int32> = []
        Self.members(evaluator, object) { _ = names.insert($0) }
        self.names = names
    }

    func has(_ name: Int32, _ evaluator: borrowing Evaluator) -> Bool {
        if let names { return names.contains(name) }
        var isFound = false
        Self.members(evaluator, object) { isFound = isFound || $0 == name }
        return isFound
    }

    @inline(__always)
    private static func members(_ evaluator: borrowing Evaluator, _ object: Int, _ body: (Int32) -> Void) {
        var index = object + 2
        let end = Int(evaluator.words[object + 1])
        while index < end {
            body(evaluator.nameNumbers[TapeWord(bits: evaluator.words[index]).payload])
            index = evaluator.skip(index + 1)
        }
    }
}
