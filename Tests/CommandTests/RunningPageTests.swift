import Crypto
import Foundation
import StrictJSON
import Testing
import TestSupport

/// `page`: one file that runs a session in a browser.
struct RunningPageTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// A page of a session of ten seconds, without a countdown: get ready, then three rounds of work and rest.
    func tenSeconds() async throws -> String {
        let store = try await sandbox.client(pro: true)
        let text = "transition: Get ready 1 s / 3 x (Work 2 s [Exercise] / Rest 1 s)"
        #expect(try await sandbox.bzpack("new", "Ten", "--text", text, "--store", store).status == 0)
        try await sandbox.bzpack("settings", "set", "preCountdownSeconds", "0", "--store", store)
        return try await sandbox.bzpack("page", "Ten", "--output", "-", "--store", store).output
    }

    /// A page of a session whose texts are markup, and longer than a line.
    func hostile() async throws -> String {
        let markup = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>{{plan}}"
        let text = markup + "\u{2028}\u{202E}\u{1}&amp;'\"-->"
        let session: JSONValue = [
            "id": "s", "name": .string(text + String(repeating: "Averyverylongname", count: 9)),
            "items": [
                [
                    "id": "b", "label": .string(text + String(repeating: "W", count: 90)), "type": "activity",
                    "mode": "reps", "reps": 12, "perRepSeconds": 1, "category": "Exercise",
                    "notes": .string("one\ntwo " + text),
                ]
            ],
        ]
        let file: JSONValue = ["format": "bztimer", "version": 3, "categories": ["Exercise"], "sessions": [session]]
        try sandbox.write("hostile.json", String(decoding: file.encoded(.compact), as: UTF8.self))
        let outcome = try await sandbox.bzpack("page", "--file", "hostile.json", "--output", "-")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func content(_ page: String, _ opening: String) throws -> String {
        let start = try #require(page.range(of: opening))
        let end = try #require(page.range(of: "</", range: start.upperBound..<page.endIndex))
        return String(page[start.upperBound..<end.lowerBound])
    }

    private func data(_ page: String) throws -> JSONValue {
        let text = try content(page, "<script type=\"application/json\" id=\"session\">")
        return try JSONDocument(parsing: text).root.value
    }

    /// When something is heard.
    private func seconds(_ object: JSONValue) -> Set<String> {
        Set((object["cues"]?.array ?? []).map { "\($0["second"] ?? .null)" })
    }

    // MARK: The file

    @Test("A page has the timeline's blocks and cues, the same each time, and nothing from elsewhere")
    func page() async throws {
        let store = try await sandbox.trainer()
        let outcome = try await sandbox.bzpack("page", "Leg day", "--store", store)
        #expect(outcome.status == 0 && outcome.output == "Wrote leg-day.html.\n", "\(outcome.errors)")
        let page = try String(contentsOfFile: sandbox.path("leg-day.html"), encoding: .utf8)
        for outside in ["http:", "https:", "url(", "src=", "href=", "@import", "fetch(", "innerHTML", "{{"] {
            #expect(!page.contains(outside), "\(outside)")
        }
        let timeline = try await sandbox.bzpack("timeline", "--countdown", "--format", "json", "--store", store).json
        let data = try self.data(page)
        #expect(!seconds(timeline).isEmpty && seconds(timeline).isSubset(of: seconds(data)))
        #expect(data["total"] == timeline["totalSeconds"] && data["length"] == 211)
        for (member, name) in [("label", "label"), ("start", "startSeconds"), ("length", "durationSeconds")] {
            #expect(data["blocks"]?.array?.map { $0[member] } == timeline["entries"]?.array?.map { $0[name] })
        }
        // A page gives way to its successor without a question, another file does not.
        #expect(try await sandbox.bzpack("page", "Leg day", "--store", store).status == 0)
        #expect(try String(contentsOfFile: sandbox.path("leg-day.html"), encoding: .utf8) == page)
        try sandbox.write("other.html", "mine")
        #expect(try await sandbox.bzpack("page", "--output", "other.html", "--store", store).status == 64)
    }

    @Test("A page of another session keeps its name, and the new one gets a number")
    func names() async throws {
        let store = try await sandbox.client(pro: true)
        func page(_ name: String) async throws -> String {
            try await sandbox.bzpack("page", name, "--store", store).output
        }
        for name in ["Leg day", "Leg day 💪", "🔥", "💪"] {
            #expect(try await sandbox.bzpack("new", name, "--text", "Squats 20 s", "--store", store).status == 0)
        }
        for _ in 1...2 {
            #expect(try await page("Leg day") == "Wrote leg-day.html.\n")
            #expect(try await page("Leg day 💪") == "Wrote leg-day-2.html.\n")
            #expect(try await page("🔥") == "Wrote session.html.\n")
            #expect(try await page("💪") == "Wrote session-2.html.\n")
        }
        // Of two of one name the file's name has a part of the identifier.
        let again = ["new", "Leg day", "--text", "Lunges 30 s", "--allow-duplicates", "--store", store]
        #expect(try await sandbox.bzpack(again).status == 0)
        let list = try await sandbox.bzpack("list", "--format", "json", "--store", store).json["sessions"]?.array ?? []
        for id in list.filter({ $0["name"] == "Leg day" }).compactMap({ $0["id"]?.string }) {
            #expect(try await page(id) == "Wrote leg-day-\(id.prefix(8)).html.\n")
        }
    }

    @Test("The policy names the script and the style by their hashes, and allows nothing else")
    func policy() async throws {
        let page = try await tenSeconds()
        let policy = try content(page.replacing("\">\n<title>", with: "</"), "Content-Security-Policy\" content=\"")
        func hash(_ element: String) throws -> String {
            let text = try content(page, "<\(element)>")
            return "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
        }
        let parts = [
            "default-src 'none'", "script-src \(try hash("script"))", "style-src \(try hash("style"))",
            "base-uri 'none'", "form-action 'none'",
        ]
        #expect(policy == parts.joined(separator: "; "))
        #expect(!page.contains(" style=") && !page.contains(" onclick="))
    }

    @Test("The plan is a list, with rounds, for browsers without scripts as well")
    func plan() async throws {
        let page = try await tenSeconds()
        #expect(page.contains("<noscript>") && page.contains("<p>7 blocks · 10 s</p>"))
        #expect(page.contains("<li class=\"group\">3 rounds\n<ol>\n<li class=\"item activity\">"))
        #expect(page.components(separatedBy: "<li class=\"item").count == 3 + 1)
        let blocks = try data(page)["blocks"]?.array ?? []
        #expect(blocks.map { $0["item"] } == [0, 1, 2, 1, 2, 1, 2])
        #expect(blocks.last?["place"] == "Round 3 of 3")
    }

    @Test("Text from files is text, whatever it says")
    func escaping() async throws {
        let page = try await hostile()
        #expect(page.components(separatedBy: "<script").count == 2 + 1)
        #expect(page.components(separatedBy: "</script").count == 2 + 1)
        #expect(!page.contains("<img") && !page.contains("<!--") && !page.contains("\u{2028}"))
        #expect(page.components(separatedBy: "<ol>").count == 1 + 1)
        let label = try data(page)["blocks"]?.array?.last?["label"]?.string ?? ""
        #expect(label.hasPrefix("</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>{{plan}}\\u{2028}"))
    }

    @Test("A preset says when the voice speaks, and in which set and round it is")
    func preset() async throws {
        let presets = ["--file", Fixtures.path("presets/v1/first-timers.json"), "--output", "-"]
        let page = try await sandbox.bzpack(["page", "HIIT"] + presets).output
        let timeline = try await sandbox.bzpack(["timeline", "HIIT", "--format", "json"] + presets.dropLast(2)).json
        #expect(try seconds(timeline).isSubset(of: seconds(data(page))) && data(page)["voice"] == true)
        #expect(try data(page)["blocks"]?.array?.last?["place"]?.string?.contains("ound") == true)
    }

    @Test("The first block beeps and is named, after a countdown as well")
    func firstBlock() async throws {
        let store = try await sandbox.client(pro: true)
        #expect(try await sandbox.bzpack("new", "Sprint", "--text", "Run 20 s", "--store", store).status == 0)
        for (countdown, silent) in [("3", ["start 0 null"]), ("0", [])] {
            let set = ["settings", "set", "preCountdownSeconds", countdown, "--store", store]
            #expect(try await sandbox.bzpack(set).status == 0)
            let page = try await sandbox.bzpack("page", "Sprint", "--output", "-", "--store", store).output
            let cues = try data(page)["cues"]?.array?.map { cue in
                [cue["kind"]?.string ?? "", cue["second"]?.text(.compact) ?? "", cue["voice"]?.text(.compact) ?? ""]
                    .joined(separator: " ")
            }
            #expect(Array((cues ?? []).prefix(silent.count + 1)) == silent + ["begin \(countdown) \"Run\""])
        }
    }

    @Test("What cannot run is refused")
    func refusals() async throws {
        let store = try await sandbox.client(pro: true)
        #expect(try await sandbox.bzpack("page", "--store", store).status == 66)
        #expect(try await sandbox.bzpack("page", "--file", "missing.json").status == 66)
        let file = "{\"format\":\"bztimer\",\"version\":3,\"categories\":[],\"sessions\":[{\"id\":\"s\",\"name\":\"/\","
        try sandbox.write("empty.json", file + "\"items\":[]}]}")
        #expect(try await sandbox.bzpack("page", "--file", "empty.json").status == 65)
        #expect(try await sandbox.bzpack("page", "--open", "--output", "-", "--store", store).status == 64)
    }

    @Test("open begins with the sessions")
    func open() async throws {
        let store = try await sandbox.trainer()
        let outcome = try await sandbox.bzpack("open", "--export", sandbox.path("pages"), "--store", store)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let first = String(decoding: try sandbox.bytes("pages/index.html"), as: UTF8.self)
        #expect(first.contains("Leg day") && !first.contains("Nothing is set up"), "\(first)")
    }
}
