public import FormatKit
public import StrictJSON

/// Logs of Study Timer of every version.
///
/// A repair tells identifiers apart that are there twice, exchanges a start and an end that are the wrong way round, and
/// computes `accumulated_seconds` from the events.
public enum StudyFormat: Format {
    /// The value of the member `format`.
    static let name = "study-log"

    /// A Study Timer log.
    public static let identity = FormatIdentity.study

    /// The versions; a new one is a schema and a step more.
    public static let versions = FormatVersions(
        name,
        schemas: [PackageResources.study_1_schema_json, PackageResources.study_2_schema_json],
        steps: [StudyStep1To2.step],
        layout: StudyLayout.version
    )

    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place of the error.
    public static func version(of root: JSONNode) throws(AppFormatError) -> Int {
        root.kind == .array ? 1 : try versions.chain().version(ofEnveloped: root)
    }

    /// Reads a document whose version is known.
    ///
    /// - Throws: `AppFormatError` where a schema or a migration step fails; other problems are diagnostics.
    public static func parse(_ document: JSONDocument, _ parser: inout FormatParser<StudyLog>) throws(AppFormatError) {
        try parser.validate(document)
        guard !parser.hasErrors else { return }
        let outline = StudyOutline(document.root, version: parser.version)
        let checks = try StudyChecks(outline, repair: parser.repair)
        parser.add(checks.findings)
        guard !parser.hasErrors else { return }
        var envelope = outline.envelope
        let exportedAt = envelope["exportedAt"]?.string
        for name in ["format", "version", "exportedAt"] { envelope[name] = nil }
        let (sessions, events) = (checks.sessions, checks.events)
        parser.result.content = StudyLog(
            exportedAt: exportedAt,
            sessions: sessions,
            events: events,
            unknownMembers: envelope
        )
    }

    /// Checks a log that came from elsewhere, as from a table, and repairs it where that is asked for.
    ///
    /// - Returns: A result whose document is the log in the current version.
    public static func check(_ log: StudyLog, repair: Bool = false) -> ParseResult<StudyLog> {
        read(log.json.encoded(.indented), repair: repair)
    }
}

extension StudyLog: DocumentContent {
    /// The format of the file.
    public typealias DocumentFormat = StudyFormat
}

/// The lists of a document of any version, found without demanding that it is valid.
struct StudyOutline {
    let root: JSONNode
    let version: Int
    let sessions: [JSONNode]
    let events: [JSONNode]

    init(_ root: JSONNode, version: Int) {
        self.root = root
        self.version = version
        if root.kind == .array {
            let isEvents = root[0]?["event_type"] != nil
            sessions = isEvents ? [] : root.elements.map(\.self)
            events = isEvents ? root.elements.map(\.self) : []
        } else {
            sessions = root["sessions"]?.elements.map(\.self) ?? []
            events = root[version == 1 ? "session_history" : "events"]?.elements.map(\.self) ?? []
        }
    }

    /// The top level in the current version, without its lists.
    var envelope: JSONObject {
        if root.kind == .array {
            let list = root[0]?["event_type"] != nil ? "events" : "sessions"
            return ["x-preserved": ["1": ["list": .string(list)]]]
        }
        var envelope = JSONObject()
        for member in root.members where !["sessions", "session_history", "events"].contains(member.name) {
            envelope.append(unique: member.name, member.value.value)
        }
        let foreign = version == 1 ? "events" : "session_history"
        if let value = root[foreign]?.value { envelope[foreign] = value }
        return version == 1 ? StudyStep1To2.upgrade(envelope) : envelope
    }
}
