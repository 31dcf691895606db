public import StrictJSON

/// The findings of reading a file: the first of each severity, and how many there were.
public struct Findings: Sendable {
    /// The most findings of one severity that are kept.
    public static let limit = 100

    private var kept: [Diagnostic.Severity: [Diagnostic]] = [:]
    private var counts: [Diagnostic.Severity: Int] = [:]

    init() {}

    mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: InterchangeError.Code,
        _ message: String,
        at position: TextPosition?
    ) {
        add(Diagnostic(severity, code: code.description, message: message, position: position))
    }

    mutating func add(_ finding: Diagnostic) {
        counts[finding.severity, default: 0] += 1
        guard kept[finding.severity, default: []].count < Self.limit else { return }
        kept[finding.severity, default: []].append(finding)
    }

    mutating func add(_ error: InterchangeError) { add(.error, error.code, error.message, at: error.position) }

    /// The findings that were kept, errors first, each severity in the order of the file.
    public var diagnostics: [Diagnostic] { Diagnostic.Severity.allCases.flatMap { kept[$0] ?? [] } }

    /// The number of findings, those that were not kept included.
    public var total: Int { counts.values.reduce(0, +) }

    /// Returns the number of findings of a severity.
    public func count(_ severity: Diagnostic.Severity) -> Int { counts[severity] ?? 0 }
}
