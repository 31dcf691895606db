/// Compiles a parsed pattern into a ``RegexProgram``, writing counted repetitions out.
struct RegexCompiler {
    /// The uses of a program.
    enum Purpose {
        /// The simulation and the automaton: captures left out; a lookahead's body runs backward, a lookbehind's
        /// forward, so that one pass over the input finds every position where it holds.
        case simulation
        /// The backtracker: with captures; bodies run the way ECMA-262 has them run.
        case backtracking
    }

    private let syntax: RegexSyntax
    private let purpose: Purpose
    private var program = RegexProgram()
    private var code: [RegexInstruction] = []
    private var isBackward = false
    private var emitted = 0
    private var setIndices: [ScalarSet: Int32] = [:]
    private var lookIndices: [Int: Int32] = [:]

    /// Compiles a pattern.
    static func compile(_ syntax: RegexSyntax, for purpose: Purpose) throws(ECMARegexError) -> RegexProgram {
        var compiler = RegexCompiler(syntax: syntax, purpose: purpose)
        try compiler.emit(syntax.root)
        try compiler.append(.match)
        compiler.program.code = compiler.code
        return compiler.program
    }

    private init(syntax: RegexSyntax, purpose: Purpose) {
        self.syntax = syntax
        self.purpose = purpose
        program.slotCount = purpose == .backtracking ? 2 * (syntax.groupCount + 1) : 0
    }

    private mutating func append(_ instruction: RegexInstruction) throws(ECMARegexError) {
        emitted += 1
        if emitted > RegexLimits.instructions {
            throw ECMARegexError(
                .tooLarge,
                "the pattern compiles to more than \(RegexLimits.instructions) instructions; repeat less often"
            )
        }
        code.append(instruction)
    }

    private var next: Int32 { Int32(code.count) }

    private mutating func emit(_ node: RegexNode) throws(ECMARegexError) {
        switch node {
        case .empty: break
        case .scalar(let value): try append(.scalar(value))
        case .set(let set): try append(.set(index(of: set)))
        case .sequence(let parts):
            for index in parts.indices {
                try emit(parts[isBackward ? parts.count - 1 - index : index])
            }
        case .alternatives(let parts): try emitAlternatives(parts)
        case .capture(let index, let body): try emitCapture(index, body)
        case .repetition(let body, let bounds): try emitRepetition(body, bounds)
        case .assertion(let assertion): try append(.assertion(assertion))
        case .look(let body, let look): try append(.look(try index(of: look, body)))
        case .backreference(.number(let number)): try append(.backreference(Int32(number)))
        case .backreference(.name(let name)):
            try append(.backreference(Int32(syntax.groupNames[name] ?? 0)))
        }
    }

    private mutating func index(of set: ScalarSet) -> Int32 {
        if let index = setIndices[set] { return index }
        let index = Int32(program.sets.count)
        program.sets.append(set)
        setIndices[set] = index
        return index
    }

    private mutating func emitAlternatives(_ parts: [RegexNode]) throws(ECMARegexError) {
        var jumps: [Int] = []
        for part in parts.dropLast() {
            let split = code.count
            try append(.split(next + 1, 0))
            try emit(part)
            jumps.append(code.count)
            try append(.jump(0))
            code[split] = .split(Int32(split) + 1, next)
        }
        if let last = parts.last { try emit(last) }
        for jump in jumps { code[jump] = .jump(next) }
    }

    private mutating func emitCapture(_ index: Int, _ body: RegexNode) throws(ECMARegexError) {
        guard purpose == .backtracking else { return try emit(body) }
        let start = Int32(2 * index)
        try append(.save(isBackward ? start + 1 : start))
        try emit(body)
        try append(.save(isBackward ? start : start + 1))
    }

    private mutating func index(of look: RegexLook, _ body: RegexNode) throws(ECMARegexError) -> Int32 {
        if let index = lookIndices[look.id] { return index }
        let outer = (code, isBackward)
        code = []
        isBackward = purpose == .simulation ? look.isAhead : !look.isAhead
        try emit(body)
        try append(.match)
        let index = Int32(program.looks.count)
        program.looks.append(.init(code: code, isBackward: isBackward, isNegative: look.isNegative))
        lookIndices[look.id] = index
        (code, isBackward) = outer
        return index
    }
}

extension RegexCompiler {
    /// Emits a repetition as ECMA-262's RepeatMatcher has it: iterations up to the minimum may be empty, others may
    /// not.
    private mutating func emitRepetition(_ body: RegexNode, _ bounds: RegexRepetition) throws(ECMARegexError) {
        var remaining = bounds.minimum
        while remaining > 0 {
            let before = code.count
            try emitIteration(body, bounds)
            // A body that compiles to nothing stays nothing however often it is repeated.
            if code.count == before { return }
            remaining -= 1
        }
        guard let maximum = bounds.maximum else { return try emitLoop(body, bounds) }
        var splits: [Int] = []
        for _ in bounds.minimum..<maximum {
            splits.append(code.count)
            try append(.split(0, 0))
            try emitNonemptyIteration(body, bounds)
            if code.count == splits[splits.count - 1] + 1 { break }
        }
        for split in splits { setSplit(split, exit: next, bounds) }
    }

    private mutating func emitLoop(_ body: RegexNode, _ bounds: RegexRepetition) throws(ECMARegexError) {
        let split = code.count
        try append(.split(0, 0))
        try emitNonemptyIteration(body, bounds)
        try append(.jump(Int32(split)))
        setSplit(split, exit: next, bounds)
    }

    private mutating func setSplit(_ split: Int, exit: Int32, _ bounds: RegexRepetition) {
        let enter = Int32(split) + 1
        code[split] = bounds.isGreedy ? .split(enter, exit) : .split(exit, enter)
    }

    private mutating func emitIteration(_ body: RegexNode, _ bounds: RegexRepetition) throws(ECMARegexError) {
        if purpose == .backtracking, !bounds.groups.isEmpty {
            try append(.clear(Int32(2 * bounds.groups.lowerBound), Int32(2 * bounds.groups.upperBound)))
        }
        try emit(body)
    }

    private mutating func emitNonemptyIteration(
        _ body: RegexNode,
        _ bounds: RegexRepetition
    ) throws(ECMARegexError) {
        guard purpose == .backtracking else { return try emitIteration(body, bounds) }
        let slot = Int32(program.slotCount)
        program.slotCount += 1
        try append(.save(slot))
        try emitIteration(body, bounds)
        try append(.progress(slot))
    }
}
