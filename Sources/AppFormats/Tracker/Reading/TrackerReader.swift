import Foundation
import JSONSchemaValidation
import StrictJSON

/// Reads Time Tracker exports of every version.
public enum TrackerReader {
    /// Reads a file: syntax, format and version by content, the schema of that version, identifiers, references and times.
    ///
    /// Nothing is thrown: what is wrong with the file is in the reading's diagnostics, each with its place in the file
    /// as it is, and ``TrackerReading/content`` is nil then. Files of every version are read where they lie: a file of a
    /// million activities takes less than three times its size.
    ///
    /// ```swift
    /// let reading = TrackerReader.read(bytes, name: "tracker.json")
    /// guard let content = reading.content else { return print(reading.diagnostics) }
    /// content.forEachActivity { print($0.name, $0.start) }
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
    ) -> TrackerReading {
        var reader = Reader(name: name, strict: strict, repair: repair)
        reader.read(bytes)
        return reader.finished()
    }
}

private struct Reader {
    private var reading = TrackerReading()
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
        guard reading.identity == .tracker else {
            return report(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try TrackerVersion.detect(document.root)
            reading.version = version
            let (strict, repair) = (strict, repair)
            // Both take as long in large files.
            let (report, checks) = both(
                { Result { () throws(AppFormatError) in try Self.validated(document, version, strict) } },
                { TrackerChecks(document, version: version, repair: repair) }
            )
            try add(report.get())
            // Of a document that breaks its schema only that is said.
            guard !hasErrors else { return }
            try add(checks, document, version)
        } catch {
            report(error)
        }
    }

    private static func validated(
        _ document: JSONDocument,
        _ version: Int,
        _ strict: Bool
    ) throws(AppFormatError) -> ValidationReport {
        try TrackerSchemas.schema(version).validate(document, strict: strict, limit: TrackerReading.findingLimit)
    }

    private mutating func add(
        _ checks: TrackerChecks,
        _ document: JSONDocument,
        _ version: Int
    ) throws(AppFormatError) {
        let found = checks.findings
        for finding in found.kept { add(finding) }
        dropped += found.count - found.kept.count
        reading.repairCount = found.repairCount
        hasErrors = found.hasErrors
        var envelope = JSONObject()
        for member in document.root.members where member.name != "activities" && member.name != "buttons" {
            envelope.append(unique: member.name, member.value.value)
        }
        if version == 1 { envelope = TrackerEnvelope.up(envelope) }
        if let zone = envelope["timeZone"]?.string, TimeZone(identifier: zone) == nil {
            let message = "\"\(zone)\" is no time zone that this system knows; it is kept"
            let pointer = reading.origin(JSONPointer(tokens: ["timeZone"]))
            add(Diagnostic(.warning, code: "tracker.time-zone", message: message, pointer: pointer))
        }
        guard !hasErrors else { return }
        reading.content = TrackerContent(envelope, buttons: try checks.buttons.values(), activities: checks.rows)
    }

    private mutating func add(_ finding: Diagnostic) {
        var finding = finding
        finding.file = reading.name
        finding.position = finding.pointer.flatMap(reading.position)
        findings.append(finding)
    }

    private mutating func add(_ report: ValidationReport) {
        for finding in report.findings {
            var diagnostic = finding.diagnostic(file: reading.name)
            if finding.keyword == "pattern" {
                let isColor = finding.pointer.tokens.last == "color"
                let expected = isColor ? "a colour such as \"#3366CC\"" : "a name that is not blank"
                diagnostic.message = "found \(finding.found), expected \(expected)"
            }
            findings.append(diagnostic)
        }
        dropped += report.total - report.findings.count
        hasErrors = hasErrors || !report.isValid
    }

    private mutating func report(_ error: AppFormatError) {
        hasErrors = true
        findings.append(error.diagnostic(file: reading.name, position: error.pointer.flatMap(reading.position)))
    }

    func finished() -> TrackerReading {
        var reading = reading
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        reading.diagnostics = sorted.prefix(TrackerReading.findingLimit).map(\.element)
        reading.findingCount = findings.count + dropped
        return reading
    }
}
