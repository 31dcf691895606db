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
    private var findings: [Diagnostic] = []
    /// Findings that were counted and not kept.
    private var dropped = 0
    private var hasErrors = false

    init(name: String?, strict: Bool, repair: Bool) {
        self.strict = strict
        self.repair = repair
        reading.name = name
    }

    mutating func read(_ bytes: [UInt8]) {
        if let message = BinaryFile.message(for: bytes) {
            return report(AppFormatError(.notJSON, message))
        }
        do throws(JSONError) {
            let document = try JSONDocument(parsing: bytes)
            reading.document = document
            read(document)
        } catch {
            findings.append(error.diagnostic(file: reading.name))
        }
    }

    private mutating func read(_ document: JSONDocument) {
        if document.hasByteOrderMark {
            let message = "the file begins with a byte order mark, which JSON does not need"
            findings.append(Diagnostic(.note, code: "json.byte-order-mark", message: message, file: reading.name))
        }
        reading.identity = FormatIdentity.detect(document.root)
        guard reading.identity == .gympulse else {
            return report(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try PresetVersion.detect(document.root)
            reading.version = version
            reading.unknownMembers = PresetOutline(document.root, version: version).unknownMembers()
            let (content, checked) = try mended(document, version)
            try check(checked, version)
            guard !hasErrors else { return }
            let migrated = try PresetMigrations.migrate(content, from: version, to: PresetFile.currentVersion)
            if version != PresetFile.currentVersion {
                try checkMigrated(checked.root.value, from: version)
            }
            guard !hasErrors else { return }
            reading.content = content
            reading.file = try PresetFile(json: migrated.value)
        } catch {
            report(AppFormatError(error.code, error.message, at: error.pointer.map(reading.origin)))
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
        dropped += max(0, mended.mends.count - PresetReading.findingLimit)
        for mend in mended.mends.prefix(PresetReading.findingLimit) {
            add(.warning, mend.code, mend.message, mend.pointer)
        }
        return (mended.value, try parsed(mended.valueToCheck))
    }

    private mutating func check(_ document: JSONDocument, _ version: Int) throws(AppFormatError) {
        let limit = PresetReading.findingLimit
        let report = try PresetSchemas.schema(version).validate(document, strict: strict, limit: limit)
        add(report) { $0 }
        let checks = PresetChecks(PresetOutline(document.root, version: version), errorsOnly: hasErrors)
        hasErrors = hasErrors || checks.faults.contains { $0.severity == .error }
        // Finding a place takes time, so that only the first ones are kept.
        dropped += max(0, checks.faults.count - limit)
        for fault in checks.faults.prefix(limit) {
            add(fault.severity, fault.code.description, fault.message, fault.pointer)
        }
    }

    /// What was migrated must be valid too; what is not, such as a tampered `x-preserved`, is reported where it came from.
    private mutating func checkMigrated(_ value: JSONValue, from version: Int) throws(AppFormatError) {
        let current = PresetFile.currentVersion
        let migrated = try PresetMigrations.migrate(value, from: version, to: current)
        let document = try parsed(migrated.value)
        add(try PresetSchemas.schema(current).validate(document), reading.origin)
    }

    /// A document of a value that the program made; its depth is that of the file, and that of an envelope.
    private func parsed(_ value: JSONValue) throws(AppFormatError) -> JSONDocument {
        do throws(JSONError) {
            var options = JSONParseOptions()
            options.maximumDepth = .max
            return try JSONDocument(parsing: value.encoded(.compact), options: options)
        } catch {
            throw AppFormatError(.schema, "the document cannot be read again: \(error.message)", at: error.pointer)
        }
    }

    private mutating func add(_ report: ValidationReport, _ origin: (JSONPointer) -> JSONPointer) {
        dropped += report.total - report.findings.count
        hasErrors = hasErrors || !report.isValid
        for finding in report.findings {
            // The only regular expression of these schemas is the one for names that are not blank.
            let message =
                finding.keyword == "pattern"
                ? "found \(finding.found), expected a name that is not blank" : finding.message
            add(finding.severity, finding.code, message, origin(finding.pointer))
        }
    }

    private mutating func add(
        _ severity: Diagnostic.Severity,
        _ code: String,
        _ message: String,
        _ pointer: JSONPointer
    ) {
        findings.append(
            Diagnostic(
                severity,
                code: code,
                message: message,
                file: reading.name,
                position: reading.position(of: pointer),
                pointer: pointer
            )
        )
    }

    private mutating func report(_ error: AppFormatError) {
        let position = error.pointer.flatMap(reading.position)
        findings.append(error.diagnostic(file: reading.name, position: position))
    }

    func finished() -> PresetReading {
        var reading = reading
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        reading.diagnostics = sorted.prefix(PresetReading.findingLimit).map(\.element)
        reading.findingCount = findings.count + dropped
        return reading
    }
}
