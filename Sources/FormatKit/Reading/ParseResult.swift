public import StrictJSON

/// The result of reading a file: the content or the reasons why there is none, and all findings.
public struct ParseResult<Content> {
    /// The most findings that are kept.
    public static var findingLimit: Int { DiagnosticList.limit }

    /// The file as the person named it.
    public package(set) var name: String?
    /// The file's text, where it is JSON.
    public package(set) var document: JSONDocument?
    /// The format and version of the file.
    public package(set) var identity: FormatIdentity = .unknown
    /// The version that the file is, where it is one that this program knows.
    public package(set) var version: Int?
    /// The content in the current version, or nil where an error was found.
    public package(set) var content: Content?
    /// The findings in the order of the file, at most ``findingLimit``; what was repaired is a warning.
    public package(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    public package(set) var findingCount = 0
    /// The number of faults that were repaired.
    public package(set) var repairCount = 0
    /// The container of the document; nil where the file itself is the JSON text.
    package var container: ParseContainer?
    /// The document in its own version, where repairs changed it.
    package var repaired: JSONValue?

    private let versions: FormatVersions

    package init(_ versions: FormatVersions, name: String?) {
        self.versions = versions
        self.name = name
    }

    /// True if the file can be used; warnings and notes do not prevent that.
    public var isValid: Bool { content != nil }

    /// Returns the place in the file itself of what the current version has at a pointer.
    public func origin(_ pointer: JSONPointer) -> JSONPointer {
        guard let version else { return pointer }
        let origin = versions.origin(pointer, in: version)
        return container?.pointer(origin) ?? origin
    }

    /// Returns the place in the text of what the file has at a pointer, or of the nearest thing around it.
    public func position(of pointer: JSONPointer) -> TextPosition? {
        guard let container else { return document?.position(nearest: pointer) }
        return container.position(pointer)
    }

    /// Returns the places of members that the version does not know; they are kept.
    ///
    /// They are looked for when this is called, which for a large file takes a while.
    public func unknownMembers(limit: Int = .max) -> [JSONPointer] {
        guard let document, let version else { return [] }
        let places = versions.unknownMembers(of: document.root, version: version, limit: limit)
        return container.map { places.map($0.pointer) } ?? places
    }

    /// Returns the document in another version.
    ///
    /// - Throws: `version.missing` where the file was not read or only its content was repaired, `version.newer` and `version.invalid` for a version that
    ///   there is none of, and what a step throws.
    public func migrated(to version: Int) throws(AppFormatError) -> Migrated {
        guard let document, let from = self.version, isValid else {
            throw AppFormatError(.versionMissing, "the file could not be read")
        }
        guard repairCount == 0 || repaired != nil else {
            throw AppFormatError(.versionMissing, "the file was repaired: write its content, and migrate that")
        }
        return try versions.migrate(repaired ?? document.root.value, from: from, to: version)
    }

    /// The version of the file, among those of its format.
    public var documentVersion: DocumentVersion? {
        version.map { version in
            let unknown = versions.unknownToWriter(of: document?.root, version: version)
            return DocumentVersion(versions, version, unknownToWriter: unknown)
        }
    }
}

extension ParseResult: Sendable where Content: Sendable {}

/// A container that holds a document where the file itself is not JSON, such as a property list.
package struct ParseContainer: Sendable {
    /// The kind of the container, in words.
    package var form: String
    /// The reference tokens that lead to the text of the document.
    package var prefix: [String]
    /// The number of other keys in it.
    package var otherKeys: Int
    /// The place in the file of what it has at a pointer.
    package var position: @Sendable (JSONPointer) -> TextPosition?

    /// Makes a container.
    package init(
        form: String,
        prefix: [String],
        otherKeys: Int,
        position: @escaping @Sendable (JSONPointer) -> TextPosition?
    ) {
        self.form = form
        self.prefix = prefix
        self.otherKeys = otherKeys
        self.position = position
    }

    func pointer(_ pointer: JSONPointer) -> JSONPointer { JSONPointer(tokens: prefix + pointer.tokens) }
}

extension ParseResult {
    /// Returns the result of reading the text in a container as one of the container: its places are that one's.
    ///
    /// - Parameter findings: What was found in the container itself; it comes first.
    package func placed(
        in container: ParseContainer,
        as identity: FormatIdentity,
        adding findings: [Diagnostic]
    ) -> ParseResult {
        var result = self
        result.container = container
        // Whatever the text is, it is where a document of that format should be.
        result.identity = identity
        let own = diagnostics.map { finding in
            var finding = finding
            finding.pointer = container.pointer(finding.pointer ?? .root)
            finding.position = finding.pointer.flatMap(container.position)
            return finding
        }
        result.diagnostics = Array((findings + own).prefix(Self.findingLimit))
        result.findingCount += findings.count
        return result
    }
}

extension Format {
    /// Returns the result of a container in which no document was found.
    package static func failing(_ fault: Diagnostic, name: String?) -> ParseResult<Content> {
        var result = ParseResult<Content>(versions, name: name)
        result.identity = identity
        result.diagnostics = [fault]
        result.findingCount = 1
        return result
    }
}
