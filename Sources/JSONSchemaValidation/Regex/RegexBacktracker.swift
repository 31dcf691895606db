/// Matches by trying one way after another, for patterns with backreferences, by the rules of ECMA-262, 22.2.2.
///
/// The time can be exponential in the input, which is why steps are counted and a match is abandoned when they run out.
struct RegexBacktracker {
    /// Something to go back to: another way to try, or a slot's earlier value.
    private struct Frame {
        /// The instruction to go on at, or the complement of a slot to restore.
        let target: Int
        /// The position to go on from, or the slot's value.
        let value: Int
    }

    private let program: RegexProgram
    private let input: UTF8Scalars
    private var budget: Int
    private var stack: [Frame] = []

    /// The slots' positions; -1 where nothing has been noted.
    private var slots: [Int]

    /// Tells whether a program for backtracking matches anywhere in the input.
    static func matches(
        _ program: RegexProgram,
        isAnchored: Bool,
        _ utf8: UnsafeBufferPointer<UInt8>,
        halvings: Int
    ) throws(ECMARegexError) -> Bool {
        var backtracker = RegexBacktracker(program, utf8, halvings: halvings)
        var position = 0
        while true {
            if try backtracker.run(program.code, from: position, isBackward: false) { return true }
            guard !isAnchored, let (_, width) = backtracker.input.scalar(at: position) else { return false }
            position += width
        }
    }

    private init(_ program: RegexProgram, _ utf8: UnsafeBufferPointer<UInt8>, halvings: Int) {
        self.program = program
        input = UTF8Scalars(bytes: utf8)
        budget = RegexLimits.steps(forInputOf: utf8.count, halvings: halvings)
        slots = [Int](repeating: -1, count: program.slotCount)
    }

    /// Runs until `match`, or until there is nothing left to try above the stack's height at the call.
    ///
    /// After a match the slots are as the match left them; after a failure they are as they were.
    private mutating func run(
        _ code: [RegexInstruction],
        from start: Int,
        isBackward: Bool
    ) throws(ECMARegexError) -> Bool {
        let base = stack.count
        var index = 0
        var position = start
        while true {
            try countStep()
            if case .match = code[index] { return true }
            if let next = try step(code, index, &position, isBackward) {
                index = next
            } else if let frame = resume(above: base) {
                index = frame.target
                position = frame.value
            } else {
                return false
            }
        }
    }

    private mutating func countStep() throws(ECMARegexError) {
        budget -= 1
        if budget < 0 || stack.count > RegexLimits.backtrackFrames {
            throw ECMARegexError(
                .budgetExceeded,
                "matching a pattern with backreferences took too many steps; simplify the pattern"
            )
        }
    }

    /// Does one instruction; returns where to go on, or nil when this way fails.
    private mutating func step(
        _ code: [RegexInstruction],
        _ index: Int,
        _ position: inout Int,
        _ isBackward: Bool
    ) throws(ECMARegexError) -> Int? {
        let next = index + 1
        switch code[index] {
        case .scalar, .set: return consume(code[index], &position, isBackward) ? next : nil
        case .split(let first, let second):
            stack.append(Frame(target: Int(second), value: position))
            return Int(first)
        case .jump(let target): return Int(target)
        case .assertion(let assertion): return input.holds(assertion, at: position) ? next : nil
        case .look(let look):
            return try holds(program.looks[Int(look)], at: position) ? next : nil
        case .save(let slot):
            set(Int(slot), to: position)
            return next
        case .clear(let low, let high):
            for slot in Int(low)..<Int(high) where slots[slot] >= 0 { set(slot, to: -1) }
            return next
        case .progress(let slot): return slots[Int(slot)] == position ? nil : next
        case .backreference(let group):
            return consumeCapture(Int(group), &position, isBackward) ? next : nil
        case .match: return index
        }
    }

    private func consume(_ instruction: RegexInstruction, _ position: inout Int, _ isBackward: Bool) -> Bool {
        let next = isBackward ? input.scalar(before: position) : input.scalar(at: position)
        guard let (value, width) = next else { return false }
        switch instruction {
        case .scalar(let expected) where expected != value: return false
        case .set(let set) where !program.sets[Int(set)].contains(value): return false
        default:
            position += isBackward ? -width : width
            return true
        }
    }

    /// Consumes the text that a group captured; a group that took no part matches the empty text.
    private mutating func consumeCapture(_ group: Int, _ position: inout Int, _ isBackward: Bool) -> Bool {
        let (start, end) = (slots[2 * group], slots[2 * group + 1])
        guard start >= 0, end >= start else { return true }
        let length = end - start
        let target = isBackward ? position - length : position
        guard target >= 0, target + length <= input.bytes.count else { return false }
        budget -= length
        for offset in 0..<length where input.bytes[start + offset] != input.bytes[target + offset] {
            return false
        }
        position += isBackward ? -length : length
        return true
    }

    private mutating func set(_ slot: Int, to value: Int) {
        stack.append(Frame(target: ~slot, value: slots[slot]))
        slots[slot] = value
    }

    /// Takes back what was done since the last way not yet tried, and returns that way.
    private mutating func resume(above base: Int) -> Frame? {
        while stack.count > base, let frame = stack.popLast() {
            if frame.target >= 0 { return frame }
            slots[~frame.target] = frame.value
        }
        return nil
    }

    /// Tells whether a lookaround holds.
    ///
    /// Once it does it is not entered again, but what it captured can be taken back.
    private mutating func holds(_ look: RegexProgram.Look, at position: Int) throws(ECMARegexError) -> Bool {
        let base = stack.count
        let isMatch = try run(look.code, from: position, isBackward: look.isBackward)
        if !isMatch { return look.isNegative }
        var undo = stack[base...].filter { $0.target < 0 }
        if look.isNegative {
            while let frame = undo.popLast() { slots[~frame.target] = frame.value }
        }
        stack.removeSubrange(base...)
        stack.append(contentsOf: undo)
        return !look.isNegative
    }
}
