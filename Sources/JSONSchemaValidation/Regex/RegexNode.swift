/// A condition on a position that consumes nothing.
enum RegexAssertion: Hashable, Sendable {
    /// `^`: the start of the input.
    case inputStart
    /// `$`: the end of the input.
    case inputEnd
    /// `\b`: a word character on exactly one side.
    case wordBoundary
    /// `\B`: a word character on both sides or neither.
    case notWordBoundary
}

/// The ways in which a backreference names its group.
enum RegexReference: Hashable, Sendable {
    case number(Int)
    case name(String)
}

/// A parsed pattern.
indirect enum RegexNode: Sendable {
    /// Matches the empty string.
    case empty
    /// Matches one code point.
    case scalar(UInt32)
    /// Matches one code point of a set.
    case set(ScalarSet)
    /// Matches its parts one after the other.
    case sequence([RegexNode])
    /// Matches any one of its parts, the first that leads to a match.
    case alternatives([RegexNode])
    /// A capturing group, numbered from one.
    case capture(index: Int, RegexNode)
    /// Matches its body from `minimum` to `maximum` times; nil is without limit.
    case repetition(RegexNode, RegexRepetition)
    /// Holds at some positions.
    case assertion(RegexAssertion)
    /// Looks ahead or behind without consuming.
    case look(RegexNode, RegexLook)
    /// Matches what a group captured.
    case backreference(RegexReference)
}

/// The bounds of a repetition.
struct RegexRepetition: Hashable, Sendable {
    /// The least number of times.
    let minimum: Int
    /// The greatest number of times; nil when there is none.
    let maximum: Int?
    /// True if more is tried before fewer; it matters only to what groups capture.
    let isGreedy: Bool
    /// The indices of the groups inside, which each iteration starts by forgetting.
    let groups: Range<Int>
}

/// The kind of a lookaround.
struct RegexLook: Hashable, Sendable {
    /// Its number within the pattern, so that written-out copies share one program.
    let id: Int
    /// True if it looks ahead, false if it looks behind.
    let isAhead: Bool
    /// True if it holds where its body does not match.
    let isNegative: Bool
}

/// A pattern with what was learnt while parsing it.
struct RegexSyntax: Sendable {
    /// The whole pattern.
    let root: RegexNode
    /// The number of capturing groups.
    let groupCount: Int
    /// The named groups by name.
    let groupNames: [String: Int]
    /// True if a backreference occurs anywhere.
    let hasBackreference: Bool
}
