internal import AppFormats
internal import CommandSupport

/// Checks a version that a person asks for, before anything is read or written.
enum VersionArgument {
    /// - Throws: 64 where there is no such version.
    static func check(_ version: Int) throws(CommandFailure) {
        do throws(AppFormatError) {
            try BztimerMigrations.chain().check(version)
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }
}
