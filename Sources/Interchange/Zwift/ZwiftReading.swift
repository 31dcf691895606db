public import BZTimer
public import StrictJSON

/// The result of reading a Zwift workout: a session or the reasons why there is none, and all findings.
public struct ZwiftReading: Sendable {
    /// The most findings that are kept.
    public static let findingLimit = 100
    /// The most blocks that a workout may have; `IntervalsT` makes many of one element.
    public static let blockLimit = 10_000

    /// The session, or nil where an error was found.
    public internal(set) var session: SessionTemplate?
    /// The findings in the order of the file, at most ``findingLimit``; what was left out is a warning.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    public internal(set) var findingCount = 0
}
