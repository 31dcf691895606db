internal import FileSystem
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The standard output stream, buffered; a write that fails is an error, not a silent loss.
///
/// A reader that goes away ends the program through `SIGPIPE` as usual; where that signal is ignored, writing fails
/// with exit code 74. A long listing goes to a pager; where that is quit early, the rest is dropped.
package final class StandardOutput: Sendable {
    /// The process's standard output.
    package static let shared = StandardOutput(descriptor: STDOUT_FILENO)

    /// The destination of the text.
    private enum Way {
        case direct
        /// A pager, which shows the text once there is more than fits the terminal.
        case waiting(pager: String)
        case paging(Pager)
        /// The pager was quit.
        case closed
    }

    private static let capacity = 1 << 16
    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])
    private let written = Atomic(false)
    private let way = Mutex(Way.direct)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// True if the stream is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// True if anything was written.
    var isUsed: Bool { written.load(ordering: .relaxed) }

    /// Lets a pager show what is written, where it is more than the terminal shows.
    func usePager(_ command: String) { way.withLock { $0 = .waiting(pager: command) } }

    /// Writes a report on what was done, which `--quiet` leaves out.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func report(_ text: String) throws(CommandFailure) {
        let printing = Printing.current
        guard !printing.leavesOutReports else { return }
        let named = ProgramNames.asCalled(text)
        let text = Terminal.columns.map { TerminalText.broken(named, to: $0) } ?? named
        try write(printing.isListing ? text : Painter.output.paintReport(text))
    }

    /// Writes text.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

    /// Writes bytes.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if !bytes.isEmpty { written.store(true, ordering: .relaxed) }
        let isFull = buffer.withLock { buffer in
            buffer += bytes
            return buffer.count >= Self.capacity
        }
        if isFull { try send() }
    }

    /// Hands on what is buffered, unless it waits for a pager.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    package func flush() throws(CommandFailure) {
        let isWaiting = way.withLock { if case .waiting = $0 { true } else { false } }
        if !isWaiting { try send() }
    }

    /// Hands on all that is left, and waits until the pager is quit, if there is one.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    func finish() throws(CommandFailure) {
        let fits = buffer.withLock { $0.count { $0 == UInt8(ascii: "\n") } } < Terminal.rows
        if fits { way.withLock { if case .waiting = $0 { $0 = .direct } } }
        try send()
        let pager: Pager? = way.withLock { way in
            guard case .paging(let pager) = way else { return nil }
            way = .closed
            return pager
        }
        pager?.finish()
    }

    /// Hands on what is buffered.
    private func send() throws(CommandFailure) {
        let bytes = buffer.withLock { buffer in
            defer { buffer = [] }
            return buffer
        }
        guard !bytes.isEmpty else { return }
        StandardError.wipeLine()
        let target: Int32? = way.withLock { way in
            if case .waiting(let command) = way { way = Pager(command).map(Way.paging) ?? .direct }
            switch way {
            case .paging(let pager): return pager.descriptor
            case .closed: return nil
            case .direct, .waiting: return descriptor
            }
        }
        guard let target, let error = Descriptor.writeAll(bytes, to: target) else { return }
        guard target == descriptor else {
            let pager: Pager? = way.withLock { way in
                guard case .paging(let pager) = way else { return nil }
                way = .closed
                return pager
            }
            return pager?.finish() ?? ()
        }
        throw CommandFailure(.inputOutput, "cannot write to the standard output: \(error.reason)")
    }
}

/// The standard error stream, for diagnostics and questions.
package enum StandardError {
    /// The number of prints, and whether a line of progress is shown.
    private static let state = Mutex((printed: 0, hasLine: false))

    /// True if the stream is a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes text at once; a failure has nowhere to be reported.
    package static func write(_ text: String) {
        guard !text.isEmpty else { return }
        wipeLine()
        let named = ProgramNames.asCalled(text)
        let broken = Terminal.errorColumns.map { TerminalText.broken(named, to: $0) } ?? named
        _ = Descriptor.writeAll(Array(broken.utf8), to: STDERR_FILENO)
    }

    /// Writes what a person need not know, which `--quiet` leaves out.
    package static func note(_ text: String) { if !Printing.current.isQuiet { write(text) } }

    /// Tells with `--verbose` what is being done, and why.
    package static func detail(_ text: @autoclosure () -> String) {
        guard Printing.current.isVerbose else { return }
        let line = TerminalText.safe(text()) + "\n"
        if told.withLock({ $0.insert(line).inserted }) { write(line) }
    }

    /// The details that were told, each of which is told once.
    private static let told = Mutex<Set<String>>([])

    /// The number of prints.
    static var printed: Int { state.withLock { $0.printed } }

    /// Writes a line in place of the one that is shown; an empty one wipes it.
    @Sendable static func writeLine(_ text: String) {
        state.withLock { state in
            guard state.hasLine || !text.isEmpty else { return }
            state.hasLine = !text.isEmpty
            let line = TerminalText.cut(text, to: (Terminal.columns ?? 80) - 1)
            _ = Descriptor.writeAll(Array("\r\u{1B}[K\(line)".utf8), to: STDERR_FILENO)
        }
    }

    /// Wipes the line of progress, before something else is printed.
    static func wipeLine() {
        writeLine("")
        state.withLock { $0.printed += 1 }
    }
}

/// The standard input stream.
package enum StandardInput {
    /// True if the stream is a terminal, so that a person can answer.
    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}
