public import FormatKit
public import StrictJSON

/// Writes files of GymPulse presets.
public enum PresetWriter {
    /// A file's bytes, and what a reader of its version will not see.
    public struct Output: Sendable, Hashable {
        /// The bytes to write.
        public var bytes: [UInt8]
        /// What a person wrote and is not seen; empty for the current version.
        public var losses: [MigrationLoss]
    }

    /// The bytes of a file: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - file: The content.
    ///   - version: The version to write, for older programs.
    ///   - style: `.indented` for files, `.canonical` for RFC 8785, in which integers that a double would round keep their digits.
    /// - Throws: `version.newer`, `version.invalid`, and `presets.empty` where version 1 is wanted and there is no preset.
    public static func encode(
        _ file: PresetFile,
        version: Int = PresetFile.currentVersion,
        style: JSONStyle = .indented
    ) throws(AppFormatError) -> Output {
        let migrated = try PresetMigrations.migrate(file.json, from: PresetFile.currentVersion, to: version)
        return Output(bytes: migrated.value.encoded(style), losses: migrated.losses)
    }
}
