internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

extension Bzpack.SchemaGroup {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Validate JSON or YAML files against a JSON Schema.",
            discussion: """
                The schema's $schema tells its draft: 4, 6, 7, 2019-09 or 2020-12. Without it, --draft does, or it is 2020-12.

                Nothing is fetched: schemas that references lead to are given with --register, by their $id or their path. \
                In files that end in .jsonl or .ndjson each line is a value of its own; in those that end in .yaml or .yml \
                each document is. \
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
                "Print a standard output: flag, basic, detailed or verbose.",
                discussion: "One line of JSON for each value that is checked, instead of what --format prints.",
                valueName: "format"
            ),
            completion: .list(SchemaOutputFormat.allCases.map(\.rawValue)),
            transform: Self.outputFormat
        )
        var outputFormat: SchemaOutputFormat?

        @OptionGroup var options: SchemaOptions

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["json", "jsonl", "ndjson", "yaml", "yml"])
        )
        var files: [String]

        func run() throws {
            try InputPaths.check(options.paths + files)
            let schema = try load()
            if let outputFormat { return try printOutputs(outputFormat, schema) }
            var reports: [FileReport] = []
            try ProgressLine().forEach(files, "Checking", "files") { file in
                let report = check(file, schema)
                reports.append(report)
                StandardError.write(report.text)
                if output.format == .text { try StandardOutput.shared.report(report.summary(version: nil) + "\n") }
            }
            if output.format == .json {
                let json: JSONValue = ["files": .array(reports.map { .object($0.json) })]
                try StandardOutput.shared.write(json.encoded(.indented))
            }
            if reports.worst != .success { throw reports.worst.exitCode }
        }

        private func load() throws(CommandFailure) -> JSONSchema {
            do throws(CommandFailure) {
                let loaded = try options.load()
                let schema = try loaded.compiled(assertFormats: !ignoresFormats)
                StandardError.write(DiagnosticRenderer().render(loaded.review, total: loaded.review.count))
                return schema
            } catch {
                output.noteFailure([.object(FileReport(failingSchema: options.schema, error).json)])
                throw error
            }
        }

        private func check(_ file: String, _ schema: JSONSchema) -> FileReport {
            do {
                if SchemaInstances.hasSeveral(file) {
                    return try validateEach(SchemaInstances(InputFile(reading: file, limit: 1 << 32)), schema)
                }
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
                let diagnostics = report.findings.map { diagnostic($0, input.name) }
                var result = FileReport(file: input.name, diagnostics: diagnostics, total: report.total)
                if !report.isValid { result.status = .badData }
                return result
            } catch let error as JSONError {
                return FileReport(file: input.name, diagnostics: [error.diagnostic(file: input.name)], total: 1)
            }
        }

        /// Validates each value of a file.
        private func validateEach(_ instances: SchemaInstances, _ schema: JSONSchema) -> FileReport {
            var diagnostics: [Diagnostic] = []
            var total = 0
            var isValid = true
            var isEmpty = true
            instances.forEach { instance in
                isEmpty = false
                var found: [Diagnostic]
                do throws(JSONError) {
                    // Make words only for findings that are shown.
                    let limit = 100 - min(diagnostics.count, 100)
                    let report = schema.validate(try instance.document(), strict: strict, limit: limit)
                    found = report.findings.map { diagnostic($0, instances.file) }
                    total += report.total
                    if !report.isValid { isValid = false }
                } catch {
                    found = [error.diagnostic(file: instances.file)]
                    total += 1
                    isValid = false
                }
                for index in found.indices {
                    found[index].position = found[index].position.map(instance.position)
                    found[index].message += instance.note
                }
                diagnostics += found.prefix(100 - min(diagnostics.count, 100))
            }
            if let failure = instances.failure {
                diagnostics.append(failure)
                total += 1
                isValid = false
            } else if isEmpty {
                diagnostics.append(Self.emptyFile(instances.file))
                total += 1
            }
            var result = FileReport(file: instances.file, diagnostics: diagnostics, total: total)
            if !isValid { result.status = .badData }
            return result
        }

        /// The note on a file of JSON Lines without a line.
        static func emptyFile(_ file: String) -> Diagnostic {
            Diagnostic(.note, code: "json.empty", message: "the file has no value that could be checked", file: file)
        }

        /// Returns the diagnostic of a finding, with the keyword that a check against one's own schema shows.
        private func diagnostic(_ finding: ValidationFinding, _ file: String) -> Diagnostic {
            var diagnostic = finding.diagnostic(file: file)
            diagnostic.message += " [\(finding.keywordLocation)]"
            return diagnostic
        }
    }
}
