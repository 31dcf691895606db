public import StrictJSON

/// Identifies a version of a format, and reduces documents to it.
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
    /// True if this program writes the version.
    public var isCurrent: Bool { number == versions.current }

    /// Returns a document of the current version without the parts that a version lacks.
    ///
    /// - Throws: As ``MigrationChain/reduce(_:to:)``.
    public func reduce(_ value: JSONValue, to version: Int) throws(AppFormatError) -> JSONValue {
        version < versions.current ? try versions.chain().reduce(value, to: version) : value
    }
}
