internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

extension Bzpack.SchemaGroup {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Validate JSON files against a JSON Schema.",
            discussion: """
                The schema's $schema tells its draft: 4, 6, 7, 2019-09 or 2020-12. Without it, --draft does, or it is 2020-12.

                Nothing is fetched: schemas that references lead to are given with --register, by their $id or their path. \
                Ends with 0 where all files are valid, 3 where --strict found unknown members, 65 where a file or the \
                schema is not valid, 66 where one cannot be read.
                """
        )

        @OptionGroup var output: FormatOption

        @Flag(name: .customLong("no-format-assertion"), help: "Take the keyword format as a note, as the draft does.")
        var ignoresFormats = false

        @Flag(help: "Report members that the schema does not know.")
        var strict = false

        @Option(
            help: ArgumentHelp(
                "The draft of schemas without $schema: 4, 6, 7, 2019-09 or 2020-12.",
                valueName: "draft"
            ),
            completion: .list(JSONSchemaDraft.allCases.map(\.name))
        )
        var draft: String?

        @Option(
            name: .customLong("register"),
            parsing: .singleValue,
            help: ArgumentHelp("A schema that references may lead to; may be repeated.", valueName: "file"),
            completion: .file(extensions: ["json"])
        )
        var registered: [String] = []

        @Argument(help: "The schema.", completion: .file(extensions: ["json"]))
        var schema: String

        @Argument(help: "The files; - is the standard input.", completion: .file(extensions: ["json"]))
        var files: [String]

        func run() throws {
            try InputPaths.check([schema] + registered + files)
            let schema = try load(chosenDraft())
            var reports: [FileReport] = []
            for file in files {
                let report = check(file, schema)
                reports.append(report)
                StandardError.write(report.text)
                if output.format == .text { try StandardOutput.shared.write(report.summary(version: nil) + "\n") }
            }
            if output.format == .json {
                let json: JSONValue = ["files": .array(reports.map { .object($0.json) })]
                try StandardOutput.shared.write(json.encoded(.indented))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }

        private func chosenDraft() throws(CommandFailure) -> JSONSchemaDraft? {
            guard let draft else { return nil }
            guard let chosen = JSONSchemaDraft(name: draft) else {
                let names = JSONSchemaDraft.allCases.map(\.name).joined(separator: ", ")
                throw CommandFailure(.usage, "found the draft \"\(draft)\", expected one of \(names)")
            }
            return chosen
        }

        private func load(_ draft: JSONSchemaDraft?) throws(CommandFailure) -> JSONSchema {
            do throws(CommandFailure) {
                return try SchemaLoader.load(schema, draft, registered: registered, assertFormats: !ignoresFormats)
            } catch {
                try output.printFailure([.object(FileReport(failingSchema: schema, error).json)])
                throw error
            }
        }

        private func check(_ file: String, _ schema: JSONSchema) -> FileReport {
            do {
                let input = try InputSource(opening: file)
                return try withExtendedLifetime(input) { try validate(input, schema) }
            } catch let failure as CommandFailure {
                return FileReport(file: file, failure: failure)
            } catch {
                return FileReport(file: file, failure: CommandFailure(.inputOutput, "cannot read \(file): \(error)"))
            }
        }

        /// Validates while reading, so that a file may be larger than the memory.
        private func validate(_ input: InputSource, _ schema: JSONSchema) throws -> FileReport {
            do {
                let report = try schema.validate(input.source, strict: strict)
                let diagnostics = report.findings.map { finding in
                    // Who checks against a schema of their own wants to see the keyword, too.
                    var diagnostic = finding.diagnostic(file: input.name)
                    diagnostic.message += " [\(finding.keywordLocation)]"
                    return diagnostic
                }
                var result = FileReport(file: input.name, diagnostics: diagnostics, total: report.total)
                if !report.isValid { result.status = .badData }
                return result
            } catch let error as JSONError {
                return FileReport(file: input.name, diagnostics: [error.diagnostic(file: input.name)], total: 1)
            }
        }
    }
}
