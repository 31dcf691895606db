internal import StrictJSON

extension Evaluator {
    @inline(never)
    mutating func evaluateAll(_ rule: InPlaceRule, _ index: Int, _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?)
        -> Bool
    {
        var isValid = true
        for position in 0..<Int(rule.b) where !evaluate(program.lists.base[Int(rule.a) + position], index, evaluated) {
            if !isReporting { return false }
            isValid = false
        }
        return isValid
    }

    /// Evaluates a schema whose faults are of no interest, and notes what it evaluated only where it is valid.
    mutating func test(_ number: Int32, _ index: Int, _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?) -> Bool {
        let notes = journal.count
        var isValid: Bool
        if let evaluated {
            var own = EvaluatedLocations()
            isValid = evaluateQuietly(number, index, &own)
            if isValid { evaluated.pointee.formUnion(own) }
        } else {
            isValid = evaluateQuietly(number, index, nil)
        }
        if !isValid, journal.count > notes { journal.removeLast(journal.count - notes) }
        return isValid
    }

    mutating func evaluateAny(
        _ number: Int32,
        _ rule: InPlaceRule,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        var isValid = false
        var unanswered: RawFinding?
        let (hadGivenUp, depth) = (givenUp != nil, depth)
        for position in 0..<Int(rule.b) {
            if test(program.lists.base[Int(rule.a) + position], index, evaluated) {
                isValid = true
                if evaluated == nil, !isStrict { break }
            } else if givenUp != nil, !hadGivenUp {
                guard let reason = takeUnanswered(at: depth) else { return false }
                unanswered = unanswered ?? reason
            }
        }
        if isValid {
            if let unanswered, let evaluated { noteUncertain(evaluated, unanswered) }
            return true
        }
        return unanswered.map { giveUp($0) } ?? reportNearest(number, "anyOf", rule, index)
    }

    mutating func evaluateOne(
        _ number: Int32,
        _ rule: InPlaceRule,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        var matching: [Int32] = []
        var count = 0
        for position in 0..<Int(rule.b) {
            let branch = program.lists.base[Int(rule.a) + position]
            guard test(branch, index, evaluated) else { continue }
            count += 1
            if count > 1, !isReporting { return false }
            if isReporting { matching.append(branch) }
        }
        switch count {
        // A branch without an answer may match as well.
        case 1: return givenUp == nil
        case 0: return reportNearest(number, "oneOf", rule, index)
        default: return fail(number, "oneOf", index, .several(matching))
        }
    }

    @inline(never)
    mutating func evaluateNot(_ number: Int32, _ rule: InPlaceRule, _ index: Int) -> Bool {
        let notes = journal.count
        defer { if journal.count > notes { journal.removeLast(journal.count - notes) } }
        return test(rule.a, index, nil) ? fail(number, "not", index, .forbidden) : givenUp == nil
    }

    @inline(never)
    mutating func evaluateConditional(
        _ rule: InPlaceRule,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let branch = test(rule.a, index, evaluated) ? rule.b : rule.c
        return branch < 0 ? givenUp == nil : evaluate(branch, index, evaluated)
    }
}
