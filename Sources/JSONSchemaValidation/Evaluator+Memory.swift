internal import StrictJSON

/// The results that an evaluation remembers, so that no schema makes it take exponential time.
///
/// Branches that share definitions can have one value checked against one schema over and over, twice as often with
/// each level. Where an evaluation takes suspiciously long, each result is kept and looked up.
struct Memory {
    struct Key: Hashable {
        let schema: Int32
        let index: Int
        let scope: [Int32]
    }

    /// The members and elements that each met schema evaluated; nil for a schema that was not met.
    var results: [Key: EvaluatedLocations?] = [:]
    /// The reasons why schemas had no answer.
    var unanswered: [Key: RawFinding] = [:]
    /// The words that the results take.
    var size = 0
    /// The schemas and values whose faults were noted.
    var reported: Set<Key> = []
}

extension Evaluator {
    private static let largestMemory = 1 << 22

    /// Evaluates a schema unless its result is remembered or its faults are noted.
    @inline(never)
    mutating func evaluateRemembering(
        _ number: Int32,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let key = Memory.Key(schema: number, index: nameSymbol < 0 ? index : -1 - nameSymbol, scope: scope)
        if isReporting {
            if !memory.reported.isEmpty, memory.reported.contains(key) { return false }
            if steps > stepLimit, evaluateQuietly(number, index, evaluated) { return true }
            let isValid = evaluateInResource(number, index, evaluated)
            if memory.reported.count > 1 << 16 { memory.reported = [] }
            if !isValid { memory.reported.insert(key) }
            return isValid
        }
        if !memory.unanswered.isEmpty, giveUpAgain(key) { return false }
        if let known = memory.results[key] {
            if let known { evaluated?.pointee.formUnion(known) }
            return known != nil
        }
        var own = EvaluatedLocations()
        let isValid = evaluateInResource(number, index, &own)
        if givenUp != nil {
            rememberUnanswered(key)
            return false
        }
        if memory.size > Self.largestMemory { (memory.results, memory.size) = ([:], 0) }
        memory.results[key] = isValid ? .some(own) : .some(nil)
        memory.size += own.size + scope.count + 8
        if isValid { evaluated?.pointee.formUnion(own) }
        return isValid
    }

    /// Evaluates a schema unless it is known to have no answer.
    @inline(never)
    mutating func evaluateLookingUp(
        _ number: Int32,
        _ index: Int,
        _ evaluated: UnsafeMutablePointer<EvaluatedLocations>?
    ) -> Bool {
        let key = Memory.Key(schema: number, index: nameSymbol < 0 ? index : -1 - nameSymbol, scope: scope)
        if giveUpAgain(key) { return false }
        let isValid = evaluateInResource(number, index, evaluated)
        if givenUp != nil { rememberUnanswered(key) }
        return isValid
    }

    /// Gives up for the same reason as before where a schema is known to have no answer.
    @inline(never)
    private mutating func giveUpAgain(_ key: Memory.Key) -> Bool {
        guard let reason = memory.unanswered[key] else { return false }
        _ = giveUp(reason)
        return true
    }

    /// Remembers that a schema had no answer, and why.
    @inline(never)
    private mutating func rememberUnanswered(_ key: Memory.Key) {
        guard let givenUp, case .tooManySteps = givenUp.fault else { return }
        if memory.unanswered.count > 1 << 16 { memory.unanswered = [:] }
        memory.unanswered[key] = givenUp
    }
}
