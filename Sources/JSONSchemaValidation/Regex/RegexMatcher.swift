/// The ways to match a compiled pattern, from the fastest to the most general.
indirect enum RegexMatcher: Sendable {
    /// The ways to match a pattern.
    enum Engine: Sendable, CaseIterable {
        /// The fastest that the pattern allows.
        case automatic
        /// The simulation, unless there is a backreference.
        case simulation
        /// The backtracker.
        case backtracking
    }

    /// A transition table.
    case table(ByteMatcher)
    /// A simulation that steps all threads at once.
    case simulation(RegexProgram, isAnchored: Bool)
    /// Backtracking, which tries one way after another.
    case backtracking(RegexProgram, isAnchored: Bool)
    /// Several conditions on the same start of the input: each part must match, or must not if it is negative.
    case all([(matcher: RegexMatcher, isNegative: Bool)])

    /// Chooses a way and compiles for it.
    static func make(_ syntax: RegexSyntax, engine: Engine) throws(ECMARegexError) -> RegexMatcher {
        if engine == .backtracking || syntax.hasBackreference {
            let program = try RegexCompiler.compile(syntax, for: .backtracking)
            return .backtracking(program, isAnchored: program.isAnchored)
        }
        if engine == .automatic, let parts = leadingLooks(of: syntax.root) {
            var matchers: [(matcher: RegexMatcher, isNegative: Bool)] = []
            for (root, isNegative) in parts {
                let part = RegexSyntax(root: root, groupCount: 0, groupNames: [:], hasBackreference: false)
                matchers.append((try make(part, engine: engine), isNegative))
            }
            return .all(matchers)
        }
        let program = try RegexCompiler.compile(syntax, for: .simulation)
        let isAnchored = program.isAnchored
        if engine == .automatic, let automaton = ByteAutomaton(program, isAnchored: isAnchored),
            let matcher = ByteMatcherBuilder.build(automaton)
        {
            return .table(matcher)
        }
        return .simulation(program, isAnchored: isAnchored)
    }

    /// Returns the conditions that `^`, lookaheads and a rest, as in `^(?!x-)[a-z]+$`, put on the start of the input.
    ///
    /// Each is a pattern of its own, for which there may be a table. Nil for any other pattern.
    private static func leadingLooks(of root: RegexNode) -> [(root: RegexNode, isNegative: Bool)]? {
        guard case .sequence(let terms) = root, case .assertion(.inputStart)? = terms.first else { return nil }
        var parts: [(root: RegexNode, isNegative: Bool)] = []
        for term in terms.dropFirst() {
            guard case .look(let body, let look) = term, look.isAhead else { break }
            // A body that is itself a sequence is joined flat, so that lookaheads at its start are found too.
            var inner = [body]
            if case .sequence(let bodyTerms) = body { inner = bodyTerms }
            parts.append((.sequence([.assertion(.inputStart)] + inner), look.isNegative))
        }
        if parts.isEmpty { return nil }
        let rest = terms.dropFirst(parts.count + 1)
        if !rest.isEmpty { parts.append((.sequence([.assertion(.inputStart)] + rest), false)) }
        return parts
    }

    /// Tells whether the pattern matches anywhere in valid UTF-8.
    func matches(_ utf8: UnsafeBufferPointer<UInt8>, halvings: Int = 0) throws(ECMARegexError) -> Bool {
        switch self {
        case .table(let matcher): return matcher.matches(utf8)
        case .simulation(let program, let isAnchored):
            return try RegexSimulation.matches(program, isAnchored: isAnchored, utf8, halvings: halvings)
        case .backtracking(let program, let isAnchored):
            return try RegexBacktracker.matches(program, isAnchored: isAnchored, utf8, halvings: halvings)
        case .all(let parts):
            for part in parts where try part.matcher.matches(utf8, halvings: halvings) == part.isNegative {
                return false
            }
            return true
        }
    }
}
