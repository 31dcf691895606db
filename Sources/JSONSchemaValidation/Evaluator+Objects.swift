internal import StrictJSON

extension Evaluator {
    /// Evaluates the keywords for objects.
    mutating func evaluateObject(
        _ number: Int32,
        _ ruleNumber: Int32,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let rule = program.objects.base + Int(ruleNumber)
        let isSimple = rule.pointee.patternCount == 0 && rule.pointee.propertyNames < 0 && marks == nil
        var isValid = true
        var required = 0
        var position = 0
        var index = index &+ 2
        let start = index
        let end = Int(truncatingIfNeeded: words[index &- 1])
        marks?.pointee.schemas.append(number)
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
                if isNamed { marks?.pointee.insert(position) }
                if !evaluateName(number, rule, index, symbol, position, &isNamed, marks) {
                    if !isReporting { return false }
                    isValid = false
                }
                position &+= 1
            }
            if !isNamed, rule.pointee.additional >= 0 {
                if !evaluateAdditional(number, rule.pointee.additional, index) {
                    if !isReporting { return false }
                    isValid = false
                }
            }
            index = skip(index &+ 1)
        }
        if rule.pointee.additional >= 0 { marks?.pointee.insertAll() }
        let count = TapeWord(bits: words[start &- 2]).payload
        if count < rule.pointee.minimum { isValid = fail(number, "minProperties", start &- 2, .size) }
        if count > rule.pointee.maximum { isValid = fail(number, "maxProperties", start &- 2, .size) }
        if required < Int(rule.pointee.requiredCount) || allowsDuplicateNames {
            isValid = evaluateRequired(number, rule, start, end) && isValid
        }
        if rule.pointee.dependentCount > 0, isValid || isReporting {
            isValid = evaluateDependents(number, rule, start, marks) && isValid
        }
        return isValid
    }

    /// What a rule says about the member with a name of that number.
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
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        var isValid = true
        for offset in 0..<Int(rule.pointee.patternCount) {
            let pattern = (program.patternRules.base + Int(rule.pointee.patterns) + offset).pointee
            guard let isMatch = matches(pattern.pattern, names.bytes(symbol)) else {
                isValid = fail(number, "patternProperties", index, .tooManySteps)
                continue
            }
            if !isMatch { continue }
            isNamed = true
            marks?.pointee.insert(position)
            if !evaluateChild(pattern.schema, index + 1) { isValid = false }
        }
        if rule.pointee.propertyNames >= 0 {
            isValid = evaluateNameItself(rule.pointee.propertyNames, number, names.bytes(symbol), index) && isValid
        }
        return isValid
    }

    /// Evaluates a schema on a member's name, as a string of a tape of its own.
    private mutating func evaluateNameItself(
        _ schema: Int32,
        _ number: Int32,
        _ name: UnsafeBufferPointer<UInt8>,
        _ index: Int
    ) -> Bool {
        guard let base = name.baseAddress else { return true }
        var word = TapeWord(.string, payload: name.count, offset: 1).bits
        let outer = (words, text, isReporting)
        let isValid = withUnsafeMutablePointer(to: &word) {
            // The content of a string begins one byte behind its offset.
            (words, text, isReporting) = ($0, base - 2, false)
            defer { (words, text, isReporting) = outer }
            return evaluate(schema, 0, nil)
        }
        return isValid ? true : fail(number, "propertyNames", index, .name)
    }

    private mutating func evaluateAdditional(_ number: Int32, _ schema: Int32, _ index: Int) -> Bool {
        if self.schema(schema).pointee.tags == 0 {
            return fail(number, "additionalProperties", index, .unexpectedMember)
        }
        return evaluateChild(schema, index + 1)
    }

    /// Reports the names that are missing; finds none where duplicates have confused the count.
    private mutating func evaluateRequired(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ start: Int,
        _ end: Int
    ) -> Bool {
        var isValid = true
        for offset in 0..<Int(rule.pointee.requiredCount) {
            let name = program.lists.base[Int(rule.pointee.required) + offset]
            if member(name, from: start, to: end) == nil {
                isValid = fail(number, "required", start - 2, .missing(name))
                if !isReporting { return false }
            }
        }
        return isValid
    }

    /// The member with a name of that number.
    private func member(_ name: Int32, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            if nameNumbers[TapeWord(bits: words[index]).payload] == name { return index }
            index = skip(index + 1)
        }
        return nil
    }

    private mutating func evaluateDependents(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ObjectRule>,
        _ start: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let end = Int(words[start - 1])
        var isValid = true
        for offset in 0..<Int(rule.pointee.dependentCount) {
            let dependent = (program.dependents.base + Int(rule.pointee.dependents) + offset).pointee
            guard member(dependent.name, from: start, to: end) != nil else { continue }
            for position in 0..<Int(dependent.requiredCount) {
                let name = program.lists.base[Int(dependent.required) + position]
                if member(name, from: start, to: end) == nil {
                    isValid = fail(number, "dependentRequired", start - 2, .missingDependent(name, of: dependent.name))
                }
            }
            if dependent.schema >= 0, !evaluate(dependent.schema, start - 2, marks) { isValid = false }
            if !isValid, !isReporting { return false }
        }
        return isValid
    }

    /// Evaluates a schema on the members or elements that nothing has evaluated.
    mutating func evaluateUnmarked(
        _ schema: Int32,
        _ number: Int32,
        _ container: Int,
        _ marks: UnsafeMutablePointer<Marks>
    ) -> Bool {
        let isObject = TapeWord(bits: words[container]).tag == .object
        let isFalse = self.schema(schema).pointee.tags == 0
        let end = Int(words[container + 1])
        var index = container + 2
        var position = 0
        var isValid = true
        while index < end {
            let value = isObject ? index + 1 : index
            if !marks.pointee.contains(position) {
                let isMet =
                    if isFalse {
                        fail(
                            number,
                            isObject ? "unevaluatedProperties" : "unevaluatedItems",
                            index,
                            isObject ? .unexpectedMember : .unexpectedElement
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
        marks.pointee.insertAll()
        return isValid
    }
}
