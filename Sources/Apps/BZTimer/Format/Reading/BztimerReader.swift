import FormatKit
import JSONSchemaValidation
import StrictJSON

/// Reads `.bztimer` files of every version.
public enum BztimerReader {
    /// Reads a file: syntax, format and version by content, the schema of that version, identifiers and references,
    /// migration, the current schema.
    ///
    /// Nothing is thrown: what is wrong with the file is in the reading's diagnostics, each with its place in the file
    /// as it is, and ``BztimerReading/file`` is nil then.
    ///
    /// ```swift
    /// let reading = BztimerReader.read(bytes, name: "legs.bztimer")
    /// guard let file = reading.file else { return print(reading.diagnostics) }
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether unknown members are reported.
    public static func read(_ bytes: [UInt8], name: String? = nil, strict: Bool = false) -> BztimerReading {
        var reader = Reader(name: name, strict: strict)
        reader.read(bytes)
        return reader.finished()
    }
}

private struct Reader {
    private var reading = BztimerReading()
    private let strict: Bool
    private var findings: FindingList

    init(name: String?, strict: Bool) {
        self.strict = strict
        reading.name = name
        findings = FindingList(file: name)
    }

    mutating func read(_ bytes: [UInt8]) {
        guard let document = findings.parse(bytes) else { return }
        reading.document = document
        reading.identity = FormatIdentity.detect(document.root)
        guard reading.identity == .bztimer else {
            return findings.add(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try BztimerVersion.detect(document.root)
            reading.version = version
            read(document, version)
        } catch {
            findings.add(error)
        }
    }

    private mutating func read(_ document: JSONDocument, _ version: Int) {
        do throws(AppFormatError) {
            let schema = try BztimerSchemas.schema(version)
            findings.add(
                schema.validate(document, strict: strict, limit: FindingList.limit),
                expected: Self.expectation
            )
            let outline = BztimerOutline(document.root, version: version)
            reading.unknownMembers = outline.unknownMembers()
            // Of a document that breaks its schema only what is surely wrong is said beyond that.
            let checks = BztimerChecks(outline, errorsOnly: findings.hasErrors)
            findings.add(checks.findings, of: checks.count, hasErrors: checks.hasErrors)
            guard !findings.hasErrors else { return }
            let current = BztimerFile.currentVersion
            let migrated = try BztimerMigrations.migrate(document.root.value, from: version, to: current)
            if version != current { try checkMigrated(migrated.value) }
            guard !findings.hasErrors else { return }
            reading.file = try BztimerFile(json: migrated.value)
        } catch {
            findings.add(AppFormatError(error.code, error.message, at: error.pointer.map(reading.origin)))
        }
    }

    /// What was migrated must be valid too; what is not, such as a tampered `x-preserved`, is reported where it came from.
    private mutating func checkMigrated(_ value: JSONValue) throws(AppFormatError) {
        let report = try BztimerSchemas.schema(BztimerFile.currentVersion).validate(try JSONDocument.rebuilt(value))
        findings.add(report, expected: Self.expectation, origin: reading.origin)
    }

    /// The only regular expression of these schemas is the one for names that are not blank.
    private static func expectation(_ finding: ValidationFinding) -> String? { "a name that is not blank" }

    func finished() -> BztimerReading {
        var reading = reading
        reading.diagnostics = findings.sorted
        reading.findingCount = findings.count
        return reading
    }
}
