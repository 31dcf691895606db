import FormatKit
import JSONSchemaValidation
import StrictJSON

/// The schemas of `.bztimer`, compiled when they are first needed.
public enum BztimerSchemas {
    private static let one = compile(1, PackageResources.bztimer_1_schema_json)
    private static let two = compile(2, PackageResources.bztimer_2_schema_json)
    private static let three = compile(3, PackageResources.bztimer_3_schema_json)

    /// The text of the schema of a version, or nil where there is no such version.
    public static func text(_ version: Int) -> [UInt8]? {
        switch version {
        case 1: PackageResources.bztimer_1_schema_json
        case 2: PackageResources.bztimer_2_schema_json
        case 3: PackageResources.bztimer_3_schema_json
        default: nil
        }
    }

    /// The text of the schema of what a store holds, by whose rules devices synchronise.
    ///
    /// It refers to those of version 3 and of version 2 of the presets.
    public static var store: [UInt8] { PackageResources.bztimer_store_1_schema_json }

    /// The schema of a version.
    static func schema(_ version: Int) throws(AppFormatError) -> JSONSchema {
        switch version {
        case 1: try one.get()
        case 2: try two.get()
        case 3: try three.get()
        default: throw AppFormatError(.versionInvalid, "bztimer has no version \(version)")
        }
    }

    private static func compile(_ version: Int, _ text: [UInt8]) -> Result<JSONSchema, AppFormatError> {
        do {
            return .success(try JSONSchema(JSONDocument(parsing: text)))
        } catch {
            return .failure(AppFormatError(.schema, "the schema of bztimer version \(version) is broken: \(error)"))
        }
    }
}
