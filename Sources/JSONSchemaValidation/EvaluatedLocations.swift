/// The members or elements of one value that some keyword has evaluated.
struct EvaluatedLocations {
    /// The first 64, so that most values take no memory of their own.
    private var first: UInt64 = 0
    private var rest: [UInt64] = []
    private(set) var hasAll = false
    /// The finding about a branch or element without an answer, which may have evaluated more; nil where there is none.
    var uncertainty: RawFinding?

    /// The words of memory that it takes.
    var size: Int { rest.count + 4 }

    mutating func insert(_ position: Int) {
        let bit: UInt64 = 1 &<< UInt64(position & 63)
        guard position >= 64 else {
            first |= bit
            return
        }
        let word = position >> 6 - 1
        if word >= rest.count { rest += Array(repeating: 0, count: word + 1 - rest.count) }
        rest[word] |= bit
    }

    mutating func insertAll() { hasAll = true }

    func contains(_ position: Int) -> Bool {
        if hasAll { return true }
        let bit: UInt64 = 1 &<< UInt64(position & 63)
        guard position >= 64 else { return first & bit != 0 }
        let word = position >> 6 - 1
        return word < rest.count && rest[word] & bit != 0
    }

    mutating func formUnion(_ other: EvaluatedLocations) {
        hasAll = hasAll || other.hasAll
        uncertainty = uncertainty ?? other.uncertainty
        first |= other.first
        if other.rest.count > rest.count { rest += Array(repeating: 0, count: other.rest.count - rest.count) }
        for (word, bits) in other.rest.enumerated() { rest[word] |= bits }
    }
}
