/// A nondeterministic automaton over UTF-8 bytes, made from a program for the simulation.
struct ByteAutomaton {
    /// A run of bytes and the state it leads to.
    struct Edge: Hashable {
        let low: UInt8
        let high: UInt8
        let target: Int32
    }

    /// A state; all but `edges` are left without consuming a byte.
    enum State {
        /// Goes on along the edge that holds the next byte; these are indices of ``ByteAutomaton/edges``.
        case edges(Range<Int>)
        case split(Int32, Int32)
        case jump(Int32)
        case assertion(RegexAssertion, Int32)
        case match
    }

    private(set) var states: [State] = []
    private(set) var edges: [Edge] = []

    /// The state to begin in.
    private(set) var start: Int32 = 0

    /// True if an assertion about words occurs.
    private(set) var hasWordAssertion = false

    /// Makes the automaton of a program without lookarounds and backreferences; nil when there are any, or when the
    /// automaton would be too large.
    init?(_ program: RegexProgram, isAnchored: Bool) {
        hasWordAssertion = program.code.contains {
            $0 == .assertion(.wordBoundary) || $0 == .assertion(.notWordBoundary)
        }
        // The instructions' states come first, so that their targets need no translation.
        states = Array(repeating: .match, count: program.code.count)
        var tries: [RegexInstruction: ByteTrie] = [:]
        for (index, instruction) in program.code.enumerated() {
            let next = Int32(index) + 1
            switch instruction {
            case .scalar, .set:
                let trie = tries[instruction] ?? Self.trie(of: instruction, in: program)
                tries[instruction] = trie
                add(trie, at: index, next: next)
            case .split(let first, let second): states[index] = .split(first, second)
            case .jump(let target): states[index] = .jump(target)
            case .assertion(let assertion): states[index] = .assertion(assertion, next)
            case .match: states[index] = .match
            case .look, .save, .clear, .progress, .backreference: return nil
            }
            if states.count > RegexLimits.automatonStates { return nil }
        }
        if !isAnchored { addSearchLoop() }
    }

    private static func trie(of instruction: RegexInstruction, in program: RegexProgram) -> ByteTrie {
        switch instruction {
        case .set(let set): ByteTrie(program.sets[Int(set)])
        case .scalar(let value): ByteTrie(ScalarSet(scalar: value))
        default: ByteTrie(ScalarSet([]))
        }
    }

    /// Puts a trie's root, its last node, in place of state `root` and its other nodes after all states.
    private mutating func add(_ trie: ByteTrie, at root: Int, next: Int32) {
        let first = Int32(states.count)
        for (index, node) in trie.nodes.enumerated() {
            let start = edges.count
            for edge in node {
                let target = edge.target == ByteTrie.accept ? next : first + edge.target
                edges.append(Edge(low: edge.low, high: edge.high, target: target))
            }
            let state = State.edges(start..<edges.count)
            if index == trie.nodes.count - 1 {
                states[root] = state
            } else {
                states.append(state)
            }
        }
    }

    /// Lets a match start anywhere.
    ///
    /// Single bytes may be skipped because a continuation byte starts no match, except where `\B` would see a position
    /// inside a character.
    private mutating func addSearchLoop() {
        let split = Int32(states.count)
        start = split
        states.append(.split(0, split + 1))
        if hasWordAssertion {
            states.append(.match)
            add(ByteTrie(.all), at: Int(split) + 1, next: split)
        } else {
            states.append(.edges(edges.count..<(edges.count + 1)))
            edges.append(Edge(low: 0, high: 0xFF, target: split))
        }
    }
}
