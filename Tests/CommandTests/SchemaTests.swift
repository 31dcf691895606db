import StrictJSON
import TestSupport
import Testing

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

    @Test("The schemas of .bztimer are printed, and valid fixtures are valid by them", arguments: [1, 2, 3])
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
        #expect(lines.last?.contains("many.jsonl, line 4") == true)
        let basic = try await check("schema.json", "bad.json", "--output-format", "basic")
        #expect(basic.output.contains(#""keywordLocation":"/properties/count/$ref/minimum""#))
        #expect(try await check("schema.json", "bad.json", "--output-format", "short").status == 64)
        #expect(try await check("schema.json", "bad.json", "--output-format", "flag", "--strict").status == 64)
    }

    @Test("A page for people; YAML is refused with what to do")
    func describe() async throws {
        let page = try await sandbox.bzpack("schema", "describe", "--register", "common.json", "schema.json")
        #expect(page.status == 0)
        #expect(page.output.contains("| `name` | string | yes |  |\n"))
        try sandbox.write("a.yaml", "name: a")
        let refused = try await check("schema.json", "a.yaml")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("yq -o=json . a.yaml"))
    }

    @Test("Each line of JSON Lines is a value of its own")
    func lines() async throws {
        try sandbox.write("many.jsonl", "{\"name\": \"a\"}\n\n{\"name\": 1}\n{\"name\": \n")
        let outcome = try await check("schema.json", "many.jsonl")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("many.jsonl:3:10: error[schema.type]"))
        #expect(outcome.errors.contains("many.jsonl:4:"))
        try sandbox.write("good.ndjson", "{\"name\": \"a\"}\n{\"name\": \"b\"}\n")
        #expect(try await check("schema.json", "good.ndjson").status == 0)
    }
}
