import FormatKit
import JSONSchemaValidation
import StrictJSON

/// The schemas of Study Timer's logs, compiled when they are first needed.
public enum StudySchemas {
    private static let one = compile(1, PackageResources.study_1_schema_json)
    private static let two = compile(2, PackageResources.study_2_schema_json)

    /// The text of the schema of a version, or nil where there is no such version.
    public static func text(_ version: Int) -> [UInt8]? {
        switch version {
        case 1: PackageResources.study_1_schema_json
        case 2: PackageResources.study_2_schema_json
        default: nil
        }
    }

    /// The schema of a version.
    static func schema(_ version: Int) throws(AppFormatError) -> JSONSchema {
        switch version {
        case 1: try one.get()
        case 2: try two.get()
        default: throw AppFormatError(.versionInvalid, "\(StudyLog.format) has no version \(version)")
        }
    }

    private static func compile(_ version: Int, _ text: [UInt8]) -> Result<JSONSchema, AppFormatError> {
        do {
            return .success(try JSONSchema(JSONDocument(parsing: text)))
        } catch {
            let message = "the schema of \(StudyLog.format) version \(version) is broken: \(error)"
            return .failure(AppFormatError(.schema, message))
        }
    }
}
