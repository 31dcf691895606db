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

/// A program that this one starts and waits for.
package struct ChildProcess: Sendable {
    /// The error of a program that cannot be started.
    package struct Failure: Error, CustomStringConvertible {
        /// Gives the path and the system's message.
        package let description: String
    }

    private let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's path, or a name to look for in `PATH`.
    ///   - arguments: Its arguments, without its name.
    ///   - descriptors: The descriptors of this process that become its 0, 1 and 2; none where it shares ours.
    ///   - others: Descriptors of this process that it does not get.
    ///   - changes: Variables that it gets instead of ours; it shares all others.
    /// - Throws: ``Failure`` where the system does not start it.
    package init(
        _ path: String,
        _ arguments: [String],
        descriptors: [Int32] = [],
        closing others: [Int32] = [],
        environment changes: [String: String] = [:]
    ) throws(Failure) {
        let variables = ProcessInfo.processInfo.environment.merging(changes) { $1 }.map { "\($0.key)=\($0.value)" }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        for descriptor in descriptors + others { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var identifier = pid_t()
        let code = posix_spawnp(&identifier, path, &actions, nil, &words, &environment)
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        self.identifier = identifier
    }

    /// Waits for its end; returns its exit code, or the number of the signal that ended it.
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1 { guard errno == EINTR else { return 127 } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
    }
}
