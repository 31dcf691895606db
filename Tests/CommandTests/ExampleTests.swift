import Foundation
import Testing
import TestSupport

/// The articles of the libraries show code of the examples, which `make examples` compiles and runs.
struct ExampleTests {
    @Test func `every line of code in an article stands in an example`() throws {
        let project = SharedFolder.project
        func files(_ folder: String, _ ending: String) throws -> [URL] {
            let all = FileManager.default.enumerator(
                at: project.appending(path: folder),
                includingPropertiesForKeys: nil
            )
            return try #require(all).compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(ending) }
        }
        let examples = try files("Examples", ".swift").filter { !$0.path.contains("/.build/") }
            .map { try String(contentsOf: $0, encoding: .utf8) }
        // The articles on schemas are compiled by their own tests.
        let articles = try files("Sources", ".md").filter {
            $0.path.contains(".docc/") && !$0.path.contains("JSONSchemaValidation.docc")
        }
        #expect(articles.count == 6 && examples.count == 7)
        for article in articles {
            let text = try String(contentsOf: article, encoding: .utf8)
            for part in text.components(separatedBy: "```swift\n").dropFirst() {
                let block = part.components(separatedBy: "```")[0]
                #expect(examples.contains { $0.contains(block) }, "\(article.lastPathComponent): \(block)")
            }
        }
    }
}
