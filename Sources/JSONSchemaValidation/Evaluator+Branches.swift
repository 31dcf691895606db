internal import StrictJSON

extension Evaluator {
    mutating func evaluateAll(_ rule: InPlaceRule, _ index: Int, _ marks: UnsafeMutablePointer<Marks>?) -> Bool {
        var isValid = true
        for position in 0..<Int(rule.b) where !evaluate(program.lists.base[Int(rule.a) + position], index, marks) {
            if !isReporting { return false }
            isValid = false
        }
        return isValid
    }

    /// Evaluates a schema whose faults are of no interest, and notes what it evaluated only where it is valid.
    private mutating func test(_ number: Int32, _ index: Int, _ marks: UnsafeMutablePointer<Marks>?) -> Bool {
        let wasReporting = isReporting
        isReporting = false
        defer { isReporting = wasReporting }
        guard let marks else { return evaluate(number, index, nil) }
        var own = Marks()
        guard evaluate(number, index, &own) else { return false }
        marks.pointee.formUnion(own)
        return true
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
            if marks == nil { break }
        }
        return isValid ? true : reportNearest(number, "anyOf", rule, index)
    }

    mutating func evaluateOne(
        _ number: Int32,
        _ rule: InPlaceRule,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        var matching: [Int] = []
        var count = 0
        for position in 0..<Int(rule.b) where test(program.lists.base[Int(rule.a) + position], index, marks) {
            count += 1
            if count > 1, !isReporting { return false }
            if isReporting { matching.append(position) }
        }
        switch count {
        case 1: return true
        case 0: return reportNearest(number, "oneOf", rule, index)
        default: return fail(number, "oneOf", index, .several(matching))
        }
    }

    mutating func evaluateNot(_ number: Int32, _ rule: InPlaceRule, _ index: Int) -> Bool {
        test(rule.a, index, nil) ? fail(number, "not", index, .forbidden) : true
    }

    mutating func evaluateConditional(
        _ rule: InPlaceRule,
        _ index: Int,
        _ marks: UnsafeMutablePointer<Marks>?
    ) -> Bool {
        let branch = test(rule.a, index, marks) ? rule.b : rule.c
        return branch < 0 ? true : evaluate(branch, index, marks)
    }

    /// Fails with the faults of the branch that was probably meant.
    private mutating func reportNearest(_ number: Int32, _ keyword: String, _ rule: InPlaceRule, _ index: Int) -> Bool {
        guard isReporting else { return false }
        let outer = (findings, dropped)
        var best: (position: Int, findings: [RawFinding])?
        for position in 0..<Int(rule.b) {
            findings = []
            _ = evaluate(program.lists.base[Int(rule.a) + position], index, nil)
            if best.map({ distance(findings, from: index) < distance($0.findings, from: index) }) ?? true {
                best = (position, findings)
            }
        }
        (findings, dropped) = outer
        _ = fail(number, keyword, index, .noBranch(meant: best?.position ?? 0, of: Int(rule.b)))
        findings += best?.findings ?? []
        return false
    }

    /// How far a value is from a branch: of another type, with another constant in a member that tells the branches
    /// apart, or with so many faults.
    private func distance(_ findings: [RawFinding], from index: Int) -> Int {
        findings.reduce(0) { sum, finding in
            switch finding.fault {
            case .type where finding.index == index: sum + 10_000
            case .constant: sum + 1_000
            case .endless: sum + 100_000
            default: sum + 1
            }
        }
    }
}
