/// Builds a ``ByteMatcher`` by following sets of an automaton's states (subset construction).
///
/// A state of the result is the set of places where a match may stand, with those assertions left open that need the
/// next byte; a byte decides them first and then moves on.
struct ByteMatcherBuilder {
    /// A set of states with what it needs to know about the position.
    private struct Key: Hashable {
        var states: [Int32]
        var context: Context
    }

    /// The context before a position.
    private struct Context: Hashable {
        var isStart = false
        var isAfterWord = false
    }

    /// The kinds of what can follow a position.
    private enum Following {
        case unknown
        case byte(isWord: Bool)
        case end
    }

    private static let dead: UInt32 = 0
    private static let accepted: UInt32 = 1

    private let automaton: ByteAutomaton
    private let columns: ByteColumns
    private var sets: [Key] = []
    private var numbers: [Key: UInt32] = [:]
    private var arrivals: [Key: UInt32] = [:]
    private var arrivalsAlone: [UInt32?]
    private var rows: [UInt32] = []

    /// The states that the bytes of each column lead to from the state at hand; kept for its memory.
    private var targets: [[Int32]]
    private var work = 0

    /// The number of the visit at which each state was visited last.
    private var visited: [Int]
    private var visit = 0

    /// Builds the matcher of an automaton, or nil when its table would exceed the limits.
    static func build(_ automaton: ByteAutomaton) -> ByteMatcher? {
        var builder = ByteMatcherBuilder(automaton)
        return builder.run()
    }

    private init(_ automaton: ByteAutomaton) {
        self.automaton = automaton
        columns = ByteColumns(automaton)
        visited = Array(repeating: 0, count: automaton.states.count)
        arrivalsAlone = Array(repeating: nil, count: 2 * automaton.states.count)
        targets = Array(repeating: [], count: columns.count)
    }

    private mutating func run() -> ByteMatcher? {
        let width = columns.count + 1
        rows = Array(repeating: Self.dead, count: width) + Array(repeating: Self.accepted, count: width)
        let empty = Key(states: [], context: Context())
        sets = [empty, empty]
        let start = number(arriving: Key(states: [automaton.start], context: Context(isStart: true)))
        var next = 2
        while next < sets.count {
            addRow(of: sets[next])
            if rows.count > RegexLimits.tableEntries || work > RegexLimits.tableWork { return nil }
            next += 1
        }
        let offset = { (state: UInt32) in 256 + state * UInt32(width) }
        return ByteMatcher(
            table: columns.ofByte.map { UInt32($0) } + rows.map(offset),
            start: Int(offset(start)),
            columns: width
        )
    }

    /// Adds the row of a state: for each column, the states that its bytes lead to.
    private mutating func addRow(of key: Key) {
        let first = rows.count
        rows += Array(repeating: Self.dead, count: columns.count + 1)
        for isWord in automaton.hasWordAssertion ? [false, true] : [false] {
            let (states, isMatch) = closure(key, .byte(isWord: isWord))
            if isMatch {
                for column in 0..<columns.count where columns.isWord[column] == isWord {
                    rows[first + column] = Self.accepted
                }
                continue
            }
            fill(first, from: states, isWord: isWord)
        }
        if closure(key, .end).isMatch { rows[first + columns.count] = Self.accepted }
    }

    private mutating func fill(_ first: Int, from states: [Int32], isWord: Bool) {
        for column in targets.indices { targets[column].removeAll(keepingCapacity: true) }
        for state in states {
            guard case .edges(let range) = automaton.states[Int(state)] else { continue }
            for edge in automaton.edges[range] {
                let reached = Int(columns.ofByte[Int(edge.low)])...Int(columns.ofByte[Int(edge.high)])
                work += reached.count
                for column in reached { targets[column].append(edge.target) }
            }
        }
        let context = Context(isAfterWord: isWord)
        for column in targets.indices where columns.isWord[column] == isWord {
            if column > 0, columns.isWord[column - 1] == isWord, targets[column] == targets[column - 1] {
                rows[first + column] = rows[first + column - 1]
            } else {
                rows[first + column] = number(arriving: Key(states: targets[column], context: context))
            }
        }
    }

