import FormatKit
import JSONSchemaValidation
import StrictJSON

/// Reads files of GymPulse presets of every version.
public enum PresetReader {
    /// Reads a file: syntax, format and version by content, the schema of that version, identifiers and names,
    /// migration, the current schema.
    ///
    /// Nothing is thrown: what is wrong with the file is in the reading's diagnostics, each with its place in the file
    /// as it is, and ``PresetReading/file`` is nil then.
    ///
    /// ```swift
    /// let reading = PresetReader.read(bytes, name: "presets.json")
    /// guard let file = reading.file else { return print(reading.diagnostics) }
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether corrupt data are mended as the app does it: a work or rest of 0 seconds is skipped, `sets` and
    ///     `rounds` are clamped, a name is trimmed, a blank one becomes ``Preset/defaultName``, a missing switch is on.
    public static func read(
        _ bytes: [UInt8],
        name: String? = nil,
        strict: Bool = false,
        repair: Bool = false
    ) -> PresetReading {
        var reader = Reader(name: name, strict: strict, repair: repair)
        reader.read(bytes)
        return reader.finished()
    }
}

private struct Reader {
    private var reading = PresetReading()
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
        guard reading.identity == .gympulse else {
            return findings.add(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try PresetVersion.detect(document.root)
            reading.version = version
            reading.unknownMembers = PresetOutline(document.root, version: version).unknownMembers()
            let (content, checked) = try mended(document, version)
            try check(checked, version)
            guard !findings.hasErrors else { return }
            let migrated = try PresetMigrations.migrate(content, from: version, to: PresetFile.currentVersion)
            if version != PresetFile.currentVersion { try checkMigrated(checked.root.value, from: version) }
            guard !findings.hasErrors else { return }
            reading.content = content
            reading.file = try PresetFile(json: migrated.value)
        } catch {
            findings.add(AppFormatError(error.code, error.message, at: error.pointer.map(reading.origin)))
        }
    }

    /// What the file holds, and the document that is checked for it: the same unless there is something to mend.
    private mutating func mended(
        _ document: JSONDocument,
        _ version: Int
    ) throws(AppFormatError) -> (content: JSONValue, checked: JSONDocument) {
        let content = document.root.value
        guard repair else { return (content, document) }
        let mended = PresetRepair(content, version: version)
        guard !mended.mends.isEmpty else { return (content, document) }
        reading.repairCount = mended.mends.count
        let mends = mended.mends.prefix(FindingList.limit).map { mend in
            Diagnostic(.warning, code: mend.code, message: mend.message, pointer: mend.pointer)
        }
        findings.add(mends, of: mended.mends.count, hasErrors: false)
        return (mended.value, try JSONDocument.rebuilt(mended.valueToCheck))
    }

    private mutating func check(_ document: JSONDocument, _ version: Int) throws(AppFormatError) {
        let report = try PresetSchemas.schema(version).validate(document, strict: strict, limit: FindingList.limit)
        findings.add(report, expected: Self.expectation) { $0 }
        let checks = PresetChecks(PresetOutline(document.root, version: version), errorsOnly: findings.hasErrors)
        let faults = checks.faults.prefix(FindingList.limit).map { fault in
            Diagnostic(fault.severity, code: fault.code.description, message: fault.message, pointer: fault.pointer)
        }
        let hasErrors = checks.faults.contains { $0.severity == .error }
        findings.add(faults, of: checks.faults.count, hasErrors: hasErrors)
    }

    /// What was migrated must be valid too; what is not, such as a tampered `x-preserved`, is reported where it came from.
    private mutating func checkMigrated(_ value: JSONValue, from version: Int) throws(AppFormatError) {
        let current = PresetFile.currentVersion
        let migrated = try PresetMigrations.migrate(value, from: version, to: current)
        let report = try PresetSchemas.schema(current).validate(try JSONDocument.rebuilt(migrated.value))
        findings.add(report, expected: Self.expectation, origin: reading.origin)
    }

    /// The only regular expression of these schemas is the one for names that are not blank.
    private static func expectation(_ finding: ValidationFinding) -> String? { "a name that is not blank" }

    func finished() -> PresetReading {
        var reading = reading
        reading.diagnostics = findings.sorted
        reading.findingCount = findings.count
        return reading
    }
}
