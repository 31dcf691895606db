public import StrictJSON

/// Identifies a version of a format, and reduces documents to it.
public struct DocumentVersion: Sendable {
    private let versions: FormatVersions
    /// The number of the version.
    public let number: Int

    /// The names of members that the writer of the document did not know, as no part of the document has them.
    public let unknownToWriter: Set<String>

    init(_ versions: FormatVersions, _ number: Int, unknownToWriter: Set<String>) {
        self.versions = versions
        self.number = number
        self.unknownToWriter = unknownToWriter
    }

    /// The name of the format.
    public var format: String { versions.format }
    /// True if this program writes the version.
    public var isCurrent: Bool { number == versions.current }

    /// Returns a document of the current version without the parts that a version lacks.
    ///
    /// For the document's own version, the members that its writer did not know are left out as well.
    ///
    /// - Throws: As ``MigrationChain/reduce(_:to:without:)``.
    public func reduce(_ value: JSONValue, to version: Int) throws(AppFormatError) -> JSONValue {
        guard version < versions.current else { return value }
        return try versions.chain().reduce(value, to: version, without: version == number ? unknownToWriter : [])
    }
}
