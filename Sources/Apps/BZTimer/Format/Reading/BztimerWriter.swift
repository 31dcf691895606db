public import FormatKit
public import StrictJSON

/// Writes `.bztimer` files.
public enum BztimerWriter {
    /// A file's bytes, and what a reader of its version will not see.
    public struct Output: Sendable, Hashable {
        /// The bytes to write.
        public var bytes: [UInt8]
        /// What a person wrote and is not seen; empty for the current version.
        public var losses: [MigrationLoss]
        /// What is not seen and nobody wrote; empty for the current version.
        public var notes: [MigrationLoss]
    }

    /// The bytes of a file: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - file: The content.
    ///   - version: The version to write, for older programs.
    ///   - style: `.indented` for files, `.canonical` for RFC 8785, in which integers that a double would round keep their digits.
    /// - Throws: `version.newer`, `version.invalid`, and `bztimer.session-count` where the version holds one session only.
    public static func encode(
        _ file: BztimerFile,
        version: Int = BztimerFile.currentVersion,
        style: JSONStyle = .indented
    ) throws(AppFormatError) -> Output {
        let migrated = try BztimerMigrations.migrate(file.json, from: BztimerFile.currentVersion, to: version)
        return Output(bytes: migrated.value.encoded(style), losses: migrated.losses, notes: migrated.notes)
    }
}
