import Foundation
import StrictJSON
import Testing
import TestSupport

struct PageTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// A store with one session.
    private func store(_ session: JSONValue) async throws -> String {
        let store = try await sandbox.client(pro: true)
        let file: JSONValue = ["format": "bztimer", "version": 3, "categories": [], "sessions": [session]]
        try sandbox.write("session.json", String(decoding: file.encoded(.compact), as: UTF8.self))
        let outcome = try await sandbox.bzpack("import", "session.json", "--store", store)
        #expect(outcome.status == 0 || outcome.status == 3, "\(outcome.errors)")
        return store
    }

    @Test("A session as a page: bar, blocks and total, and nothing from elsewhere")
    func page() async throws {
        let store = try await sandbox.trainer()
        let page = try await sandbox.bzpack("show", "--html", "Leg day", "--store", store).output
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">\n"))
        #expect(page.components(separatedBy: "<rect class=").count == 6 + 1)
        #expect(
            page.contains("<tr class=\"activity\"><td>2</td><td>0:10</td><td>36 s</td><td>activity</td><td>Squats</td>")
        )
        #expect(page.contains("<td>12 × 3 s</td>"))
        #expect(page.contains("<th colspan=\"2\">Total</th><td>3 min 31 s</td>"))
        #expect(page.contains("prefers-color-scheme: dark") && page.contains("@media print"))
        for outside in ["http:", "https:", "url(", "<script", "src=", "@import"] { #expect(!page.contains(outside)) }
        let again = try await sandbox.bzpack("show", "--html", "leg day", "--store", store).output
        #expect(again == page)
    }

    @Test("Text from files is text, whatever it says")
    func escaping() async throws {
        let store = try await store([
            "id": "s", "name": "<script>alert('1')</script> & \"co\"",
            "items": [
                [
                    "id": "b", "label": "</title></svg><img src=x>\u{1}\u{202E}", "type": "activity",
                    "mode": "duration",
                    "durationSeconds": 60, "category": "Exercise", "notes": "one\ntwo",
                ]
            ],
        ])
        let page = try await sandbox.bzpack([
            "show", "--html", "--store", store, "--", "<script>alert('1')</script> & \"co\"",
        ])
        #expect(page.status == 0, "\(page.errors)")
        #expect(page.output.contains("<h1>&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;co&quot;</h1>"))
        #expect(page.output.contains("&lt;/title&gt;&lt;/svg&gt;&lt;img src=x&gt;\\u{1}\\u{202e}"))
        #expect(page.output.contains("<div class=\"notes\">one\ntwo</div></td>"))
        #expect(!page.output.contains("<script") && !page.output.contains("<img"))
    }

    @Test("A session without blocks has no bar")
    func empty() async throws {
        let store = try await store(["id": "s", "name": "Empty", "items": []])
        let page = try await sandbox.bzpack("show", "--html", "Empty", "--store", store).output
        #expect(!page.contains("<svg"))
        #expect(page.contains("<p>0 blocks · 0 min</p>"))
        #expect(try await sandbox.bzpack("show", "--html", "--format", "json", "Empty", "--store", store).status == 64)
    }
}
