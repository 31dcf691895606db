import Foundation
import JSONSchemaValidation
import StrictJSON
import StrictJSONFoundation

// usage: ValidateFile SCHEMA FILE
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let schemaPath = arguments.first, let path = arguments.last else {
    print("usage: ValidateFile SCHEMA FILE")
    exit(64)
}

let schema = try JSONSchema(JSONDocument(contentsOf: URL(filePath: schemaPath)))
do {
    let document = try JSONDocument(contentsOf: URL(filePath: path))
    let report = schema.validate(document)
    for finding in report.findings { print(finding.diagnostic(file: path)) }
    exit(report.findings.isEmpty ? 0 : 65)
} catch let error as JSONError {
    print(error.diagnostic(file: path))
    exit(65)
}
