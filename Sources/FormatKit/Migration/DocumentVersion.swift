public import StrictJSON

/// A version of a format, and what it can say.
public struct DocumentVersion: Sendable {
    private let versions: FormatVersions
    /// The number of the version.
    public let number: Int

    init(_ versions: FormatVersions, _ number: Int) {
        self.versions = versions
        self.number = number
    }

    /// The name of the format.
    public var format: String { versions.format }
    /// Whether it is the current version.
    public var isCurrent: Bool { number == versions.current }

    /// Returns what a version can say of a document of the current version; all of it where that is the current version.
    ///
    /// - Throws: As ``MigrationChain/reduce(_:to:)``.
    public func reduce(_ value: JSONValue, to version: Int) throws(AppFormatError) -> JSONValue {
        version < versions.current ? try versions.chain().reduce(value, to: version) : value
    }
}
