internal import StrictJSON

/// The choice of the branch that was meant, where a value meets no branch of an `anyOf` or `oneOf`.
///
/// A branch was not meant where another takes the value's type and it does not, or where a member such as `"type"` has
/// the constant of another branch and not its own. Of what remains, the branch with the fewest faults comes nearest.
extension Evaluator {
    /// Deeper than this, branches in branches are not compared any more, for each level multiplies the work.
    private static let deepestComparison = 3
    private static let mostBranches = 64

    /// Notes the faults of the branch that was meant, or that there is none.
    mutating func reportNearest(_ number: Int32, _ keyword: String, _ rule: InPlaceRule, _ index: Int) -> Bool {
        guard isReporting else { return false }
        let branches = Array(UnsafeBufferPointer(start: program.lists.base + Int(rule.a), count: Int(rule.b)))
        let constants = branches.compactMap { unmetConstant(in: $0, index) }
        if constants.count == branches.count { return fail(number, keyword, index, .branchConstants(constants)) }
        let bit = TapeWord(bits: words[index]).tagBit
        var meant = branches.filter { tags(of: $0) & bit != 0 }
        if meant.isEmpty { return fail(number, keyword, index, .branchTypes(branches)) }
        if TapeWord(bits: words[index]).tag == .object, let other = discriminate(&meant, index) {
            return fail(number, keyword, other.index, .branchConstants(other.schemas))
        }
        if meant.count == 1 {
            // Without a closure around it, for this goes as deep as the schemas.
            let start = findings.items.count
            let isValid = evaluate(meant[0], index, nil)
            if !isValid { addBranches(branches, except: meant[0], from: start, index) }
            return isValid
        }
        guard branchDepth < Self.deepestComparison, meant.count <= Self.mostBranches else {
            return fail(number, keyword, index, .noBranch(nearest: -1, branches))
        }
        return compare(meant, of: branches, number, keyword, index)
    }

    /// Adds to a string's findings the branches that take no strings, for one may be meant that has it without quotes.
    @inline(never)
    private mutating func addBranches(_ branches: [Int32], except meant: Int32, from start: Int, _ index: Int) {
        let tag = TapeWord(bits: words[index]).tag
        guard branches.count > 1, tag == .string || tag == .escapedString else { return }
        findings.update(from: start) { finding in
            if finding.index == index { finding.otherBranches += branches.filter { $0 != meant } }
        }
    }

    private mutating func compare(
        _ meant: [Int32],
        of branches: [Int32],
        _ number: Int32,
        _ keyword: String,
        _ index: Int
    ) -> Bool {
        branchDepth += 1
        let collections = meant.map { branch in collect { _ = $0.evaluate(branch, index, nil) } }
        branchDepth -= 1
        var best = 0
        for (position, collection) in collections.enumerated()
        where collection.findings.count < collections[best].findings.count {
            best = position
        }
        let single = collections.compactMap { $0.findings.count == 1 ? $0.findings.items.first : nil }
        if single.count == collections.count, let first = single.first {
            let missing = single.compactMap { finding in
                if case .missing(let name) = finding.fault, finding.index == index { name } else { nil }
            }
            if missing.count == single.count, Set(missing).count > 1 {
                return fail(number, keyword, index, .missingAny(missing))
            }
            // The branches agree on what is wrong.
            if single.allSatisfy({ $0.index == first.index && $0.fault == first.fault && $0.keyword == first.keyword })
            {
                adopt(collections[0])
                return false
            }
        }
        _ = fail(number, keyword, index, .noBranch(nearest: meant[best], branches))
        adopt(collections[best])
        return false
    }

    // MARK: Types and constants of branches

    /// Returns the tags that a schema can take, as far as types and constants tell.
    private func tags(of number: Int32, depth: Int = 0) -> UInt16 {
        let schema = schema(number)
        var tags = schema.pointee.tags
        guard depth < 4 else { return tags }
        for rule in inPlaceRules(of: number) {
            switch rule.keyword {
            case .reference: tags &= self.tags(of: rule.a, depth: depth + 1)
            case .allOf:
                for position in 0..<Int(rule.b) {
                    tags &= self.tags(of: program.lists.base[Int(rule.a) + position], depth: depth + 1)
                }
            case .constant: tags &= program.constants[Int(rule.a)].set.tags
            default: break
            }
        }
        return tags
    }

    private func inPlaceRules(of number: Int32) -> UnsafeBufferPointer<InPlaceRule> {
        let schema = schema(number)
        let first = program.inPlace.base + Int(schema.pointee.inPlace)
        return UnsafeBufferPointer(start: first, count: Int(schema.pointee.inPlaceCount))
    }

    /// Returns the schema with the `const` or `enum` that a value does not meet, or nil where it meets it or there is
    /// none.
    private func unmetConstant(in number: Int32, _ index: Int) -> Int32? {
        guard case .unmet(let schema) = constant(in: number, index) else { return nil }
        return schema
    }

    private enum ConstantVerdict {
        case absent, met
        case unmet(Int32)
    }

    private func constant(in number: Int32, _ index: Int, depth: Int = 0) -> ConstantVerdict {
        for rule in inPlaceRules(of: number) {
            if rule.keyword == .constant { return isConstant(rule, index) ? .met : .unmet(number) }
            guard rule.keyword == .reference, depth < 4 else { continue }
            let verdict = constant(in: rule.a, index, depth: depth + 1)
            if case .absent = verdict { continue }
            return verdict
        }
        return .absent
    }

    /// Returns the verdict of a branch on the constant that a member must be.
    private func memberConstant(in number: Int32, _ name: Int32, _ value: Int, depth: Int = 0) -> ConstantVerdict {
        let schema = schema(number)
        if schema.pointee.object >= 0, let slot = slot(program.objects.base + Int(schema.pointee.object), name),
            slot.schema >= 0
        {
            let verdict = constant(in: slot.schema, value)
            if case .absent = verdict {} else { return verdict }
        }
        guard depth < 4 else { return .absent }
        for rule in inPlaceRules(of: number) {
            var targets: [Int32] = []
            if rule.keyword == .reference { targets = [rule.a] }
            if rule.keyword == .allOf {
                targets = Array(UnsafeBufferPointer(start: program.lists.base + Int(rule.a), count: Int(rule.b)))
            }
            for target in targets {
                let verdict = memberConstant(in: target, name, value, depth: depth + 1)
                if case .absent = verdict { continue }
                return verdict
            }
        }
        return .absent
    }

    /// Leaves only the branches that an object's constants tell; gives the member whose value is that of no branch.
    private func discriminate(_ branches: inout [Int32], _ object: Int) -> (index: Int, schemas: [Int32])? {
        var unknown: (index: Int, schemas: [Int32])?
        var member = object + 2
        while member < Int(words[object + 1]), branches.count > 1 {
            let name = nameNumbers[TapeWord(bits: words[member]).payload]
            let value = member + 1
            member = skip(value)
            if name < 0 { continue }
            let verdicts = branches.map { memberConstant(in: $0, name, value) }
            let unmet = verdicts.compactMap { if case .unmet(let schema) = $0 { schema } else { nil } }
            if unmet.count == branches.count {
                unknown = unknown ?? (value, unmet)
            } else if verdicts.contains(where: { if case .met = $0 { true } else { false } }) {
                branches = zip(branches, verdicts).compactMap { if case .unmet = $1 { nil } else { $0 } }
            }
        }
        return branches.count > 1 ? unknown : nil
    }
}
