import FormatKit
import JSONSchemaValidation
import StrictJSON

/// Reads Slate exports of every version.
public enum SlateReader {
    /// Reads a file: syntax, format and version by content, the schema of that version, migration, the current schema,
    /// identifiers, references and cycles.
    ///
    /// Nothing is thrown: what is wrong with the file is in the reading's diagnostics, each with its place in the file
    /// as it is, and ``SlateReading/content`` is nil then. A file of the current version is read where it lies; one of
    /// an older version is migrated as a value, which takes some ten times its size in memory.
    ///
    /// ```swift
    /// let reading = SlateReader.read(bytes, name: "Slate-20260107.json")
    /// guard let content = reading.content else { return print(reading.diagnostics) }
    /// print(content.count(.tasks))
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether what the checks find beyond the schema is mended; each mend is a warning.
    public static func read(
        _ bytes: [UInt8],
        name: String? = nil,
        strict: Bool = false,
        repair: Bool = false
    ) -> SlateReading {
        var reader = Reader(name: name, strict: strict, repair: repair)
        reader.read(bytes)
        return reader.finished()
    }
}

private struct Reader {
    private var reading = SlateReading()
    private let strict: Bool
    private let repair: Bool
    private var findings: FindingList

    init(name: String?, strict: Bool, repair: Bool) {
        self.strict = strict
        self.repair = repair
        reading.name = name
        findings = FindingList(file: name)
    }

    mutating func read(_ bytes: [UInt8]) {
        guard let document = findings.parse(bytes) else { return }
        reading.document = document
        reading.identity = FormatIdentity.detect(document.root)
        guard reading.identity == .slate else {
            return findings.add(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try SlateVersion.detect(document.root)
            reading.version = version
            guard version < SlateContent.currentVersion else { return try readCurrent(document) }
            findings.add(try Self.validated(document, version, strict), expected: Self.expectation)
            guard !findings.hasErrors else { return }
            let migrated = try migrated(document, from: version)
            guard !findings.hasErrors else { return }
            add(SlateChecks(migrated, repair: repair, origin: reading.origin))
        } catch {
            findings.add(error)
        }
    }

    /// The document in the current version, read once more.
    private mutating func migrated(_ document: JSONDocument, from version: Int) throws(AppFormatError) -> JSONDocument {
        let value = try SlateMigrations.migrate(document.root.value, from: version, to: SlateContent.currentVersion)
        let migrated = try JSONDocument.rebuilt(value.value)
        let report = try Self.validated(migrated, SlateContent.currentVersion, false)
        findings.add(report, expected: Self.expectation, origin: reading.origin)
        return migrated
    }

    /// Holds a document against the schema and checks it at the same time, as both take as long in large files.
    private mutating func readCurrent(_ document: JSONDocument) throws(AppFormatError) {
        let (strict, repair) = (strict, repair)
        let (report, checks) = both(
            {
                Result { () throws(AppFormatError) in try Self.validated(document, SlateContent.currentVersion, strict)
                }
            },
            { SlateChecks(document, repair: repair, origin: { $0 }) }
        )
        findings.add(try report.get(), expected: Self.expectation)
        // Of a document that breaks its schema only that is said.
        if !findings.hasErrors { add(checks) }
    }

    private static func validated(
        _ document: JSONDocument,
        _ version: Int,
        _ strict: Bool
    ) throws(AppFormatError) -> ValidationReport {
        try SlateSchemas.schema(version).validate(document, strict: strict, limit: FindingList.limit)
    }

    private mutating func add(_ checks: SlateChecks) {
        findings.add(checks.findings, of: checks.count, hasErrors: checks.hasErrors)
        reading.repairCount = checks.repairCount
        if !findings.hasErrors { reading.content = checks.content }
    }

    /// What the regular expressions of these schemas are for: times of day, and the version in `meta`.
    private static func expectation(_ finding: ValidationFinding) -> String? {
        let isVersion = finding.pointer.tokens.last == SlateMember.version
        return isVersion ? "a positive integer" : "a time of day from 00:00 to 23:59 such as \"04:00\""
    }

    func finished() -> SlateReading {
        var reading = reading
        reading.diagnostics = findings.sorted
        reading.findingCount = findings.count
        return reading
    }
}
