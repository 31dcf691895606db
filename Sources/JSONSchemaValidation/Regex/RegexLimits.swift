/// The bounds that keep hostile patterns and inputs from exhausting time, stack or memory.
enum RegexLimits {
    /// How deeply groups may nest: parsing and compiling recurse, and threads may have as little as 512 KiB of stack,
    /// which unoptimized code uses up at twice this depth.
    static let nestingDepth = 64

    /// How many instructions a pattern may compile to, counted repetitions written out.
    static let instructions = 1 << 16

    /// How many states the byte automaton may have before the pattern is left to the simulation.
    static let automatonStates = 1 << 14

    /// How many entries the transition table may have, at four bytes each.
    static let tableEntries = 1 << 17

    /// How much work building a transition table may take, in set elements visited; about ten milliseconds.
    static let tableWork = 1 << 18

    /// How many alternatives a backtracking match may hold open, at sixteen bytes each.
    static let backtrackFrames = 1 << 20

    /// How many steps a match may take on an input of `count` bytes; about a tenth of a second at the least.
    static func steps(forInputOf count: Int) -> Int {
        20_000_000 + 64 * min(count, 1 << 40)
    }
}
