public import FormatKit
import GymPulse
public import JSONSchemaValidation
public import StrictJSON

/// `.bztimer` files of every version.
public enum BztimerFormat: Format {
    /// A BZ Timer session file.
    public static let identity = FormatIdentity.bztimer

    /// The versions; a new one is a schema and a step more.
    public static let versions = FormatVersions(
        "bztimer",
        schemas: [
            PackageResources.bztimer_1_schema_json, PackageResources.bztimer_2_schema_json,
            PackageResources.bztimer_3_schema_json,
        ],
        steps: [BztimerStep1To2.step, BztimerStep2To3.step],
        // The first apps wrote neither.
        omissible: [1: ["category", "tags"]],
        layout: BztimerLayout.version
    )

    /// The text of the schema of what a store holds, by whose rules devices synchronise, then those that it refers to.
    ///
    /// New versions leave it alone: its `$ref` name the versions whose records devices share.
    package static let storeSchemas = [
        PackageResources.bztimer_store_1_schema_json, versions.schemaText(3), PresetFormat.versions.schemaText(2),
    ].compactMap(\.self)

    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place of the error.
    public static func version(of root: JSONNode) throws(AppFormatError) -> Int {
        let isNamed = root["format"] != nil
        let isBare = root["items"] != nil
        guard let node = root["version"] else {
            if isBare { return 1 }
            let message = "\"version\" is missing; it is 2 in a file with one \"session\" and \(currentVersion) in one "
            throw AppFormatError(.versionMissing, message + "with \"sessions\"", at: .root)
        }
        // A bare session has no version, so a member of that name that is no number is the app's own.
        if !isNamed, node.kind != .number { return 1 }
        let version = try versions.chain().version(in: node, named: "version")
        guard isNamed || version == 1 else {
            let message = "a file of version \(version) says \"format\": \"bztimer\", and this one does not"
            throw AppFormatError(.versionInvalid, message, at: JSONPointer(tokens: ["version"]))
        }
        return version
    }

    /// Returns the only expectation of these schemas: a name that is not blank.
    public static func expectation(_ finding: ValidationFinding) -> String? { "a name that is not blank" }

    /// Reads a document whose version is known.
    ///
    /// - Throws: `AppFormatError` where a schema or a migration step fails; other problems are diagnostics.
    public static func parse(
        _ document: JSONDocument,
        _ parser: inout FormatParser<BztimerFile>
    ) throws(AppFormatError) {
        try parser.validate(document)
        // Where a document breaks its schema, report only those further faults that are certain.
        let outline = BztimerOutline(document.root, version: parser.version)
        parser.add(BztimerChecks(outline, errorsOnly: parser.hasErrors).findings)
        try parser.takeContent(of: document) { value throws(AppFormatError) in try BztimerFile(json: value) }
    }
}

extension BztimerFile: DocumentContent {
    /// The format of the file.
    public typealias DocumentFormat = BztimerFormat
}
