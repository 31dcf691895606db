public import CivilTime
internal import StrictJSON

/// The days on which habits were completed.
///
/// A habit's completions outlive it: identifiers of habits that do not exist any more may be among them.
public struct SlateCompletions: Sendable {
    private var habits: [ScalarKey: Set<CivilDay>] = [:]

    /// Makes an empty set of completions.
    public init() {}

    /// Adds a completion; a second one of the same habit on the same day changes nothing.
    public mutating func insert(_ habitID: String, on day: CivilDay) {
        habits[ScalarKey(habitID), default: []].insert(day)
    }

    /// Tells whether a habit was completed on a day.
    public func contains(_ habitID: String, on day: CivilDay) -> Bool {
        habits[ScalarKey(habitID)]?.contains(day) ?? false
    }

    /// All days with a completion.
    public var days: Set<CivilDay> { habits.values.reduce(into: []) { $0.formUnion($1) } }

    /// Returns the habits that were completed on a day.
    func habits(on day: CivilDay) -> Set<ScalarKey> { Set(habits.filter { $0.value.contains(day) }.keys) }

    /// Tells whether any habit was completed on a day.
    func hasAny(on day: CivilDay) -> Bool { habits.values.contains { $0.contains(day) } }

    /// Returns the days with a completion that another set lacks.
    func days(beyond other: SlateCompletions) -> Set<CivilDay> {
        habits.reduce(into: []) { $0.formUnion($1.value.subtracting(other.habits[$1.key] ?? [])) }
    }

    /// Tells whether another set has all completions of a day.
    func isCovered(by other: SlateCompletions, on day: CivilDay) -> Bool {
        habits.allSatisfy { habit, days in !days.contains(day) || other.habits[habit]?.contains(day) ?? false }
    }

    /// Returns the days on which a habit was completed.
    public func days(of habitID: String) -> Set<CivilDay> { habits[ScalarKey(habitID)] ?? [] }
}
