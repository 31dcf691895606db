public import FormatKit
public import JSONSchemaValidation
public import StrictJSON

/// Files of GymPulse presets of every version.
///
/// A repair does what the app does: it skips a work or rest of 0 seconds, clamps `sets` and `rounds`, trims a name, calls a
/// preset without one ``Preset/defaultName``, and switches sound and voice on where the switch is missing.
public enum PresetFormat: Format {
    /// The value of the member `format`.
    static let name = "gympulse-presets"

    /// GymPulse interval presets.
    public static let identity = FormatIdentity.gympulse

    /// The versions; a new one is a schema and a step more.
    public static let versions = FormatVersions(
        name,
        schemas: [PackageResources.presets_1_schema_json, PackageResources.presets_2_schema_json],
        steps: [PresetStep1To2.step],
        omissible: [1: PresetLayout.switches],
        layout: PresetLayout.version
    )

    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place of the error.
    public static func version(of root: JSONNode) throws(AppFormatError) -> Int {
        if root.kind == .array { return 1 }
        guard let node = root["version"] else {
            let message = "\"version\" is missing; it is \(currentVersion) in a file with \"presets\""
            throw AppFormatError(.versionMissing, message, at: .root)
        }
        let version = try versions.chain().version(in: node, named: "version")
        guard version > 1 else {
            let place = JSONPointer(tokens: ["version"])
            throw AppFormatError(.versionInvalid, "a file of version 1 is a bare list, and this one is not", at: place)
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
        _ parser: inout FormatParser<PresetFile>
    ) throws(AppFormatError) {
        var checked = document
        if parser.repair {
            let repair = PresetRepair(document.root.value, version: parser.version)
            if repair.findings.count > 0 {
                parser.add(repair.findings)
                parser.result.repaired = repair.value
                checked = try .rebuilt(repair.valueToCheck)
            }
        }
        try parser.validate(checked, repaired: checked !== document)
        let presets = PresetLayout.presets(of: checked.root, version: parser.version)
        parser.add(PresetChecks(presets, isList: parser.version == 1, errorsOnly: parser.hasErrors).findings)
        try parser.takeContent(of: checked) { value throws(AppFormatError) in try PresetFile(json: value) }
    }
}

extension PresetFile: DocumentContent {
    /// The format of the file.
    public typealias DocumentFormat = PresetFormat
}
