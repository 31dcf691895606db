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
/// with exit code 74.
public final class StandardOutput: Sendable {
    /// The process's standard output.
    public static let shared = StandardOutput(descriptor: STDOUT_FILENO)

    private static let capacity = 1 << 16
    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])
    private let written = Atomic(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Whether a person looks at it.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether anything was written.
    var isUsed: Bool { written.load(ordering: .relaxed) }

    /// Writes text.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    public func write(_ text: String) throws(CommandFailure) { try write(Array(text.utf8)) }

    /// Writes bytes.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    public func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if !bytes.isEmpty { written.store(true, ordering: .relaxed) }
        let isFull = buffer.withLock { buffer in
            buffer += bytes
            return buffer.count >= Self.capacity
        }
        if isFull { try flush() }
    }

    /// Hands on what is buffered.
    ///
    /// - Throws: 74 where the standard output cannot be written.
    public func flush() throws(CommandFailure) {
        let bytes = buffer.withLock { buffer in
            defer { buffer = [] }
            return buffer
        }
        if let error = Descriptor.writeAll(bytes, to: descriptor) {
            throw CommandFailure(.inputOutput, "cannot write to the standard output: \(error.reason)")
        }
    }
}

/// The standard error stream, for diagnostics and questions.
public enum StandardError {
    /// Whether a person looks at it.
    public static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes text at once; a failure has nowhere to be reported.
    public static func write(_ text: String) { _ = Descriptor.writeAll(Array(text.utf8), to: STDERR_FILENO) }
}

/// The standard input stream.
public enum StandardInput {
    /// Whether a person is there to answer.
    public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}
