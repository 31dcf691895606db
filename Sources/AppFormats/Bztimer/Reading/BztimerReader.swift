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
    private var findings: [Diagnostic] = []
    /// Findings that were counted and not kept.
    private var dropped = 0
    private var hasErrors = false

    init(name: String?, strict: Bool) {
        self.strict = strict
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
        guard reading.identity == .bztimer else {
            report(AppFormatError(.otherFormat, reading.identity.message, at: .root))
            return
        }
        switch BztimerVersion.detect(document.root) {
        case .success(let version):
            reading.version = version
            read(document, version)
        case .failure(let fault): report(fault.error)
        }
    }

    private mutating func read(_ document: JSONDocument, _ version: Int) {
        do throws(AppFormatError) {
            add(
                try BztimerSchemas.schema(version).validate(
                    document,
                    strict: strict,
                    limit: BztimerReading.findingLimit
                )
            )
            let outline = BztimerOutline(document.root, version: version)
            reading.unknownMembers = outline.unknownMembers()
            // Of a document that breaks its schema only what is surely wrong is said beyond that.
            let checks = BztimerChecks(outline, file: reading.name, errorsOnly: hasErrors)
            findings += checks.findings
            dropped += checks.count - checks.findings.count
            hasErrors = hasErrors || checks.hasErrors
            guard !hasErrors else { return }
            let migrated = try BztimerMigrations.migrate(
                document.root.value,
                from: version,
                to: BztimerFile.currentVersion
            )
            if version != BztimerFile.currentVersion { try checkMigrated(migrated.value) }
            guard !hasErrors else { return }
            reading.file = try BztimerFile(json: migrated.value)
        } catch {
            report(AppFormatError(error.code, error.message, at: error.pointer.map(reading.origin)))
        }
    }

    /// What was migrated must be valid too; what is not, such as a tampered `x-preserved`, is reported where it came from.
    private mutating func checkMigrated(_ value: JSONValue) throws(AppFormatError) {
        let document: JSONDocument
        do throws(JSONError) {
            // The depth limit is one of the input; an envelope and what is parked add levels to it.
            var options = JSONParseOptions()
            options.maximumDepth = .max
            document = try JSONDocument(parsing: value.encoded(.compact), options: options)
        } catch {
            throw AppFormatError(.schema, "the migrated document cannot be read: \(error.message)", at: error.pointer)
        }
        let report = try BztimerSchemas.schema(BztimerFile.currentVersion).validate(document)
        hasErrors = hasErrors || !report.isValid
        dropped += report.total - report.findings.count
        for finding in report.findings {
            var diagnostic = diagnostic(finding)
            diagnostic.pointer = diagnostic.pointer.map(reading.origin)
            diagnostic.position = diagnostic.pointer.flatMap(reading.position)
            findings.append(diagnostic)
        }
    }

    private mutating func add(_ report: ValidationReport) {
        findings += report.findings.map(diagnostic)
        dropped += report.total - report.findings.count
        hasErrors = hasErrors || !report.isValid
    }

    private func diagnostic(_ finding: ValidationFinding) -> Diagnostic {
        var diagnostic = finding.diagnostic(file: reading.name)
        // The only regular expression of these schemas is the one for names that are not blank.
        if finding.keyword == "pattern" {
            diagnostic.message = "found \(finding.found), expected a name that is not blank"
        }
        return diagnostic
    }

    private mutating func report(_ error: AppFormatError) {
        let position = error.pointer.flatMap(reading.position)
        findings.append(error.diagnostic(file: reading.name, position: position))
    }

    func finished() -> BztimerReading {
        var reading = reading
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        reading.diagnostics = sorted.prefix(BztimerReading.findingLimit).map(\.element)
        reading.findingCount = findings.count + dropped
        return reading
    }
}
