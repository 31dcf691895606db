import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing
import TestSupport

/// The examples of the article, each compiled here as it stands there.
struct ArticleTests {
    @Test func findings() throws {
        let text = #"{"type":"object","properties":{"seconds":{"type":"integer"}}}"#
        let schema = try JSONSchema(JSONDocument(parsing: text))
        let report = schema.validate(try JSONDocument(parsing: #"{"seconds":"60"}"#))
        let lines = report.findings.map { $0.diagnostic(file: "rest.json").description }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("rest.json:1:12: error[schema.type]: found the string \"60\"") == true)
    }

    @Test func references() throws {
        var registry = SchemaRegistry(defaultDraft: .draft7)
        try registry.add(JSONDocument(parsing: #"{"minimum":1}"#), uri: "https://example.org/positive.json")
        let positive = try JSONSchema(
            JSONDocument(parsing: #"{"$ref":"positive.json"}"#),
            uri: "https://example.org/main.json",
            registry: registry
        )
        #expect(try positive.isValid(JSONDocument(parsing: "1")))
        #expect(try !positive.isValid(JSONDocument(parsing: "0")))
    }

    @Test func tasks() async throws {
        let unit = try JSONSchema(JSONDocument(parsing: #"{"items":{"type":"number","title":"Seconds"}}"#))
        let verdicts = try await withThrowingTaskGroup(of: Bool.self) { group in
            for text in ["[1]", "[\"a\"]", "[2.5]"] { group.addTask { unit.isValid(try JSONDocument(parsing: text)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let annotations = try unit.evaluation(JSONDocument(parsing: "[1]")).annotations
        let titles = annotations.filter { $0.keywordLocation == "/items/title" }.map(\.instanceLocation)
        #expect(verdicts.filter { $0 }.count == 2)
        #expect(titles == ["/0"])
    }

    /// Every line of code in the article stands in this file, in the same order.
    @Test func theArticleSaysTheSame() throws {
        let path = "Sources/JSONSchemaValidation/JSONSchemaValidation.docc/Validating.md"
        let article = try String(contentsOf: SharedFolder.project.appending(path: path), encoding: .utf8)
        let here = try String(contentsOfFile: #filePath, encoding: .utf8)
        let parts = article.components(separatedBy: "```swift\n").dropFirst()
        let blocks = parts.map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 3)
        for block in blocks {
            let indented = block.split(separator: "\n").map { "        " + $0 }.joined(separator: "\n")
            #expect(here.contains(indented), "not compiled here: \(block)")
        }
    }
}
