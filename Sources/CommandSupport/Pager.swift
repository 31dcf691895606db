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
    private let process: pid_t

    /// Returns the command of the pager; nil where there is none.
    ///
    /// `SATCHEL_PAGER` wins over `PAGER`; without either it is `less`, where that is installed. An empty text and `cat`
    /// mean no pager.
    static func command(_ environment: [String: String]) -> String? {
        if let given = environment["SATCHEL_PAGER"] ?? environment["PAGER"] {
            return ["", "cat"].contains(given.filter { !$0.isWhitespace }) ? nil : given
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less -FRX" : nil
    }

    /// Starts a pager; nil where that does not work.
    init?(_ command: String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        var environment = ProcessInfo.processInfo.environment
        // Without -R less would show colours as text, without -F it would wait though all fits.
        environment["LESS"] = environment["LESS"] ?? "FRX"
        let words: [String] = ["sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
        var process = pid_t()
        let status = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, &variables)
        close(ends[0])
        guard status == 0 else {
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
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
    }
}
