import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing
import TestSupport

/// The official JSON Schema Test Suite, for each draft.
@Suite(.enabled(if: SharedFolder.exists, "the test suite in ../shared is missing"))
struct SuiteTests {
    private static let root = "json-schema-test-suite/tests"

    /// The least number of required cases that each draft had when this was written.
    private static let least: [JSONSchemaDraft: Int] = [
        .draft4: 618, .draft6: 839, .draft7: 927, .draft2019: 1259, .draft2020: 1299,
    ]

    private static func folder(_ draft: JSONSchemaDraft) -> String {
        "\(root)/draft\(draft.name)"
    }

    /// Every required case passes.
    @Test(arguments: JSONSchemaDraft.allCases)
    func required(_ draft: JSONSchemaDraft) throws {
        let files = try SharedFolder.jsonFiles(below: Self.folder(draft)).filter { !$0.contains("/optional/") }
        let outcome = try run(files, draft, assertFormats: false)
        print("JSON Schema Test Suite, draft \(draft.name), required: \(outcome.summary)")
        #expect(outcome.count >= Self.least[draft] ?? 0, "the suite has fewer cases than when this was written")
        #expect(outcome.failures == [])
    }

    /// The optional cases pass but for those listed with their reason; one that passes all the same is news.
    @Test(arguments: JSONSchemaDraft.allCases)
    func optional(_ draft: JSONSchemaDraft) throws {
        let files = try SharedFolder.jsonFiles(below: Self.folder(draft) + "/optional").filter {
            !$0.contains("/format/")
        }
        try check(files, draft, "optional", assertFormats: false)
    }

    /// The cases of formats, with formats asserted.
    @Test(arguments: JSONSchemaDraft.allCases)
    func formats(_ draft: JSONSchemaDraft) throws {
        let files = try SharedFolder.jsonFiles(below: Self.folder(draft) + "/optional/format")
        try check(files, draft, "optional/format", assertFormats: true)
    }

    private func check(_ files: [String], _ draft: JSONSchemaDraft, _ name: String, assertFormats: Bool) throws {
        let outcome = try run(files, draft, assertFormats: assertFormats)
        print("JSON Schema Test Suite, draft \(draft.name), \(name): \(outcome.summary)")
        for failure in outcome.failures {
            print("  fails: \(failure) — \(Self.expectedFailures[failure] ?? "unexpected")")
        }
        let expected = Set(
            Self.expectedFailures.keys.filter { key in files.contains { $0.hasSuffix(Self.file(of: key)) } }
        )
        #expect(Set(outcome.failures).subtracting(expected) == [], "fails and is not expected to")
        #expect(expected.subtracting(outcome.failures) == [], "passes and is expected to fail: take it off the list")
    }

    private static func file(of failure: String) -> String { failure.components(separatedBy: ": ")[0] }

    /// What fails, by file, group and case, and why.
    static let expectedFailures: [String: String] = [
        "\(content): validation of string-encoded content based on media type: an invalid JSON document": notAsserted,
        "\(content): validation of binary string-encoding: an invalid base64 string (% is not a valid character)":
            notAsserted,
        "\(content): validation of binary-encoded media type documents: a validly-encoded invalid JSON document":
            notAsserted,
        "\(content): validation of binary-encoded media type documents: an invalid base64 string that is valid JSON":
            notAsserted,
    ]
    private static let content = "draft7/optional/content.json"
    private static let notAsserted =
        "draft 7 lets a validator choose whether content is checked, later drafts forbid it: it is an annotation here"

    // MARK: Running

    private struct Outcome {
        var count = 0
        var failures: [String] = []
        var summary: String { "\(count - failures.count) of \(count) cases pass" }
    }

    private func run(_ files: [String], _ draft: JSONSchemaDraft, assertFormats: Bool) throws -> Outcome {
        let registry = try Self.remotes(draft)
        var outcome = Outcome()
        for file in files {
            let document = try JSONDocument(parsing: SharedFolder.bytes(file))
            for group in document.root.elements {
                let name = "\(file.dropFirst(Self.root.count + 1)): \(group["description"]?.string ?? "")"
                let schema = compile(group, registry, assertFormats: assertFormats)
                for test in group["tests"]?.elements.map(\.self) ?? [] {
                    outcome.count += 1
                    if try !passes(test, schema) {
                        outcome.failures.append("\(name): \(test["description"]?.string ?? "")")
                    }
                }
            }
        }
        return outcome
    }

    private func compile(_ group: JSONNode, _ registry: SchemaRegistry, assertFormats: Bool) -> JSONSchema? {
        guard let text = group["schema"]?.encoded(.compact) else { return nil }
        do {
            return try JSONSchema(JSONDocument(parsing: text), registry: registry, assertFormats: assertFormats)
        } catch {
            print("  \(group["description"]?.string ?? ""): \(error)")
            return nil
        }
    }

    /// Whether the verdict is right, the report says the same as the quick check, and each fault has a place.
    private func passes(_ test: JSONNode, _ schema: JSONSchema?) throws -> Bool {
        guard let schema, let data = test["data"] else { return false }
        let document = try JSONDocument(parsing: data.encoded(.compact))
        let report = schema.validate(document)
        let isValid = schema.isValid(document)
        #expect(report.isValid == isValid)
        #expect(schema.validate(document, strict: true).isValid == isValid)
        #expect(try schema.validate(JSONByteSource(data.encoded(.compact), piece: 7)).isValid == isValid)
        #expect(report.findings.isEmpty == isValid)
        #expect(try schema.evaluation(document).isValid == isValid)
        #expect(report.findings.allSatisfy { document.root[$0.pointer] != nil && !$0.message.isEmpty })
        return isValid == test["valid"]?.bool
    }

    /// The schemas that the suite's references lead to; those of no draft's folder are of the draft that is tested.
    private static func remotes(_ draft: JSONSchemaDraft) throws -> SchemaRegistry {
        var registry = SchemaRegistry(defaultDraft: draft)
        let folder = "json-schema-test-suite/remotes"
        for file in try SharedFolder.jsonFiles(below: folder) {
            let path = file.dropFirst(folder.count + 1)
            let isOfAnotherDraft = path.hasPrefix("draft") && !path.hasPrefix("draft\(draft.name)/")
            let document = try JSONDocument(parsing: SharedFolder.bytes(file))
            // Those of other drafts are there where they say which they are of: references cross drafts.
            let names = document.root["$schema"]?.string ?? ""
            if path.hasPrefix("v1/") || path.hasPrefix("draft3/")
                || isOfAnotherDraft && !names.contains("json-schema.org")
            {
                continue
            }
            try registry.add(document, uri: "http://localhost:1234/\(path)")
        }
        return registry
    }
}
