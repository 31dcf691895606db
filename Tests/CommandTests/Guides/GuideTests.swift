import Foundation
import Testing
import TestSupport

/// The guides in docs/guides, and README.md: each command in them is run, and prints what stands below it.
@Suite("Guides")
struct GuideTests {
    static let names = ["laptop-nas-phone", "new-phone", "students-term", "toggl-to-csv", "trainer"]
    static let files = ["README.md"] + names.map { "docs/guides/\($0).md" }

    @Test("The commands of a guide print what it says", arguments: files)
    func guide(_ name: String) async throws {
        var guide = Guide(SharedFolder.project.appending(path: name), in: try Sandbox())
        try await guide.compare()
    }

    @Test func `every guide is compared`() throws {
        let folder = SharedFolder.project.appending(path: "docs/guides")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == Self.names.map { "\($0).md" })
    }
}
