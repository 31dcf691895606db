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
        guard reading.identity == .study else {
            return report(AppFormatError(.otherFormat, reading.identity.message, at: .root))
        }
        do throws(AppFormatError) {
            let version = try StudyVersion.detect(document.root)
            reading.version = version
            let outline = StudyOutline(document.root, version: version)
            reading.unknownMembers = outline.unknownMembers
            let limit = StudyReading.findingLimit
            let report = try StudySchemas.schema(version).validate(document, strict: strict, limit: limit)
            findings += report.findings.map { $0.diagnostic(file: reading.name) }
            dropped += report.total - report.findings.count
            guard report.isValid else { return }
            try check(outline)
        } catch {
            report(error)
        }
    }

    private mutating func check(_ outline: StudyOutline) throws(AppFormatError) {
        let checks = try StudyChecks(outline, repair: repair)
        let limit = StudyReading.findingLimit
        // Finding a place takes time, so that only the first ones are kept.
        dropped += max(0, checks.findings.count - limit)
        for finding in checks.findings.prefix(limit) {
            findings.append(
                Diagnostic(
                    finding.severity,
                    code: finding.code,
                    message: finding.message,
                    file: reading.name,
                    position: reading.position(of: finding.pointer),
                    pointer: finding.pointer
                )
            )
        }
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

    private mutating func report(_ error: AppFormatError) {
        findings.append(error.diagnostic(file: reading.name, position: error.pointer.flatMap(reading.position)))
    }

    func finished() -> StudyReading {
        var reading = reading
        let sorted = findings.enumerated().sorted { left, right in
            let places = (left.element.position?.offset ?? -1, right.element.position?.offset ?? -1)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        reading.diagnostics = sorted.prefix(StudyReading.findingLimit).map(\.element)
        reading.findingCount = findings.count + dropped
        return reading
    }
}

/// Tells which version of the log a document is.
private enum StudyVersion {
    static func detect(_ root: JSONNode) throws(AppFormatError) -> Int {
        if root.kind == .array { return 1 }
        let isNamed = root["format"]?.string != nil
        guard let node = root["version"] else {
            guard isNamed else { return 1 }
            let message = "\"version\" is missing; it is 2 in a file with \"format\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let place = JSONPointer(tokens: ["version"])
        let chain = try StudyMigrations.chain()
        if let version = node.int, version > 0 {
            do throws(AppFormatError) { try chain.check(version) } catch {
                throw AppFormatError(error.code, error.message, at: place)
            }
            guard version > 1 || !isNamed else {
                throw AppFormatError(
                    .versionInvalid,
                    "a file of version 1 has no \"format\", and this one has",
                    at: place
                )
            }
            return version
        }
        guard let token = node.number?.token, node.int == nil, token.utf8.allSatisfy({ (48...57).contains($0) }) else {
            let found = String(decoding: node.value.encoded(.compact).prefix(60), as: UTF8.self)
            throw AppFormatError(.versionInvalid, "\"version\" is \(found); it must be a positive integer", at: place)
        }
        let newest = "\(chain.current), the newest that this program knows"
        let message = "version \(token) of \(StudyLog.format) is newer than \(newest)"
        throw AppFormatError(.versionNewer, message, at: place)
    }
}
