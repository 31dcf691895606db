import FormatKit
import JSONSchemaValidation
import StrictJSON

/// Reads logs of Study Timer of every version.
public enum StudyReader {
    /// Reads a file: syntax, format and version by content, the schema of that version, identifiers, references and sums.
    ///
    /// Nothing is thrown: what is wrong with the file is in the reading's diagnostics, each with its place in the file
    /// as it is, and ``StudyReading/log`` is nil then.
    ///
    /// ```swift
    /// let reading = StudyReader.read(bytes, name: "sessions.json")
    /// guard let log = reading.log else { return print(reading.diagnostics) }
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - strict: Whether unknown members are reported.
    ///   - repair: Whether identifiers that are there twice are told apart, starts and ends exchanged where they are the
    ///     wrong way round, and `accumulated_seconds` computed from the events; each repair is a warning.
    public static func read(
        _ bytes: [UInt8],
        name: String? = nil,
        strict: Bool = false,
        repair: Bool = false
    ) -> StudyReading {
        var reader = Reader(name: name, strict: strict, repair: repair)
        reader.read(bytes)
        return reader.finished()
    }

    /// Checks a log that came from elsewhere, as from a table, and mends it where that is asked for.
    ///
    /// - Returns: A reading whose document is the log as version 2 has it.
    public static func check(_ log: StudyLog, repair: Bool = false) -> StudyReading {
        read(log.json.encoded(.indented), repair: repair)
    }
}

private struct Reader {
    private var reading = StudyReading()
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
        guard reading.identity == .study else {
            return findings.add(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try StudyVersion.detect(document.root)
            reading.version = version
            let outline = StudyOutline(document.root, version: version)
            reading.unknownMembers = outline.unknownMembers
            let schema = try StudySchemas.schema(version)
            findings.add(schema.validate(document, strict: strict, limit: FindingList.limit))
            guard !findings.hasErrors else { return }
            try check(outline)
        } catch {
            findings.add(error)
        }
    }

    private mutating func check(_ outline: StudyOutline) throws(AppFormatError) {
        let checks = try StudyChecks(outline, repair: repair)
        let found = checks.findings.prefix(FindingList.limit).map { finding in
            Diagnostic(finding.severity, code: finding.code, message: finding.message, pointer: finding.pointer)
        }
        findings.add(found, of: checks.findings.count, hasErrors: checks.hasErrors)
        reading.repairCount = checks.repairCount
        guard !checks.hasErrors else { return }
        var envelope = outline.envelope
        let exportedAt = envelope["exportedAt"]?.string
        for name in ["format", "version", "exportedAt"] { envelope[name] = nil }
        reading.log = StudyLog(
            exportedAt: exportedAt,
            sessions: checks.sessions,
            events: checks.events,
            unknownMembers: envelope
        )
    }

    func finished() -> StudyReading {
        var reading = reading
        reading.diagnostics = findings.sorted
        reading.findingCount = findings.count
        return reading
    }
}

/// Tells which version of the log a document is.
private enum StudyVersion {
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        root.kind == .array ? 1 : try StudyMigrations.chain().version(ofEnveloped: root)
    }
}
