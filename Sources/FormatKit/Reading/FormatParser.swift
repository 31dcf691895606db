import JSONSchemaValidation
package import StrictJSON

/// Reads a document for a format: collects what is found and takes the content.
public struct FormatParser<Content> {
    /// The result so far.
    package var result: ParseResult<Content>
    /// True if faults are repaired.
    package let repair: Bool
    private let strict: Bool
    private let versions: FormatVersions
    private var findings: DiagnosticList
    private let expectation: (ValidationFinding) -> String?

    init(
        _ versions: FormatVersions,
        name: String?,
        strict: Bool,
        repair: Bool,
        _ expectation: @escaping (ValidationFinding) -> String?
    ) {
        self.versions = versions
        self.strict = strict
        self.repair = repair
        self.expectation = expectation
        result = ParseResult(versions, name: name)
        findings = DiagnosticList(file: name)
    }

    /// The version of the document.
    package var version: Int { result.version ?? versions.current }
    /// True if an error is among the diagnostics.
    package var hasErrors: Bool { findings.hasErrors }

    /// Parses a file and tells its format by its content; nil where it is another one.
    mutating func open(_ bytes: [UInt8], as identity: FormatIdentity) -> JSONDocument? {
        guard let document = findings.parse(bytes) else { return nil }
        result.document = document
        result.identity = FormatIdentity.detect(document.root)
        guard result.identity == identity else {
            let message = result.identity.message(of: document.root, expected: identity)
            findings.add(AppFormatError(.otherFormat, message, at: .root))
            return nil
        }
        return document
    }

    func finished() -> ParseResult<Content> {
        var result = result
        result.diagnostics = findings.sorted
        result.findingCount = findings.count
        return result
    }

    // MARK: Findings

    /// Adds why something of the file cannot be used.
    mutating func add(_ error: AppFormatError) { findings.add(error) }

    /// Adds the findings of checks.
    package mutating func add(_ checks: CheckFindings) {
        findings.add(checks.kept, of: checks.count, hasErrors: checks.hasErrors)
        result.repairCount += checks.repairCount
    }

    // MARK: Steps

    /// Validates the document by the schema of its version.
    ///
    /// - Parameter repaired: What is validated in place of the file's own document.
    package mutating func validate(_ document: JSONDocument, repaired: Bool = false) throws(AppFormatError) {
        let report = try versions.schema(version).validate(document, strict: strict, limit: DiagnosticList.limit)
        findings.add(report, expected: expectation, origin: repaired ? { $0 } : nil)
    }

    /// Validates the document and checks it at the same time, as both take as long in large files.
    ///
    /// - Returns: The checks; nil for a document that breaks its schema, which is then the only report.
    package mutating func validate<Checks>(
        _ document: JSONDocument,
        while check: @Sendable () -> Checks
    ) throws(AppFormatError) -> Checks? {
        let (versions, version, strict) = (versions, version, strict)
        let (report, checks) = concurrently(
            {
                Result { () throws(AppFormatError) in
                    try versions.schema(version).validate(document, strict: strict, limit: DiagnosticList.limit)
                }
            },
            check
        )
        findings.add(try report.get(), expected: expectation)
        return hasErrors ? nil : checks
    }

    /// Returns a valid document in the current version, validated by its schema; nil where an error was found.
    ///
    /// What is wrong with a migrated document, such as a tampered `x-preserved`, is reported where it came from.
    package mutating func upgraded(_ document: JSONDocument) throws(AppFormatError) -> JSONDocument? {
        guard !hasErrors, version != versions.current else { return hasErrors ? nil : document }
        let value = try versions.migrate(document.root.value, from: version, to: versions.current).value
        let migrated = try JSONDocument.rebuilt(value)
        let report = try versions.schema(versions.current).validate(migrated)
        findings.add(report, expected: expectation, origin: result.origin)
        return hasErrors ? nil : migrated
    }

    /// Takes the content out of a valid document, which is migrated first.
    ///
    /// - Parameters:
    ///   - document: The document that was checked; where repairs changed it, the content is that of the repaired value.
    ///   - make: Makes content of a value of the current version; its errors are reported where they came from.
    package mutating func takeContent(
        of document: JSONDocument,
        _ make: (JSONValue) throws(AppFormatError) -> Content
    ) throws(AppFormatError) {
        guard let upgraded = try upgraded(document) else { return }
        // What the app skips and no schema allows is in the repaired value alone.
        let (value, from) = result.repaired.map { ($0, version) } ?? (upgraded.root.value, versions.current)
        do throws(AppFormatError) {
            result.content = try make(try versions.migrate(value, from: from, to: versions.current).value)
        } catch {
            add(AppFormatError(error.code, error.message, at: error.pointer.map(result.origin)))
        }
    }
}
