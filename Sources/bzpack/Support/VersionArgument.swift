internal import BZTimer
internal import CommandSupport
internal import FormatKit

/// Checks a version that a person asks for, before anything is read or written.
enum VersionArgument {
    /// - Parameters:
    ///   - version: The version.
    ///   - chain: The format's versions; by default those of `.bztimer`.
    /// - Throws: 64 where there is no such version.
    static func check(
        _ version: Int,
        _ chain: () throws(AppFormatError) -> MigrationChain = BztimerFormat.versions.chain
    ) throws(CommandFailure) {
        do throws(AppFormatError) {
            try chain().check(version)
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }
}
