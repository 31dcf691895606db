internal import StrictJSON

/// The result of reading a file of time entries.
public struct EntrySummary: Sendable {
    /// The kind of the file, in words: `Toggl CSV`.
    public internal(set) var source: String
    /// The entries, activities and buttons that were handed on.
    public internal(set) var entries = 0
    /// The rows, events or elements that an error kept out; each is among the findings.
    public internal(set) var refused = 0
    /// The records that are no entries: cancelled events, measurements, tasks.
    public internal(set) var passedOver = 0
    /// The times that the clocks showed twice.
    public internal(set) var folds = 0
    /// The times that the clocks skipped.
    public internal(set) var gaps = 0
    /// The order of day and month that the table's dates decided or that was given; nil where none was needed.
    public internal(set) var dateOrder: DateOrder?
    /// The findings, with line and column, but without the file's name.
    public internal(set) var findings = Findings()

    init(source: String) { self.source = source }

    /// Notes what an activity has no place for, with how many records have it.
    mutating func noteNotCarried(_ details: [String: Int], _ severity: Diagnostic.Severity = .warning) {
        guard !details.isEmpty else { return }
        let list = details.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        findings.add(severity, .notCarried, "not imported, of so many records: \(list)", at: nil)
    }

    /// Notes that a text is read as Windows-1252.
    mutating func note(_ encoding: Windows1252?) {
        guard let encoding else { return }
        findings.add(.warning, .windows1252, encoding.message, at: encoding.position)
    }

    /// Counts a row, event or element that cannot be used.
    mutating func refuse(_ error: InterchangeError) {
        refused += 1
        findings.add(error)
    }
}