    /// Returns the number of the state for arriving at some states of the automaton.
    private mutating func number(arriving key: Key) -> UInt32 {
        guard let first = key.states.first else { return Self.dead }
        work += key.states.count
        // Most often there is one state alone, and then an array serves better than a dictionary.
        let isAlone = key.states.count == 1 && !key.context.isStart
        let alone = 2 * Int(first) + (key.context.isAfterWord ? 1 : 0)
        if let known = isAlone ? arrivalsAlone[alone] : arrivals[key] { return known }
        let (states, isMatch) = closure(key, .unknown)
        let number = isMatch ? Self.accepted : number(of: states, key.context)
        if isAlone {
            arrivalsAlone[alone] = number
        } else {
            arrivals[key] = number
        }
        return number
    }

    private mutating func number(of states: [Int32], _ context: Context) -> UInt32 {
        if states.isEmpty { return Self.dead }
        // Only open assertions care what came before; forgetting it otherwise keeps the table small.
        let isOpen = states.contains { if case .assertion = automaton.states[Int($0)] { true } else { false } }
        let key = Key(states: states.sorted(), context: isOpen ? context : Context())
        if let known = numbers[key] { return known }
        let number = UInt32(sets.count)
        sets.append(key)
        numbers[key] = number
        return number
    }

    /// Returns the states with edges that are reached without consuming, with the assertions that stay open, and
    /// whether a match is among them.
    private mutating func closure(_ key: Key, _ following: Following) -> (states: [Int32], isMatch: Bool) {
        visit += 1
        var result: [Int32] = []
        var isMatch = false
        var stack = key.states
        while let state = stack.popLast() {
            if visited[Int(state)] == visit { continue }
            visited[Int(state)] = visit
            work += 1
            switch automaton.states[Int(state)] {
            case .edges: result.append(state)
            case .split(let first, let second): stack += [first, second]
            case .jump(let target): stack.append(target)
            case .match: isMatch = true
            case .assertion(let assertion, let next):
                switch Self.holds(assertion, key.context, following) {
                case true?: stack.append(next)
                case false?: break
                case nil: result.append(state)
                }
            }
        }
        return (result, isMatch)
    }

    /// Tells whether an assertion holds; nil while that depends on what follows.
    private static func holds(_ assertion: RegexAssertion, _ context: Context, _ following: Following) -> Bool? {
        if assertion == .inputStart { return context.isStart }
        let isBeforeWord: Bool
        switch following {
        case .unknown: return nil
        case .byte(let isWord): isBeforeWord = isWord
        case .end: isBeforeWord = false
        }
        switch assertion {
        case .inputStart: return context.isStart
        case .inputEnd:
            if case .end = following { return true }
            return false
        case .wordBoundary: return context.isAfterWord != isBeforeWord
        case .notWordBoundary: return context.isAfterWord == isBeforeWord
        }
    }
}

/// The classes of bytes that no edge of an automaton tells apart.
struct ByteColumns {
    /// The class of each byte; higher bytes have the same or higher classes.
    private(set) var ofByte: [UInt8] = []

    /// True for each class whose bytes are word characters; all false where the automaton does not ask.
    private(set) var isWord: [Bool] = []

    /// The number of classes.
    var count: Int { isWord.count }

    /// Finds the classes for an automaton.
    init(_ automaton: ByteAutomaton) {
        var startsClass = Array(repeating: false, count: 257)
        for edge in automaton.edges {
            startsClass[Int(edge.low)] = true
            startsClass[Int(edge.high) + 1] = true
        }
        for byte in UInt8.min...UInt8.max {
            let word = automaton.hasWordAssertion && UTF8Scalars.isWord(byte)
            if isWord.isEmpty || startsClass[Int(byte)] || isWord.last != word { isWord.append(word) }
            ofByte.append(UInt8(isWord.count - 1))
        }
    }
}
