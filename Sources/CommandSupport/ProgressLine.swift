/// How far a long piece of work is, in one line of the standard error stream that is written over and over.
///
/// Nothing is shown where that is no terminal, nor in the first second.
///
/// ```swift
/// let progress = ProgressLine()
/// progress.show("Writing", done: 120_000, of: 1_000_000)  // Writing 120000 of 1000000
/// progress.end()
/// ```
public final class ProgressLine {
    private let isTerminal: Bool
    private let now: () -> ContinuousClock.Instant
    private let write: (String) -> Void
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant?

    /// Progress on the standard error stream, if it is a terminal.
    public convenience init() {
        self.init(isTerminal: StandardError.isTerminal, now: { ContinuousClock.now }, write: StandardError.write)
    }

    /// Progress on some other terminal, by some other clock.
    init(
        isTerminal: Bool,
        now: @escaping () -> ContinuousClock.Instant,
        write: @escaping (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
        start = now()
    }

    /// Shows how far the work is, unless that was done less than a tenth of a second ago.
    ///
    /// - Parameters:
    ///   - work: What is being done.
    ///   - done: How much of it is done.
    ///   - total: How much there is, where that is known.
    public func show(_ work: String, done: Int, of total: Int? = nil) {
        guard isTerminal else { return }
        let moment = now()
        guard moment - start >= .seconds(1), last.map({ moment - $0 >= .milliseconds(100) }) ?? true else { return }
        last = moment
        let total = total.map { " of \($0)" } ?? ""
        write("\r\u{1B}[K\(TerminalText.safe(work)) \(done)\(total)")
    }

    /// Wipes the line, so that what follows begins a new one.
    public func end() {
        guard last != nil else { return }
        last = nil
        write("\r\u{1B}[K")
    }
}
