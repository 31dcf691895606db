internal import Dispatch
internal import Synchronization

/// The progress of a long piece of work, in one line of the standard error stream that is written over and over.
///
/// Nothing is shown where that is no terminal, nor in the first second. Whatever else is printed wipes the line.
///
/// ```swift
/// let progress = ProgressLine()
/// progress.show("Writing", done: 120_000, of: 1_000_000)  // Writing 120000 of 1000000 (12 %, 8 s left)
/// progress.end()
/// ```
package final class ProgressLine: Sendable {
    private struct State {
        /// The time at which the first step was shown.
        var begin: ContinuousClock.Instant?
        /// The start of the present step.
        var start: ContinuousClock.Instant?
        /// The time of the last write of the line.
        var last: ContinuousClock.Instant?
        var step: (work: String, done: Int, total: Int?)?
        /// The number of other prints before the step was shown.
        var printed = 0
    }

    private let isTerminal: Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Progress on the standard error stream, if it is a terminal and nobody wants it quiet, or wants details instead.
    package convenience init() {
        let printing = Printing.current
        let isShown = StandardError.isTerminal && !Terminal.isDumb && !printing.isQuiet && !printing.isVerbose
        self.init(isTerminal: isShown, now: { ContinuousClock.now }, write: StandardError.writeLine)
        guard isShown else { return }
        // A step that takes long is shown all the same.
        drawLater()
    }

    /// Draws the line every half a second, as long as there is one.
    private func drawLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { [weak self] in
            self?.draw(isFresh: false)
            self?.drawLater()
        }
    }

    /// Progress on some other terminal, by some other clock.
    init(
        isTerminal: Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
    }

    deinit { end() }

    /// Shows how far the work is, unless that was done less than a tenth of a second ago.
    ///
    /// - Parameters:
    ///   - work: What is being done.
    ///   - done: How much of it is done.
    ///   - total: How much there is, where that is known.
    package func show(_ work: String, done: Int = 0, of total: Int? = nil) {
        guard isTerminal else { return }
        let moment = now()
        state.withLock { state in
            state.begin = state.begin ?? moment
            if state.step?.work != work { state.start = moment }
            state.step = (work, done, total)
            state.printed = StandardError.printed
        }
        draw(isFresh: true)
    }

    /// Works on one thing after the other, and shows how many are done.
    ///
    /// - Parameters:
    ///   - elements: The things.
    ///   - work: What is done with them, such as `Checking`.
    ///   - noun: What several of them are called.
    ///   - body: Works on one.
    /// - Throws: What `body` throws.
    package func forEach<Element>(
        _ elements: [Element],
        _ work: String,
        _ noun: String,
        _ body: (Element) throws -> Void
    ) rethrows {
        defer { end() }
        for (index, element) in elements.enumerated() {
            if elements.count > 1 { show("\(work) \(noun):", done: index, of: elements.count) } else { show(work) }
            try body(element)
        }
    }

    /// Wipes the line, so that what follows begins a new one.
    package func end() {
        state.withLock { state in
            if state.last != nil { write("") }
            state = State()
        }
    }

    private func draw(isFresh: Bool) {
        let moment = now()
        state.withLock { state in
            guard let begin = state.begin, let start = state.start, let step = state.step,
                state.printed == StandardError.printed, moment - begin >= .seconds(1)
            else { return }
            if let last = state.last, moment - last < .milliseconds(isFresh ? 100 : 450) { return }
            state.last = moment
            write(Self.line(step, after: moment - start))
        }
    }

    private static func line(_ step: (work: String, done: Int, total: Int?), after time: Duration) -> String {
        let work = TerminalText.safe(step.work)
        guard let total = step.total, total > 0, step.done <= total else {
            return step.done == 0 ? work : "\(work) \(step.done)"
        }
        var line = "\(work) \(step.done) of \(total) (\(step.done * 100 / total) %"
        if time >= .seconds(2), step.done > 0 {
            let left = Double(time.components.seconds) * Double(total - step.done) / Double(step.done)
            line += ", \(Words.length(Int(left.rounded(.up)))) left"
        }
        return line + ")"
    }
}
