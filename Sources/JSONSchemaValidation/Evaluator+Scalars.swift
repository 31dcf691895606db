internal import StrictJSON

extension Evaluator {
    /// Evaluates the keywords for strings.
    @inline(__always)
    mutating func evaluateString(_ number: Int32, _ ruleNumber: Int32, _ index: Int, _ word: TapeWord) -> Bool {
        let rule = program.strings.base + Int(ruleNumber)
        let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
        if word.tag == .string { return evaluateContent(raw, number, rule, index) }
        return evaluateEscaped(raw, number, rule, index)
    }

    @inline(never)
    private mutating func evaluateEscaped(
        _ raw: UnsafeBufferPointer<UInt8>,
        _ number: Int32,
        _ rule: UnsafeMutablePointer<StringRule>,
        _ index: Int
    ) -> Bool {
        if scratch.count < raw.count { scratch = Array(repeating: 0, count: raw.count * 2) }
        // Taken out while it is in use, for evaluation changes this value.
        var room = scratch
        scratch = []
        defer { scratch = room }
        return room.withUnsafeMutableBufferPointer { buffer in
            let count = unescape(raw, into: buffer)
            return evaluateContent(UnsafeBufferPointer(rebasing: buffer[..<count]), number, rule, index)
        }
    }

    private mutating func evaluateContent(
        _ content: UnsafeBufferPointer<UInt8>,
        _ number: Int32,
        _ rule: UnsafeMutablePointer<StringRule>,
        _ index: Int
    ) -> Bool {
        var isValid = true
        if rule.pointee.format >= 0, let format = StringFormat(rawValue: UInt8(rule.pointee.format)),
            !format.isValid(content, in: rule.pointee.draft)
        {
            isValid = fail(number, "format", index, .format)
            if !isReporting { return false }
        }
        // A code point takes one to four bytes, so most lengths need no counting.
        if content.count > rule.pointee.maximum || (content.count + 3) / 4 < rule.pointee.minimum || isReporting {
            let length = content.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
            if length < rule.pointee.minimum { isValid = fail(number, "minLength", index, .length(length)) }
            if length > rule.pointee.maximum { isValid = fail(number, "maxLength", index, .length(length)) }
        }
        if rule.pointee.pattern >= 0, isValid || isReporting {
            switch matches(rule.pointee.pattern, content) {
            case true?: break
            case false?: isValid = fail(number, "pattern", index, .pattern)
            case nil: isValid = failUnanswered(number, "pattern", index)
            }
        }
        return isValid
    }

    /// Tells whether a regular expression matches anywhere; nil where finding out takes too many steps.
    ///
    /// Each match without an answer leaves the expression half the steps, so that many soon cost little.
    mutating func matches(_ pattern: Int32, _ content: UnsafeBufferPointer<UInt8>) -> Bool? {
        let halvings = exhausted.isEmpty ? 0 : exhausted[pattern] ?? 0
        if let isMatch = try? program.patterns.base[Int(pattern)].matches(content, halvings: halvings) {
            return isMatch
        }
        exhausted[pattern] = halvings + 1
        return nil
    }

    /// Evaluates the keywords for numbers.
    @inline(__always)
    mutating func evaluateNumber(_ number: Int32, _ ruleNumber: Int32, _ index: Int, _ word: TapeWord) -> Bool {
        let rule = program.numbers.base + Int(ruleNumber)
        if word.tag == .integer, word.payload <= 18, !rule.pointee.isExactOnly {
            let value = integer(word)
            if value >= rule.pointee.smallest, value <= rule.pointee.largest,
                rule.pointee.divisor == 1 || value % rule.pointee.divisor == 0
            {
                return true
            }
        }
        return evaluateExactly(number, rule, index, word)
    }

    /// Returns the value of an integer token of up to 18 characters.
    @inline(__always)
    private func integer(_ word: TapeWord) -> Int {
        let start = text + word.offset
        let isNegative = start.pointee == UInt8(ascii: "-")
        var value = 0
        for offset in (isNegative ? 1 : 0)..<word.payload {
            value = value &* 10 &+ Int(start[offset] &- UInt8(ascii: "0"))
        }
        return isNegative ? -value : value
    }

    private func decimal(_ word: TapeWord) -> DecimalNumber? {
        DecimalNumber(token: UnsafeBufferPointer(start: text + word.offset, count: word.payload))
    }

    /// Tells whether a decimal token stands for an integer, as `1.0` does.
    func isIntegral(_ word: TapeWord) -> Bool { decimal(word)?.isInteger ?? true }

    /// Tells whether a token has neither a fraction nor an exponent.
    func isIntegerToken(_ word: TapeWord) -> Bool {
        UnsafeBufferPointer(start: text + word.offset, count: word.payload).allSatisfy {
            $0 <= UInt8(ascii: "9") && $0 != UInt8(ascii: ".")
        }
    }

    private mutating func evaluateExactly(
        _ number: Int32,
        _ rule: UnsafeMutablePointer<NumberRule>,
        _ index: Int,
        _ word: TapeWord
    ) -> Bool {
        guard let value = decimal(word) else { return true }
        let bounds = program.bounds[Int(rule.pointee.exact)]
        var isValid = true
        if let bound = bounds.minimum, value < bound { isValid = fail(number, "minimum", index, .bound) }
        if let bound = bounds.exclusiveMinimum, value <= bound {
            isValid = fail(number, "exclusiveMinimum", index, .bound)
        }
        if let bound = bounds.maximum, value > bound { isValid = fail(number, "maximum", index, .bound) }
        if let bound = bounds.exclusiveMaximum, value >= bound {
            isValid = fail(number, "exclusiveMaximum", index, .bound)
        }
        if let divisor = bounds.multipleOf, !value.isMultiple(of: divisor) {
            isValid = fail(number, "multipleOf", index, .bound)
        }
        return isValid
    }

    /// Evaluates `enum` and `const`.
    @inline(never)
    mutating func evaluateConstant(_ number: Int32, _ rule: InPlaceRule, _ index: Int) -> Bool {
        if isConstant(rule, index) { return true }
        let isConst = program.constants[Int(rule.a)].set.isConst
        return fail(number, isConst ? "const" : "enum", index, .constant)
    }

    /// Tells whether a value is one of the rule's constants.
    func isConstant(_ rule: InPlaceRule, _ index: Int) -> Bool {
        program.constantSets.base[Int(rule.a)]._withUnsafeGuaranteedRef { isIn($0, index) }
    }

    private func isIn(_ box: ConstantBox, _ index: Int) -> Bool {
        let word = TapeWord(bits: words[index])
        guard box.set.tags & word.tagBit != 0 else { return false }
        let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
        switch word.tag {
        case .null, .true, .false: return true
        case .string: return box.set.strings.find(raw) != nil
        case .escapedString:
            let content = [UInt8](unsafeUninitializedCapacity: raw.count) { $1 = unescape(raw, into: $0) }
            return content.withUnsafeBufferPointer { box.set.strings.find($0) } != nil
        case .integer where word.payload <= 18: return box.set.contains(integer(word))
        case .integer, .decimal:
            if let int = decimal(word)?.int { return box.set.contains(int) }
        default:
            // Unlike containers mostly differ in their number of elements.
            guard box.set.sizes.contains(word.payload) else { return false }
        }
        return box.set.others.contains(Comparison(text: text, words: words, names: names).form(index))
    }
}
