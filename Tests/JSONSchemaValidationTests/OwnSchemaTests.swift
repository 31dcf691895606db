import Foundation
import JSONSchemaValidation
import StrictJSON
import TestSupport
import Testing

/// The project's own schemas, which its programs compile without a check against the metaschema.
struct OwnSchemaTests {
    @Test("Each schema in Schemas/ is sound by its metaschema")
    func metaschema() throws {
        let folder = SharedFolder.project.appending(path: "Schemas")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "json" }
        #expect(files.count >= 80)
        let documents = try files.map { try JSONDocument(parsing: Data(contentsOf: $0)) }
        for (index, file) in files.enumerated() {
            var registry = SchemaRegistry()
            for (other, document) in documents.enumerated() where other != index { try registry.add(document) }
            #expect(throws: Never.self, "\(file.path)") {
                try JSONSchema(documents[index], registry: registry)
            }
        }
    }

    @Test("A keyword of a wrong kind in a definition that nothing uses is found by the metaschema alone")
    func unusedDefinition() throws {
        let broken = try JSONDocument(parsing: #"{"$defs":{"a":{"type":"nothing"}}}"#)
        #expect(throws: SchemaError.self) { try JSONSchema(broken) }
    }
}
