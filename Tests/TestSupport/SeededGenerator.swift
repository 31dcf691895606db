/// Random numbers that are the same for the same seed (SplitMix64); a test prints the seed that it uses.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// A generator with that seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below a bound; 0 below a bound of 0.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Whether something of that chance happens.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of several; there has to be one.
    public mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    /// One of several; nil where there is none.
    public mutating func pickAny<T>(_ choices: [T]) -> T? { choices.isEmpty ? nil : pick(choices) }
}
