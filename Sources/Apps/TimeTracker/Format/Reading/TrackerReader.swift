import FormatKit
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
        guard reading.identity == .tracker else {
            return findings.add(AppFormatError(.otherFormat, reading.identity.message, at: .root))
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
            findings.add(try report.get(), expected: Self.expectation)
            // Of a document that breaks its schema only that is said.
            guard !findings.hasErrors else { return }
            try add(checks, document, version)
        } catch {
            findings.add(error)
        }
    }

    private static func validated(
        _ document: JSONDocument,
        _ version: Int,
        _ strict: Bool
    ) throws(AppFormatError) -> ValidationReport {
        try TrackerSchemas.schema(version).validate(document, strict: strict, limit: FindingList.limit)
    }

    /// What the regular expressions of these schemas are for: colours, and names that are not blank.
    private static func expectation(_ finding: ValidationFinding) -> String? {
        finding.pointer.tokens.last == "color" ? "a colour such as \"#3366CC\"" : "a name that is not blank"
    }

    private mutating func add(
        _ checks: TrackerChecks,
        _ document: JSONDocument,
        _ version: Int
    ) throws(AppFormatError) {
        let found = checks.findings
        findings.add(found.kept, of: found.count, hasErrors: found.hasErrors)
        reading.repairCount = found.repairCount
        var envelope = JSONObject()
        for member in document.root.members where member.name != "activities" && member.name != "buttons" {
            envelope.append(unique: member.name, member.value.value)
        }
        if version == 1 { envelope = TrackerEnvelope.up(envelope) }
        if let zone = envelope["timeZone"]?.string, TimeZone(identifier: zone) == nil {
            let message = "\"\(zone)\" is no time zone that this system knows; it is kept"
            let pointer = reading.origin(JSONPointer(tokens: ["timeZone"]))
            let warning = Diagnostic(.warning, code: "tracker.time-zone", message: message, pointer: pointer)
            findings.add([warning], of: 1, hasErrors: false)
        }
        guard !findings.hasErrors else { return }
        reading.content = TrackerContent(envelope, buttons: try checks.buttons.values(), activities: checks.rows)
    }

    func finished() -> TrackerReading {
        var reading = reading
        reading.diagnostics = findings.sorted
        reading.findingCount = findings.count
        return reading
    }
}
