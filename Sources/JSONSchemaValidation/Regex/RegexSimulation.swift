/// Matches by stepping all threads of a program through the input at once (Pike's simulation without captures).
///
/// The time is the length of the input times the size of the program. A lookaround is a pass of its own, which notes
/// for every position whether its body matches there (Barrière and Pit-Claudel, “Linear Matching of JavaScript Regular
/// Expressions”, 2024).
struct RegexSimulation {
    private let program: RegexProgram
    private let input: UTF8Scalars
    private var budget: Int

    /// The positions at which each lookaround that has been run holds.
    private var held: [[Bool]] = []

    private var threads: [Int] = []
    private var arrivals: [Int] = []
    private var stack: [Int] = []

    /// The step at which an instruction was last reached, so that each is followed once for a position.
    private var reached: [Int] = []
    private var step = 0

    /// Tells whether a program for the simulation matches anywhere in the input.
    static func matches(
        _ program: RegexProgram,
        isAnchored: Bool,
        _ utf8: UnsafeBufferPointer<UInt8>,
        halvings: Int
    ) throws(ECMARegexError) -> Bool {
        var simulation = RegexSimulation(program, utf8, halvings: halvings)
        for look in program.looks {
            let places = try simulation.places(of: look)
            simulation.held.append(places)
        }
        return try simulation.search(isAnchored: isAnchored)
    }

    private init(_ program: RegexProgram, _ utf8: UnsafeBufferPointer<UInt8>, halvings: Int) {
        self.program = program
        input = UTF8Scalars(bytes: utf8)
        budget = RegexLimits.steps(forInputOf: utf8.count, halvings: halvings)
    }

    private mutating func search(isAnchored: Bool) throws(ECMARegexError) -> Bool {
        prepare(for: program.code)
        var position = 0
        while true {
            let starts = position == 0 || !isAnchored
            if try follow(program.code, at: position, startsHere: starts) { return true }
            if threads.isEmpty, isAnchored { return false }
            guard let (value, width) = input.scalar(at: position) else { return false }
            advance(program.code, over: value)
            position += width
        }
    }

    /// Returns the positions at which a lookaround holds.
    ///
    /// Its body runs from every position at once, against the direction it looks in, and wherever it accepts is a
    /// position from which it matches.
    private mutating func places(of look: RegexProgram.Look) throws(ECMARegexError) -> [Bool] {
        prepare(for: look.code)
        var result = [Bool](repeating: look.isNegative, count: input.bytes.count + 1)
        var position = look.isBackward ? input.bytes.count : 0
        while true {
            if try follow(look.code, at: position, startsHere: true) { result[position] = !look.isNegative }
            let next = look.isBackward ? input.scalar(before: position) : input.scalar(at: position)
            guard let (value, width) = next else { return result }
            advance(look.code, over: value)
            position += look.isBackward ? -width : width
        }
    }

    private mutating func prepare(for code: [RegexInstruction]) {
        reached = [Int](repeating: -1, count: code.count)
        step = 0
        threads.removeAll(keepingCapacity: true)
        arrivals.removeAll(keepingCapacity: true)
    }

    /// Follows everything that consumes nothing, so that `threads` holds what consumes.
    ///
    /// - Returns: Whether `match` was reached.
    private mutating func follow(
        _ code: [RegexInstruction],
        at position: Int,
        startsHere: Bool
    ) throws(ECMARegexError) -> Bool {
        var isMatch = false
        step += 1
        threads.removeAll(keepingCapacity: true)
        swap(&stack, &arrivals)
        if startsHere { stack.append(0) }
        while let index = stack.popLast() {
            if reached[index] == step { continue }
            reached[index] = step
            budget -= 1
            switch code[index] {
            case .scalar, .set: threads.append(index)
            case .split(let first, let second):
                stack.append(Int(second))
                stack.append(Int(first))
            case .jump(let target): stack.append(Int(target))
            case .assertion(let assertion):
                if input.holds(assertion, at: position) { stack.append(index + 1) }
            case .look(let look):
                if held[Int(look)][position] { stack.append(index + 1) }
            case .match: isMatch = true
            case .save, .clear, .progress, .backreference: stack.append(index + 1)
            }
        }
        if budget < 0 {
            throw ECMARegexError(.budgetExceeded, "matching took too many steps; simplify the pattern")
        }
        return isMatch
    }

    private mutating func advance(_ code: [RegexInstruction], over value: UInt32) {
        for index in threads {
            let accepts =
                switch code[index] {
                case .scalar(let expected): expected == value
                case .set(let set): program.sets[Int(set)].contains(value)
                default: false
                }
            if accepts { arrivals.append(index + 1) }
        }
    }
}
