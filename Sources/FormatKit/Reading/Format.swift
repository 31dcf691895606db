public import JSONSchemaValidation
public import StrictJSON

/// A file format of an app: its versions, and how a document of it is read.
///
/// A conforming type has no instances; ``read(_:name:strict:repair:)`` does what all formats have in common.
public protocol Format {
    /// The content of a document of the current version.
    associatedtype Content
    /// The format as a document's content tells it.
    static var identity: FormatIdentity { get }
    /// The versions, with a schema for each and the steps between them.
    static var versions: FormatVersions { get }
    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place to point at.
    static func version(of root: JSONNode) throws(AppFormatError) -> Int
    /// Returns what a regular expression of the schemas is for, in words; nil where the pattern itself says it.
    static func expectation(_ finding: ValidationFinding) -> String?
    /// Reads a document whose version is known: the schema, the checks beyond it, the content.
    ///
    /// - Throws: ``AppFormatError`` where a schema, a migration or the content fails; other problems are diagnostics.
    static func parse(_ document: JSONDocument, _ parser: inout FormatParser<Content>) throws(AppFormatError)
}

extension Format {
    /// The current version of the format.
    public static var currentVersion: Int { versions.current }

    /// Returns nil: each pattern says what it is for.
    public static func expectation(_ finding: ValidationFinding) -> String? { nil }

    /// Reads a file: syntax, format and version by content, the schema of that version, identifiers and references,
    /// migration, the current schema.
    ///
    /// Nothing is thrown: what is wrong with the file is in the result's diagnostics, each with its place in the file as
    /// it is, and ``ParseResult/content`` is nil then.
    ///
    /// ```swift
    /// let result = BztimerFormat.read(bytes, name: "legs.bztimer")
    /// guard let file = result.content else { return print(result.diagnostics) }
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether faults are repaired, where the format has repairs; each repair is a warning.
    public static func read(
        _ bytes: [UInt8],
        name: String? = nil,
        strict: Bool = false,
        repair: Bool = false
    ) -> ParseResult<Content> {
        var parser = FormatParser<Content>(versions, name: name, strict: strict, repair: repair, expectation)
        guard let document = parser.open(bytes, as: identity) else { return parser.finished() }
        do throws(AppFormatError) {
            parser.result.version = try version(of: document.root)
            try parse(document, &parser)
        } catch {
            parser.add(error)
        }
        return parser.finished()
    }

    /// Returns a document in another version, its known members in schema order.
    ///
    /// This is for documents that are small: it takes some ten times their size in memory.
    ///
    /// ```swift
    /// let old = try SlateFormat.migrate(document, from: 2, to: 1)
    /// for loss in old.losses { print(loss) }
    /// ```
    ///
    /// - Parameters:
    ///   - document: A valid document of version `from`.
    ///   - from: The version that it is.
    ///   - to: The version that is wanted.
    /// - Throws: `version.newer` or `version.invalid` for an unknown version, and what a step throws.
    public static func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        try versions.migrate(document, from: from, to: to)
    }
}

/// Content that is one JSON value in the current version.
public protocol DocumentContent {
    /// The format.
    associatedtype DocumentFormat: Format where DocumentFormat.Content == Self
    /// The document of the current version, members in schema order and unknown ones after them at every level.
    var json: JSONValue { get }
}

/// A file's bytes, and what a reader of its version will not see.
public struct EncodedDocument: Sendable, Hashable {
    /// The bytes to write.
    public var bytes: [UInt8]
    /// The values that a person wrote and the version cannot hold; empty for the current version.
    public var losses: [MigrationLoss]
    /// The values that nobody wrote and the version cannot hold; empty for the current version.
    public var notes: [MigrationLoss]
}

extension DocumentContent {
    /// Returns the bytes of a file: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - version: The version to write, for older programs.
    ///   - style: `.indented` for files, `.canonical` for RFC 8785, in which integers that a double would round keep their digits.
    /// - Throws: `version.newer`, `version.invalid`, and what a step throws where the version cannot hold the content.
    public func encoded(
        version: Int = DocumentFormat.currentVersion,
        style: JSONStyle = .indented
    ) throws(AppFormatError) -> EncodedDocument {
        let migrated = try DocumentFormat.migrate(json, from: DocumentFormat.currentVersion, to: version)
        return EncodedDocument(bytes: migrated.value.encoded(style), losses: migrated.losses, notes: migrated.notes)
    }
}
