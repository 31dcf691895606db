import Dispatch
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
            hasErrors = true
            findings.append(error.diagnostic(file: reading.name))
        }
    }

    private mutating func read(_ document: JSONDocument) {
        if document.hasByteOrderMark {
            let message = "the file begins with a byte order mark, which JSON does not need"
            findings.append(Diagnostic(.note, code: "json.byte-order-mark", message: message, file: reading.name))
        }
        reading.identity = FormatIdentity.detect(document.root)
        guard reading.identity == .slate else {
            return report(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try SlateVersion.detect(document.root)
            reading.version = version
            guard version < SlateContent.currentVersion else { return try readCurrent(document) }
            try add(Self.validated(document, version, strict), document)
            guard !hasErrors else { return }
            let migrated = try migrated(document, from: version)
            guard !hasErrors else { return }
            add(SlateChecks(migrated, repair: repair, origin: reading.origin))
        } catch {
            report(error)
        }
    }

    /// The document in the current version, read once more.
    private mutating func migrated(_ document: JSONDocument, from version: Int) throws(AppFormatError) -> JSONDocument {
        let value = try SlateMigrations.migrate(document.root.value, from: version, to: SlateContent.currentVersion)
        let migrated: JSONDocument
        do throws(JSONError) {
            // The depth limit is one of the input; what is parked is nested less deeply than it was.
            var options = JSONParseOptions()
            options.maximumDepth = .max
            migrated = try JSONDocument(parsing: value.value.encoded(.compact), options: options)
        } catch {
            throw AppFormatError(.schema, "the migrated document cannot be read: \(error.message)", at: error.pointer)
        }
        try add(Self.validated(migrated, SlateContent.currentVersion, false), migrated)
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
        try add(report.get(), document)
        // Of a document that breaks its schema only that is said.
        if !hasErrors { add(checks) }
    }

    private static func validated(
        _ document: JSONDocument,
        _ version: Int,
        _ strict: Bool
    ) throws(AppFormatError) -> ValidationReport {
        try SlateSchemas.schema(version).validate(document, strict: strict, limit: SlateReading.findingLimit)
    }

    private mutating func add(_ checks: SlateChecks) {
        for finding in checks.findings {
            var finding = finding
            finding.file = reading.name
            finding.position = finding.pointer.flatMap(reading.position)
            findings.append(finding)
        }
        dropped += checks.count - checks.findings.count
        reading.repairCount = checks.repairCount
        hasErrors = hasErrors || checks.hasErrors
        if !hasErrors { reading.content = checks.content }
    }

    /// Takes over what a schema says of a document; what a migrated one breaks is reported where it came from.
    private mutating func add(_ report: ValidationReport, _ document: JSONDocument) {
        let isOriginal = document === reading.document
        for finding in report.findings {
            var diagnostic = finding.diagnostic(file: reading.name)
            if let expected = expectation(finding) {
                diagnostic.message = "found \(finding.found), expected \(expected)"
            }
            if !isOriginal {
                diagnostic.pointer = diagnostic.pointer.map(reading.origin)
                diagnostic.position = diagnostic.pointer.flatMap(reading.position)
            }
            findings.append(diagnostic)
        }
        dropped += report.total - report.findings.count
        hasErrors = hasErrors || !report.isValid
    }

    /// What the regular expressions of these schemas are for: times of day, and the version in `meta`.
    private func expectation(_ finding: ValidationFinding) -> String? {
        guard finding.keyword == "pattern" else { return nil }
        let isVersion = finding.pointer.tokens.last == SlateMember.version
        return isVersion ? "a positive integer" : "a time of day from 00:00 to 23:59 such as \"04:00\""
    }

    private mutating func report(_ error: AppFormatError) {
        hasErrors = true
        findings.append(error.diagnostic(file: reading.name, position: error.pointer.flatMap(reading.position)))
    }

    func finished() -> SlateReading {
        var reading = reading
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        reading.diagnostics = sorted.prefix(SlateReading.findingLimit).map(\.element)
        reading.findingCount = findings.count + dropped
        return reading
    }
}

/// Runs two functions at the same time and gives what both gave.
private func both<First, Second>(
    _ first: @Sendable () -> First,
    _ second: @Sendable () -> Second
) -> (First, Second) {
    // Each is written by one of the two and read after both.
    nonisolated(unsafe) var one: First?
    nonisolated(unsafe) var other: Second?
    withoutActuallyEscaping(first) { first in
        withoutActuallyEscaping(second) { second in
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { one = first() } else { other = second() }
            }
        }
    }
    return (one ?? first(), other ?? second())
}
