internal import CivilTime
public import FormatKit
public import JSONSchemaValidation
public import StrictJSON

/// Time Tracker exports of every version.
///
/// Files of every version are read where they lie: a file of a million activities takes less than three times its size. A
/// repair fixes all errors that the checks find beyond the schema, except times that cannot be.
///
/// ```swift
/// let result = TrackerFormat.read(bytes, name: "tracker.json")
/// guard let content = result.content else { return print(result.diagnostics) }
/// content.forEachActivity { print($0.name, $0.start) }
/// ```
public enum TrackerFormat: Format {
    /// The value of the member `format`.
    static let name = "tracker-export"

    /// A Time Tracker export.
    public static let identity = FormatIdentity.tracker

    /// The versions; a new one is a schema and a step more, and what rows need that are read where they lie.
    public static let versions = FormatVersions(
        name,
        schemas: [PackageResources.tracker_1_schema_json, PackageResources.tracker_2_schema_json],
        steps: [TrackerStep1To2.step],
        layout: TrackerLayout.version
    )

    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place of the error.
    public static func version(of root: JSONNode) throws(AppFormatError) -> Int {
        guard root.kind == .object else {
            let message = "a file of version 1 is an object with \"activities\" and \"buttons\", and this one is a list"
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        return try versions.chain().version(ofEnveloped: root)
    }

    /// Returns what the regular expressions of these schemas are for: colours, and names that are not blank.
    public static func expectation(_ finding: ValidationFinding) -> String? {
        finding.pointer.tokens.last == "color" ? "a colour such as \"#3366CC\"" : "a name that is not blank"
    }

    /// Reads a document whose version is known.
    ///
    /// - Throws: `AppFormatError` where a schema or a migration step fails; other problems are diagnostics.
    public static func parse(
        _ document: JSONDocument,
        _ parser: inout FormatParser<TrackerContent>
    ) throws(AppFormatError) {
        let (version, repair) = (parser.version, parser.repair)
        let checks = try parser.validate(document) { TrackerChecks(document, version: version, repair: repair) }
        guard let checks else { return }
        parser.add(checks.findings.list)
        var envelope = JSONObject()
        for member in document.root.members where member.name != "activities" && member.name != "buttons" {
            envelope.append(unique: member.name, member.value.value)
        }
        if version == 1 { envelope = TrackerEnvelope.up(envelope) }
        if let zone = envelope["timeZone"]?.string, ZoneInfo(identifier: zone) == nil {
            var findings = CheckFindings()
            let message = "\"\(zone)\" is no time zone that this system knows; it is kept"
            let place = parser.result.origin(JSONPointer(tokens: ["timeZone"]))
            findings.add(.warning, "tracker.time-zone", message, at: place)
            parser.add(findings)
        }
        guard !parser.hasErrors else { return }
        parser.result.content = TrackerContent(envelope, buttons: try checks.buttons.values(), activities: checks.rows)
    }
}
