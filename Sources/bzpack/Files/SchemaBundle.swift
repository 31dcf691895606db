internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

extension Bzpack.SchemaGroup {
    struct Bundle: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bundle",
            abstract: "Bring a schema and all it refers to into one file.",
            discussion: """
                Each schema that is reached is embedded with its own address, so that no reference changes. Schemas that \
                references lead to are given with --register; nothing is fetched.
                """
        )

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var options: SchemaOptions

        func run() throws {
            try InputPaths.check(options.paths)
            let schema = try options.load()
            let bundle = try schema.using { schema throws(SchemaError) in
                try JSONSchema.bundle(schema.document, uri: schema.uri, registry: schema.registry)
            }
            let target = OutputFile(output)
            try confirmation.requireReplacing(target)
            try target.write(bundle.encoded(.indented))
            try target.reportWritten()
            StandardError.write(DiagnosticRenderer().render(schema.review, total: schema.review.count))
        }
    }
}
