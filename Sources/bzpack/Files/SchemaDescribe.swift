internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation

extension Bzpack.SchemaGroup {
    struct Describe: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "describe",
            abstract: "Describe a schema for people, as Markdown.",
            discussion: """
                Lists each object's members: what they take, which are required, what they mean. References to other schemas \
                are named; "schema bundle" brings these in first.
                """
        )

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var options: SchemaOptions

        func run() throws {
            try InputPaths.check(options.paths)
            let schema = try options.load()
            let page = try schema.using { schema throws(SchemaError) in
                try JSONSchema.describe(
                    schema.document,
                    uri: schema.uri,
                    registry: schema.registry,
                    name: schema.path == "-" ? "Schema" : schema.path
                )
            }
            let target = OutputFile(output)
            try confirmation.requireReplacing(target)
            try target.write(Array(page.utf8))
            try target.reportWritten()
            StandardError.write(DiagnosticRenderer().render(schema.review, total: schema.review.count))
        }
    }
}
