import BZTimer
import FormatKit
import StrictJSON
import Testing
import TestSupport

struct SchemaTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            "schema.json",
            """
            {"$schema": "https://json-schema.org/draft/2020-12/schema",
              "type": "object", "required": ["name"], "properties": {
              "name": {"type": "string"}, "day": {"format": "date"}, "count": {"$ref": "common.json#/$defs/count"}}}
            """
        )
        try sandbox.write("common.json", "{\"$defs\": {\"count\": {\"type\": \"integer\", \"minimum\": 1}}}")
        try sandbox.write("plain.json", "{\"type\": \"object\", \"properties\": {\"day\": {\"format\": \"date\"}}}")
        try sandbox.write("good.json", "{\"name\": \"a\", \"count\": 2}")
        try sandbox.write("bad.json", "{\n  \"name\": 1,\n  \"count\": 0\n}\n")
        try sandbox.write("day.json", "{\"name\": \"a\", \"day\": \"2026-02-30\"}")
    }

    private func check(_ arguments: String...) async throws -> Outcome {
        try await sandbox.bzpack(["schema", "check", "--register", "common.json"] + arguments)
    }

    @Test("Valid, not valid, missing, broken")
    func exitCodes() async throws {
        #expect(try await check("schema.json", "good.json").status == 0)
        #expect(try await check("schema.json", "good.json").output == "good.json: valid\n")
        let bad = try await check("schema.json", "good.json", "bad.json")
        #expect(bad.status == 65)
        #expect(bad.errors.contains("bad.json:2:11: error[schema.type]: found 1, expected"))
        #expect(bad.errors.contains("(at /name)\n"))
        #expect(bad.errors.contains("bad.json:3:12: error[schema.minimum]"))
        #expect(bad.errors.contains("/minimum] (at "))
        #expect(try await check("schema.json", "missing.json").status == 66)
        #expect(try await check("missing.json", "good.json").status == 66)
        try sandbox.write("broken.json", "{\"name\": }")
        let broken = try await check("schema.json", "broken.json")
        #expect(broken.status == 65)
        #expect(broken.errors.hasPrefix("broken.json:1:10: error[json."))
    }

    @Test("A schema that cannot be compiled is named with the place of its fault")
    func brokenSchema() async throws {
        try sandbox.write("wrong.json", "{\n  \"type\": \"strin\"\n}")
        let outcome = try await check("wrong.json", "good.json")
        #expect(outcome.status == 65)
        #expect(outcome.errors.hasPrefix("wrong.json:2:"))
        #expect(outcome.output.isEmpty)
        let unresolved = try await sandbox.bzpack("schema", "check", "schema.json", "good.json")
        #expect(unresolved.status == 65)
        #expect(unresolved.errors.contains("schema.unresolved-reference"))
    }

    @Test("Formats are asserted unless that is switched off")
    func formats() async throws {
        #expect(try await check("plain.json", "day.json").status == 65)
        #expect(try await check("plain.json", "day.json", "--no-format-assertion").status == 0)
    }

    @Test("The report as JSON has a place for each finding")
    func json() async throws {
        let outcome = try await check("schema.json", "good.json", "bad.json", "--format", "json")
        let files = try #require(try outcome.json["files"]?.array)
        #expect(files.map { $0["valid"] } == [true, false])
        let finding = try #require(files.last?["diagnostics"]?.array?.first)
        #expect(finding["line"]?.int == 2)
        #expect(finding["pointer"] == "/name")
        #expect(finding["file"] == "bad.json")
    }

    @Test("The standard input can be checked; strict mode reports unknown members")
    func input() async throws {
        let outcome = try await sandbox.bzpack(
            "schema",
            "check",
            "--strict",
            "plain.json",
            "-",
            input: "{\"dya\": \"2026-02-03\"}"
        )
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("<stdin>:1:2: warning[schema.unknown-member]"))
        #expect(outcome.errors.contains("did you mean \"day\"?"))
    }

    @Test("A named pipe is read once")
    func namedPipe() async throws {
        let script = "mkfifo pipe && { cat bad.json >pipe & } && '\(Built.path("bzpack"))' schema check plain.json pipe"
        let outcome = try await sandbox.run("/bin/sh", ["-c", script])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "pipe: valid\n")
    }

    @Test(
        "The schemas of .bztimer are printed, and valid fixtures are valid by them",
        arguments: 1...BztimerFormat.currentVersion
    )
    func printing(_ version: Int) async throws {
        let schema = try await sandbox.bzpack("schema", "print", "\(version)")
        #expect(schema.status == 0)
        try sandbox.write("bztimer.schema.json", schema.output)
        let fixture = Fixtures.path("bztimer/v\(version)/leg-day.json")
        #expect(try await check("bztimer.schema.json", fixture).status == 0)
        #expect(try await sandbox.bzpack("schema", "print", "4").status == 64)
    }

    @Test("--draft chooses for schemas without $schema, which are noted otherwise")
    func drafts() async throws {
        try sandbox.write("flag.json", #"{"minimum": 3, "exclusiveMinimum": true}"#)
        try sandbox.write("three.json", "3")
        #expect(try await check("flag.json", "three.json", "--draft", "4").status == 65)
        let otherwise = try await check("flag.json", "three.json")
        #expect(otherwise.errors.contains("error[schema.keyword]"))
        #expect(try await check("plain.json", "good.json").errors.contains("note[schema.no-dialect]"))
        #expect(try await check("plain.json", "good.json", "--draft", "7").errors.isEmpty)
        #expect(try await check("plain.json", "good.json", "--draft", "5").status == 64)
    }

    @Test("A bundle needs no neighbours, and --register takes a folder")
    func bundle() async throws {
        #expect(
            try await sandbox.bzpack("schema", "bundle", "--register", ".", "schema.json", "-o", "one.json").status == 0
        )
        #expect(try await sandbox.bzpack("schema", "check", "one.json", "good.json").status == 0)
        let bad = try await sandbox.bzpack("schema", "check", "one.json", "bad.json")
        #expect(bad.status == 65)
        #expect(bad.errors.contains("error[schema.minimum]"))
        let unresolved = try await sandbox.bzpack("schema", "bundle", "schema.json")
        #expect(unresolved.status == 65)
        #expect(unresolved.output.isEmpty)
    }

    @Test("Lint ends with 3 where it found something")
    func lint() async throws {
        try sandbox.write("loose.json", ##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "then": {}}"##)
        let loose = try await sandbox.bzpack("schema", "lint", "loose.json")
        #expect(loose.status == 3)
        #expect(loose.errors.hasPrefix("loose.json:1:69: warning[schema.no-effect]: "))
        let quiet = try await sandbox.bzpack("schema", "lint", "-q", "loose.json")
        #expect(quiet.status == 3)
        #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
        #expect(try await sandbox.bzpack("schema", "lint", "--register", "common.json", "schema.json").status == 0)
        let json = try await sandbox.bzpack("schema", "lint", "loose.json", "--format", "json").json
        #expect(json["files"]?.array?.first?["diagnostics"]?.array?.first?["code"] == "schema.no-effect")
    }

    @Test("A catalogue maps addresses to files, and nothing else is looked for")
    func catalogs() async throws {
        try sandbox.write(
            "main.json",
            #"{"$ref": "https://json.example/count", "$schema": "http://json-schema.org/draft-07/schema#"}"#
        )
        try sandbox.write("count.json", #"{"$id": "https://json.example/count", "type": "integer"}"#)
        try sandbox.write("one.json", "1")
        try sandbox.write(
            "map.json",
            #"{"https://json.example/count": "count.json", "https://json.example/gone": "gone.json"}"#
        )
        try sandbox.write("store.json", #"{"schemas": [{"url": "https://json.example/count", "fileMatch": ["*.c"]}]}"#)
        #expect(try await sandbox.bzpack("schema", "check", "main.json", "one.json").status == 65)
        for catalog in ["map.json", "store.json"] {
            let found = try await sandbox.bzpack(
                "schema",
                "check",
                "--catalog",
                catalog,
                "main.json",
                "one.json",
                "bad.json"
            )
            #expect(found.output == "one.json: valid\nbad.json: not valid, 1 finding\n")
            let address = "https://json.example/count"
            #expect(try await sandbox.bzpack("schema", "check", "--catalog", catalog, address, "one.json").status == 0)
        }
        let gone = try await sandbox.bzpack(
            "schema",
            "check",
            "--catalog",
            "map.json",
            "https://json.example/gone",
            "one.json"
        )
        #expect(gone.status == 66)
        #expect(gone.errors.contains("gone.json: no such file"))
        let unknown = try await sandbox.bzpack("schema", "check", "https://json.example/count", "one.json")
        #expect(unknown.status == 66)
        #expect(unknown.errors.contains("nothing is fetched"))
        let wrong = try await sandbox.bzpack("schema", "check", "--catalog", "good.json", "main.json", "one.json")
        #expect(
            wrong.errors.hasPrefix("good.json:1:24: error[schema.catalog]: found number, expected the path of a file")
        )
    }

    @Test("--output-format prints a line for each value")
    func outputFormats() async throws {
        try sandbox.write("many.jsonl", "{\"name\": \"a\"}\n\n{\"name\": 1}\n{\"name\": \n")
        let flags = try await check("schema.json", "good.json", "many.jsonl", "--output-format", "flag")
        #expect(flags.status == 65)
        let lines = flags.output.split(separator: "\n")
        #expect(lines.prefix(3) == [#"{"valid":true}"#, #"{"valid":true}"#, #"{"valid":false}"#])
        #expect(lines.last?.contains("many.jsonl:4:") == true)
        let basic = try await check("schema.json", "bad.json", "--output-format", "basic")
        #expect(basic.output.contains(#""keywordLocation":"/properties/count/$ref/minimum""#))
        let missing = try await check("schema.json", "gone.json", "good.json", "bad.json", "--output-format", "flag")
        #expect(missing.status == 66)
        #expect(missing.output == "{\"valid\":true}\n{\"valid\":false}\n")
        #expect(missing.errors.hasPrefix("gone.json: error[file.unreadable]: cannot read gone.json"))
        #expect(try await check("schema.json", "bad.json", "--output-format", "short").status == 64)
        #expect(try await check("schema.json", "bad.json", "--output-format", "flag", "--strict").status == 64)
    }

    @Test("Where an output would be too deep, the verdict is that of the findings")
    func deepOutput() async throws {
        try sandbox.write(
            "deep.json",
            ##"{"$ref":"#/$defs/n","$defs":{"b":{"type":"object"},"##
                + ##""n":{"allOf":[{"$ref":"#/$defs/b"},{"properties":{"r":{"$ref":"#/$defs/n"}}}]}}}"##
        )
        for (end, status) in [("{}", Int32(0)), ("1", 65)] {
            let text = String(repeating: "{\"r\":", count: 120) + end + String(repeating: "}", count: 120)
            try sandbox.write("tree.json", text)
            #expect(try await check("deep.json", "tree.json").status == status)
            let basic = try await check("deep.json", "tree.json", "--draft", "2020-12", "--output-format", "basic")
            #expect(basic.status == status)
            #expect(basic.output.hasPrefix("{\"valid\":\(status == 0),"))
            #expect(basic.errors.contains("tree.json:1:1: note[schema.output]") == (status == 0))
        }
    }

    @Test("A file that cannot be read is called so, and its message is said once")
    func unreadFiles() async throws {
        #expect(try await check("schema.json", "gone.json").output == "gone.json: not read\n")
        let failure = try await check("gone.json", "good.json", "--format", "json").json["failure"]
        #expect(failure?["message"] == "cannot read gone.json: no such file or directory")
        try sandbox.write("empty.jsonl", "\n")
        let empty = try await check("schema.json", "empty.jsonl")
        #expect(empty.status == 0)
        #expect(empty.output == "empty.jsonl: valid, 1 finding\n")
        #expect(empty.errors.contains("empty.jsonl: note[json.empty]: the file has no value that could be checked"))
    }

    @Test("A page for people")
    func describe() async throws {
        let page = try await sandbox.bzpack("schema", "describe", "--register", "common.json", "schema.json")
        #expect(page.status == 0)
        #expect(page.output.contains("| `name` | string | yes |  |\n"))
    }

    @Test("Each document of a YAML file is checked, with its own lines and columns")
    func yaml() async throws {
        try sandbox.write("a.yaml", "# é\nname: a\ncount: 0x10\n")
        let valid = try await check("schema.json", "a.yaml")
        #expect(valid.output == "a.yaml: valid\n")
        try sandbox.write("b.YML", "name: \"é\"\nday: 2026-02-30\n---\n'name': 1\ncount: 0\n---\n{é: *b}\n")
        let bad = try await check("schema.json", "b.YML")
        #expect(bad.status == 65)
        let lines = bad.errors.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("b.YML:2:6: error[schema.format]") == true)
        #expect(lines.first?.hasSuffix(", in document 1 (at /day)") == true)
        #expect(bad.errors.contains("\nb.YML:4:9: error[schema.type]: found 1, expected a string"))
        #expect(bad.errors.contains("\nb.YML:5:8: error[schema.minimum]"))
        #expect(bad.errors.contains("\nb.YML:7:5: error[yaml.syntax]: found undefined alias"))
        let outputs = try await check("schema.json", "b.YML", "--output-format", "flag")
        #expect(outputs.output.split(separator: "\n").count == 3)
        let schema = try await check("a.yaml", "good.json")
        #expect(schema.status == 64)
        #expect(schema.errors.contains("yq -o=json . a.yaml"))
    }

    @Test(
        "Scalars mean what YAML 1.2's core schema says",
        arguments: [
            ("007", "7"), ("+1", "1"), ("-0", "-0"), (".5", "0.5"), ("-2.", "-2"), ("1.50e+03", "1.50e+03"),
            ("0x1F", "31"), ("0o17", "15"), ("~", "null"), ("", "null"), ("NULL", "null"), ("True", "true"),
            ("yes", "\"yes\""), ("off", "\"off\""), ("1_000", "\"1_000\""), ("12:30", "\"12:30\""),
            ("2026-01-01", "\"2026-01-01\""), ("'1'", "\"1\""), ("\"\\t\\\"\"", "\"\\t\\\"\""), ("!!str 1", "\"1\""),
            ("!!float 1", "1"), ("! 1", "\"1\""), ("|\n a\n b\n", "\"a\\nb\\n\""), ("{200: a}", "{\"200\": \"a\"}"),
            ("[&a {b: 1}, *a]", "[{\"b\": 1}, {\"b\": 1}]"),
            ("[&a {b: 1, c: 2}, {<<: *a, b: 3}]", "[{\"b\": 1, \"c\": 2}, {\"b\": 3, \"c\": 2}]"),
            ("[&a 1, *a, \"see [*a]: y\"] # ? *a : b", "[1, 1, \"see [*a]: y\"]"),
        ]
    )
    func yamlScalars(yaml: String, json: String) async throws {
        try sandbox.write("const.json", "{\"properties\": {\"v\": {\"const\": \(json)}}, \"required\": [\"v\"]}")
        try sandbox.write("v.yaml", "v: \(yaml)")
        let outcome = try await check("const.json", "v.yaml")
        #expect(outcome.output == "v.yaml: valid\n")
    }

    @Test(
        "What JSON cannot hold is refused with its place",
        arguments: [
            ("", "1:1: error[yaml.empty]"),
            ("a: 1\na: 2", "1:1: error[yaml.duplicate-key]: found the key \"a\" more than once, here and at 2:1"),
            ("{1: a, !!int 1: b}", "1:8: error[yaml.duplicate-key]: found the key \"1\" once more, first at 1:2"),
            ("? [a]\n: b", "1:3: error[yaml.key]"),
            ("a: !x b", "1:4: error[yaml.tag]: found the tag !x"), ("a: !!int b", "1:4: error[yaml.tag]"),
            ("a: !!set {b}", "1:4: error[yaml.tag]: found the tag !!set"), ("a: -.inf", "1:4: error[yaml.number]"),
            ("a: 0xFFFFFFFFFFFFFFFFF", "1:4: error[yaml.number]"), ("a: 1e400", "1:4: error[json.number-range]"),
            ("a: [1", "2:1: error[yaml.syntax]"), ("a:\n  é\u{1}", "2:4: error[yaml.syntax]"),
            ("<<: 1", "1:1: error[yaml.key]"), ("a: &a [*a]", "1:8: error[yaml.syntax]"),
            ("a: &a [x]\n*a : b", "2:1: error[yaml.key]"), ("a: &a [x]\nb: {?[*a]: c}", "2:6: error[yaml.key]"),
        ]
    )
    func refusedYAML(yaml: String, finding: String) async throws {
        try sandbox.write("v.yaml", yaml)
        let outcome = try await check("plain.json", "v.yaml")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("v.yaml:\(finding)"))
        try sandbox.write("latin.yaml", [UInt8]("a: 1\nb: é".utf8) + [0xFF])
        #expect(try await check("plain.json", "latin.yaml").errors.contains("latin.yaml:2:5: error[yaml.utf-8]"))
    }

    @Test("Aliases of aliases end soon, however much they stand for")
    func hostileYAML() async throws {
        func levels(_ inner: String, _ body: (Int) -> String) -> String {
            "a0: &a0 \(inner)\n" + (1..<60).map { "a\($0): &a\($0) \(body($0 - 1))\n" }.joined()
        }
        let chain = "- &a [x]\n" + String(repeating: "- &a [*a]\n", count: 100_000)
        let texts = [
            ("size", levels("[x, x]") { "[*a\($0), *a\($0), *a\($0)]" }),
            ("size", levels("{x: 1}") { "{<<: [*a\($0), *a\($0), *a\($0)]}" }),
            ("key", levels("[x, x]") { "[*a\($0), *a\($0)]" } + "? *a50\n: b\n"),
            ("size", "- &a \(String(repeating: "x", count: 300_000))\n" + String(repeating: "- *a\n", count: 100_000)),
            ("size", "- &a x\n- *a\n" + String(repeating: "# long\n", count: 200_000)),
            ("depth", chain), ("syntax", chain + "- &a x\n- ]\n"),
            ("depth", String(repeating: "[", count: 900) + String(repeating: "]", count: 900)),
            ("depth", String(repeating: "[", count: 100_000)),
        ]
        for (code, text) in texts {
            try sandbox.write("v.yaml", text)
            let outcome = try await check("plain.json", "v.yaml")
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("error[yaml.\(code)]"))
        }
    }

    @Test("Each line of JSON Lines is a value of its own")
    func lines() async throws {
        try sandbox.write("many.jsonl", "{\"name\": \"a\"}\n\n{\"name\": 1}\n{\"name\": \n")
        let outcome = try await check("schema.json", "many.jsonl")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("many.jsonl:3:10: error[schema.type]"))
        #expect(outcome.errors.contains("many.jsonl:4:"))
        try sandbox.write(
            "broken.jsonl",
            "{\"name\": \"a\"}\n{\"b\": 0, \"a\": 1, \"a\": 2}\n{\"a\":\n{\"name\": \"b\"}\n"
        )
        let broken = try await check("schema.json", "broken.jsonl")
        #expect(broken.errors.contains(#"broken.jsonl:2:18: error[json.duplicate-name]: the name "a" occurs twice"#))
        #expect(broken.errors.contains("first at 2:10"))
        #expect(broken.errors.contains("broken.jsonl:3:6: error[json.truncated]: the line ends inside a value"))
        try sandbox.write("wide.jsonl", [0xFF, 0xFE] + "{}\n{}\n".utf16.flatMap { [UInt8($0), 0] })
        let wide = try await check("schema.json", "wide.jsonl")
        #expect(wide.output == "wide.jsonl: not valid, 1 finding\n")
        #expect(wide.errors.contains("wide.jsonl:1:1: error[json.encoding]: the file is UTF-16"))
        try sandbox.write("good.ndjson", "{\"name\": \"a\"}\n{\"name\": \"b\"}\n")
        #expect(try await check("schema.json", "good.ndjson").status == 0)
    }
}
