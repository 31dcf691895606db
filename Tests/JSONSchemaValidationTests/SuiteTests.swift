import Foundation
import JSONSchemaValidation
import StrictJSON
import TestSupport
import Testing

/// The official JSON Schema Test Suite for draft 2020-12.
@Suite(.enabled(if: SharedFolder.exists, "the test suite in ../shared is missing"))
struct SuiteTests {
    private static let root = "json-schema-test-suite/tests/draft2020-12"

    /// Every required case passes.
    @Test func required() throws {
        let files = try SharedFolder.jsonFiles(below: Self.root).filter { !$0.contains("/optional/") }
        let outcome = try run(files, assertFormats: false)
        print("JSON Schema Test Suite, required: \(outcome.summary)")
        #expect(outcome.count > 1200, "the suite has fewer cases than when this was written")
        #expect(outcome.failures == [])
    }

    /// The optional cases pass but for those listed with their reason; one that passes all the same is news.
    @Test func optional() throws {
        let files = try SharedFolder.jsonFiles(below: Self.root + "/optional").filter { !$0.contains("/format/") }
        try check(files, "optional", assertFormats: false)
    }

    /// The cases of formats, with formats asserted.
    @Test func formats() throws {
        try check(SharedFolder.jsonFiles(below: Self.root + "/optional/format"), "optional/format", assertFormats: true)
    }

    private func check(_ files: [String], _ name: String, assertFormats: Bool) throws {
        let outcome = try run(files, assertFormats: assertFormats)
        print("JSON Schema Test Suite, \(name): \(outcome.summary)")
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
        "optional/cross-draft.json: refs to historic drafts are processed as historic drafts: first item not a string is valid":
            "older drafts are refused, not processed: their schemas say other things with the same words"
    ]

    // MARK: Running

    private struct Outcome {
        var count = 0
        var failures: [String] = []
        var summary: String { "\(count - failures.count) of \(count) cases pass" }
    }

    private func run(_ files: [String], assertFormats: Bool) throws -> Outcome {
        let registry = try Self.remotes()
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
        #expect(report.findings.isEmpty == isValid)
        #expect(report.findings.allSatisfy { document.root[$0.pointer] != nil && !$0.message.isEmpty })
        return isValid == test["valid"]?.bool
    }

    private static func remotes() throws -> SchemaRegistry {
        var registry = SchemaRegistry()
        let folder = "json-schema-test-suite/remotes"
        for file in try SharedFolder.jsonFiles(below: folder) {
            let path = file.dropFirst(folder.count + 1)
            let isOfAnotherDraft = path.hasPrefix("draft") && !path.hasPrefix("draft2020-12") || path.hasPrefix("v1/")
            if isOfAnotherDraft { continue }
            try registry.add(JSONDocument(parsing: SharedFolder.bytes(file)), uri: "http://localhost:1234/\(path)")
        }
        return registry
    }
}
