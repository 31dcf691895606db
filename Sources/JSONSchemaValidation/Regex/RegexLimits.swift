/// The bounds that keep hostile patterns and inputs from exhausting time, stack or memory.
enum RegexLimits {
    /// The greatest depth of nested groups.
    ///
    /// Parsing and compiling recurse, and threads may have as little as 512 KiB of stack, which unoptimized code uses
    /// up at twice this depth.
    static let nestingDepth = 64

    /// The most instructions that a pattern may compile to, counted repetitions written out.
    static let instructions = 1 << 16

    /// The most states of a byte automaton before the pattern is left to the simulation.
    static let automatonStates = 1 << 14

    /// The most entries of the transition table, at four bytes each.
    static let tableEntries = 1 << 17

    /// The most work for building a transition table, in set elements visited; about ten milliseconds.
    static let tableWork = 1 << 18

    /// The most alternatives that a backtracking match may hold open, at sixteen bytes each.
    static let backtrackFrames = 1 << 20

    /// Returns the most steps for a match on an input of `count` bytes; about a tenth of a second at the least.
    ///
    /// - Parameter halvings: How often the steps are halved that do not depend on the input; a thousand stay.
    static func steps(forInputOf count: Int, halvings: Int = 0) -> Int {
        (20_000_000 >> min(halvings, 14)) + 64 * min(count, 1 << 40)
    }
}
