public import FormatKit
public import StrictJSON

/// What came of reading a file of GymPulse presets: the content or the reasons why there is none, and all findings.
public struct PresetReading: Sendable {
    /// The most findings that are kept.
    public static let findingLimit = FindingList.limit

    /// The file as the person named it.
    public internal(set) var name: String?
    /// The file's text, where it is JSON.
    public internal(set) var document: JSONDocument?
    /// What the file is.
    public internal(set) var identity: FormatIdentity = .unknown
    /// The version that the file is, where it is one that this program knows.
    public internal(set) var version: Int?
    /// The content in the current version, or nil where an error was found.
    public internal(set) var file: PresetFile?
    /// The findings in the order of the file, at most ``findingLimit``; what was repaired is a warning.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    public internal(set) var findingCount = 0
    /// How many faults were repaired.
    public internal(set) var repairCount = 0
    /// The places of members that the version does not know; they are kept.
    public internal(set) var unknownMembers: [JSONPointer] = []
    /// What the presets lie in, where the file is not itself their JSON.
    package internal(set) var container: PresetContainer?
    /// What the file holds in its own version, repaired where that was asked for.
    var content: JSONValue?

    /// Whether the file can be used; warnings and notes do not prevent that.
    public var isValid: Bool { file != nil }

    /// Where the file itself has what the current version has at a place.
    public func origin(_ pointer: JSONPointer) -> JSONPointer {
        guard let version, let chain = try? PresetMigrations.chain() else { return pointer }
        let origin = chain.pointer(pointer, ofCurrentIn: version)
        return container?.pointer(origin) ?? origin
    }

    /// The place in the text of what the file has at a pointer, or of the nearest thing around it.
    public func position(of pointer: JSONPointer) -> TextPosition? {
        guard let container else { return document?.position(nearest: pointer) }
        return container.position(pointer)
    }

    /// The file in another version: for `bzpack migrate`.
    ///
    /// - Throws: what ``PresetMigrations/migrate(_:from:to:)`` throws; `version.missing` where the file was not read.
    public func migrated(to version: Int) throws(AppFormatError) -> Migrated {
        guard let content, let from = self.version, isValid else {
            throw AppFormatError(.versionMissing, "the file could not be read")
        }
        return try PresetMigrations.migrate(content, from: from, to: version)
    }
}
