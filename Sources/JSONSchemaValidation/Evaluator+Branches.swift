internal import StrictJSON

extension Evaluator {
    @inline(never)
    mutating func evaluateAll(_ rule: InPlaceRule, _ index: Int, _ marks: UnsafeMutablePointer<Marks>?) -> Bool {
        var isValid = true
        for position in 0..<Int(rule.b) where !evaluate(program.lists.base[Int(rule.a) + position], index, marks) {
            if !isReporting { return false }
            isValid = false
        }
        return isValid
    }

    /// Evaluates a schema whose faults are of no interest, and notes what it evaluated only where it is valid.
    mutating func test(_ number: Int32, _ index: Int, _ marks: UnsafeMutablePointer<Marks>?) -> Bool {
        let notes = journal.count
        var isValid: Bool
        if let marks {
            var own = Marks()
            isValid = evaluateQuietly(number, index, &own)
            if isValid { marks.pointee.formUnion(own) }
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
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        var isValid = false
        for position in 0..<Int(rule.b) where test(program.lists.base[Int(rule.a) + position], index, marks) {
            isValid = true
            if marks == nil, !isStrict { break }
        }
        return isValid ? true : reportNearest(number, "anyOf", rule, index)
    }

    mutating func evaluateOne(
        _ number: Int32,
        _ rule: InPlaceRule,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        var matching: [Int32] = []
        var count = 0
        for position in 0..<Int(rule.b) {
            let branch = program.lists.base[Int(rule.a) + position]
            guard test(branch, index, marks) else { continue }
            count += 1
            if count > 1, !isReporting { return false }
            if isReporting { matching.append(branch) }
        }
        switch count {
        case 1: return true
        case 0: return reportNearest(number, "oneOf", rule, index)
        default: return fail(number, "oneOf", index, .several(matching))
        }
    }

    @inline(never)
    mutating func evaluateNot(_ number: Int32, _ rule: InPlaceRule, _ index: Int) -> Bool {
        let notes = journal.count
        defer { if journal.count > notes { journal.removeLast(journal.count - notes) } }
        return test(rule.a, index, nil) ? fail(number, "not", index, .forbidden) : true
    }

    @inline(never)
    mutating func evaluateConditional(
        _ rule: InPlaceRule,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let branch = test(rule.a, index, marks) ? rule.b : rule.c
        return branch < 0 ? true : evaluate(branch, index, marks)
    }
}
