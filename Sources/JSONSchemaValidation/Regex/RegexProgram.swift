/// One instruction of a compiled pattern; targets are indices of instructions.
enum RegexInstruction: Hashable, Sendable {
    /// Consumes one code point.
    case scalar(UInt32)
    /// Consumes one code point of a set, by its index in ``RegexProgram/sets``.
    case set(Int32)
    /// Goes on at either place, trying the first one first.
    case split(Int32, Int32)
    /// Goes on elsewhere.
    case jump(Int32)
    /// Goes on if a condition on the position holds.
    case assertion(RegexAssertion)
    /// Goes on if a lookaround holds, by its index in ``RegexProgram/looks``.
    case look(Int32)
    /// Notes the position in a slot: a group's start or end, or the start of an iteration.
    case save(Int32)
    /// Forgets the slots from the first up to the second.
    case clear(Int32, Int32)
    /// Goes on unless the position is the one noted in a slot: an iteration may not be empty.
    case progress(Int32)
    /// Consumes what the group captured, or nothing when it captured nothing.
    case backreference(Int32)
    /// Accepts.
    case match
}

/// A compiled pattern.
///
/// The form for the simulation has no `save`, `clear`, `progress` and `backreference`, because whether there is a match
/// does not depend on captures.
struct RegexProgram: Sendable {
    /// A lookaround's body.
    struct Look: Sendable {
        /// The body, compiled to run in the direction of `isBackward`.
        var code: [RegexInstruction]
        /// True if the body runs from its end towards the start of the input.
        let isBackward: Bool
        /// True if the lookaround holds where the body does not match.
        let isNegative: Bool
    }

    /// The pattern itself, always forward.
    var code: [RegexInstruction] = []
    /// The lookarounds, inner ones before those that hold them.
    var looks: [Look] = []
    /// The character sets.
    var sets: [ScalarSet] = []
    /// The number of slots that `save` and `progress` use: two for each group, then one for each loop.
    var slotCount = 0

    /// True if a match can only start at the start of the input.
    var isAnchored: Bool {
        var seen = Set<Int>()
        var stack = [0]
        while let index = stack.popLast() {
            guard index < code.count, seen.insert(index).inserted else { continue }
            switch code[index] {
            case .split(let first, let second): stack += [Int(first), Int(second)]
            case .jump(let target): stack.append(Int(target))
            case .assertion(.inputStart): break
            case .assertion, .look, .save, .clear, .progress: stack.append(index + 1)
            case .scalar, .set, .backreference, .match: return false
            }
        }
        return true
    }
}
