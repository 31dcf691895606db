internal import StrictJSON

extension Evaluator {
    /// Evaluates the keywords for arrays.
    mutating func evaluateArray(
        _ number: Int32,
        _ ruleNumber: Int32,
        _ array: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let rule = program.arrays.base + Int(ruleNumber)
        let count = TapeWord(bits: words[array]).payload
        var isValid = true
        if count < rule.pointee.minimum { isValid = fail(number, "minItems", array, .size) }
        if count > rule.pointee.maximum { isValid = fail(number, "maxItems", array, .size) }
        if !isValid, !isReporting { return false }
        if rule.pointee.prefixCount > 0 || rule.pointee.items >= 0 {
            isValid = evaluateItems(number, rule, array, evaluated) && isValid
            if !isValid, !isReporting { return false }
        }
        if rule.pointee.contains >= 0 { isValid = evaluateContains(number, rule, array, evaluated) && isValid }
        if rule.pointee.isUnique, isValid || isReporting { isValid = evaluateUnique(number, array) && isValid }
        return isValid
    }

    /// Evaluates what a schema says about an array without looking into its elements.
    mutating func evaluateArrayAlone(_ number: Int32, _ ruleNumber: Int32, _ array: Int) {
        let rule = program.arrays.base[Int(ruleNumber)]
        let count = TapeWord(bits: words[array]).payload
        if count < rule.minimum { _ = fail(number, "minItems", array, .size) }
        if count > rule.maximum { _ = fail(number, "maxItems", array, .size) }
        if rule.isUnique { _ = evaluateUnique(number, array) }
    }

    private mutating func evaluateItems(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ArrayRule>,
        _ array: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let prefix = program.lists.base + Int(rule.pointee.prefix)
        let prefixCount = Int(rule.pointee.prefixCount)
        let items = rule.pointee.items
        let isFalse = items >= 0 && schema(items).pointee.tags == 0
        let end = Int(truncatingIfNeeded: words[array &+ 1])
        var index = array &+ 2
        var position = 0
        var isValid = true
        while index < end {
            let isMet: Bool
            if position < prefixCount {
                isMet = evaluateChild(prefix[position], index)
                evaluated?.pointee.insert(position)
            } else if items < 0 {
                break
            } else if isFalse {
                isMet = fail(
                    number,
                    rule.pointee.itemsAreAdditional ? "additionalItems" : "items",
                    index,
                    .unexpectedElement
                )
            } else {
                isMet = evaluateChild(items, index)
            }
            if !isMet {
                if !isReporting { return false }
                isValid = false
            }
            index = skip(index)
            position &+= 1
        }
        if items >= 0 { evaluated?.pointee.insertAll() }
        return isValid
    }

    private mutating func evaluateContains(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<ArrayRule>,
        _ array: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let end = Int(words[array + 1])
        var index = array + 2
        var position = 0
        var found = 0
        let wantsAll = evaluated != nil || isStrict
        var unanswered: RawFinding?
        let (hadGivenUp, depth) = (givenUp != nil, depth)
        while index < end {
            let isMet = test(rule.pointee.contains, index, nil)
            if !isMet, givenUp != nil, !hadGivenUp {
                guard let reason = takeUnanswered(at: depth) else { return false }
                unanswered = unanswered ?? reason
            }
            if isMet {
                found += 1
                if rule.pointee.containsEvaluates { evaluated?.pointee.insert(position) }
                if found >= rule.pointee.minContains, rule.pointee.maxContains == .max, !wantsAll { break }
            }
            index = skip(index)
            position += 1
        }
        // An element without an answer may be met or not.
        if let unanswered, found < rule.pointee.minContains || rule.pointee.maxContains != .max {
            return giveUp(unanswered)
        }
        if let unanswered, let evaluated, rule.pointee.containsEvaluates { noteUncertain(evaluated, unanswered) }
        if found < rule.pointee.minContains {
            let keyword = program.value(of: "minContains", in: number) == nil ? "contains" : "minContains"
            return fail(number, keyword, array, .contained(found))
        }
        return found <= rule.pointee.maxContains ? true : fail(number, "maxContains", array, .contained(found))
    }

    private mutating func evaluateUnique(_ number: Int32, _ array: Int) -> Bool {
        let comparison = Comparison(text: text, words: words, names: names)
        guard let pair = comparison.firstDuplicate(in: array) else { return true }
        return fail(number, "uniqueItems", pair.second, .duplicate(pair.firstPosition))
    }
}
