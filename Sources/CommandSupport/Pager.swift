#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A program that shows long text page by page.
final class Pager: Sendable {
    /// The descriptor that takes the text.
    let descriptor: Int32
    private let process: ChildProcess

    /// Returns the command of the pager; nil where there is none.
    ///
    /// `SATCHEL_PAGER` wins over `PAGER`; without either it is `less`, where that is installed. An empty text and `cat`
    /// mean no pager.
    static func command(_ environment: [String: String]) -> String? {
        if let given = environment["SATCHEL_PAGER"] ?? environment["PAGER"] {
            return ["", "cat"].contains(given.filter { !$0.isWhitespace }) ? nil : given
        }
        return OtherProgram.find("less", environment) == nil ? nil : "less -FRX"
    }

    /// Starts a pager; nil where that does not work.
    init?(_ command: String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        // Without -R less would show colours as text, without -F it would wait though all fits.
        let less = ProcessInfo.processInfo.environment["LESS"] ?? "FRX"
        let process = try? ChildProcess(
            "/bin/sh",
            ["-c", command],
            descriptors: [ends[0]],
            closing: [ends[1]],
            environment: ["LESS": less]
        )
        close(ends[0])
        guard let process else {
            close(ends[1])
            return nil
        }
        (descriptor, self.process) = (ends[1], process)
        // A pager that is quit early is no error, and Ctrl-C is the pager's.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT, SIG_IGN)
    }

    /// Ends the text, and waits until the person has read it.
    func finish() {
        close(descriptor)
        _ = process.wait()
    }
}
