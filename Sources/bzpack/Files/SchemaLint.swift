internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

extension Bzpack.SchemaGroup {
    struct Lint: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lint",
            abstract: "Find what a schema allows and probably does not mean.",
            discussion: """
                Finds misspelt keywords and those of other drafts, keywords without effect, definitions that nothing refers \
                to, bounds that nothing can meet, defaults that their schema refuses, and regular expressions that engines \
                take differently. Ends with 0 where it found nothing, 3 where it did, 65 where the schema is not valid.
                """
        )

        @OptionGroup var output: FormatOption
        @OptionGroup var options: SchemaOptions

        func run() throws {
            try InputPaths.check(options.paths)
            let report = try lint()
            StandardError.write(report.text)
            switch output.format {
            case .text: try StandardOutput.shared.report(report.summary(version: nil) + "\n")
            case .json:
                let json: JSONValue = ["files": [.object(report.json)]]
                try StandardOutput.shared.write(json.encoded(.indented))
            }
            if report.status != .success { throw report.status.exitCode }
        }

        private func lint() throws(CommandFailure) -> FileReport {
            do throws(CommandFailure) {
                let loaded = try options.load()
                let found = try loaded.using { schema throws(SchemaError) in
                    try JSONSchema.lint(schema.document, uri: schema.uri, registry: schema.registry, file: schema.path)
                }
                let notes = loaded.review.filter { $0.severity == .note }
                return FileReport(file: options.schema, diagnostics: found + notes, total: found.count + notes.count)
            } catch {
                output.noteFailure([.object(FileReport(failingSchema: options.schema, error).json)])
                throw error
            }
        }
    }
}
