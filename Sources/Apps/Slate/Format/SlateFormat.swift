public import FormatKit
public import JSONSchemaValidation
public import StrictJSON

/// Slate exports of every version.
///
/// The rows of a file of the current version are packed as they are met; a file of an older version is migrated as a
/// value, which takes some ten times its size in memory. A repair fixes all errors that the checks find beyond the
/// schema.
public enum SlateFormat: Format {
    /// A Slate backup.
    public static let identity = FormatIdentity.slate

    /// The versions; a new one is a schema and a step more, and its tables and columns in ``SlateTable``.
    public static let versions = FormatVersions(
        "slate",
        schemas: [PackageResources.slate_1_schema_json, PackageResources.slate_2_schema_json],
        steps: [SlateStep1To2.step]
    ) { version in
        // The rows of a table stay in the order they have.
        let tables = SlateTable.allCases.filter { $0.firstVersion <= version }.map { table in
            (table.name, MemberLayout(table.columns.filter { $0.firstVersion <= version }.map(\.text)))
        }
        let meta = (SlateMember.meta, MemberLayout(order: SlateWriter.ordered))
        return MemberLayout(SlateMember.top(version), [meta] + tables)
    }

    /// Returns the version of a document.
    ///
    /// - Throws: `version.missing`, `version.invalid` or `version.newer`, with the place of the error.
    public static func version(of root: JSONNode) throws(AppFormatError) -> Int {
        guard let node = root[SlateMember.version] else {
            throw AppFormatError(.versionMissing, "\"schema_version\" is missing; it is \(versions.list)", at: .root)
        }
        return try versions.chain().version(in: node, named: SlateMember.version)
    }

    /// Returns what the regular expressions of these schemas are for: times of day, and the version in `meta`.
    public static func expectation(_ finding: ValidationFinding) -> String? {
        let isVersion = finding.pointer.tokens.last == SlateMember.version
        return isVersion ? "a positive integer" : "a time of day from 00:00 to 23:59 such as \"04:00\""
    }

    /// Reads a document whose version is known.
    ///
    /// - Throws: `AppFormatError` where a schema or a migration step fails; other problems are diagnostics.
    public static func parse(
        _ document: JSONDocument,
        _ parser: inout FormatParser<SlateContent>
    ) throws(AppFormatError) {
        let repair = parser.repair
        let checks: SlateChecks
        if parser.version == currentVersion {
            guard let found = try parser.validate(document, while: { SlateChecks(document, repair: repair) }) else {
                return
            }
            checks = found
        } else {
            try parser.validate(document)
            guard let migrated = try parser.upgraded(document) else { return }
            checks = SlateChecks(
                migrated,
                repair: repair,
                sourceVersion: parser.version,
                origin: parser.result.origin
            )
        }
        parser.add(checks.findings)
        if !parser.hasErrors { parser.result.content = checks.content }
    }
}
