internal import ArgumentParser
internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

/// The options of all commands that read a schema.
struct SchemaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The draft of schemas without $schema: 4, 6, 7, 2019-09 or 2020-12.", valueName: "draft"),
        completion: .list(JSONSchemaDraft.allCases.map(\.name))
    )
    var draft: String?

    @Option(
        name: .customLong("register"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "A schema that references may lead to, or a folder of them; may be repeated.",
            valueName: "path"
        ),
        completion: .file()
    )
    var registered: [String] = []

    @Argument(help: "The schema.", completion: .file(extensions: ["json"]))
    var schema: String

    /// Reads the schema and registers those that references may lead to.
    ///
    /// - Throws: 64 for an unknown draft, 65 where a schema is broken, 66 where one cannot be read.
    func load() throws(CommandFailure) -> LoadedSchema {
        try LoadedSchema(schema, chosenDraft(), registered: registered)
    }

    private func chosenDraft() throws(CommandFailure) -> JSONSchemaDraft? {
        guard let draft else { return nil }
        guard let chosen = JSONSchemaDraft(name: draft) else {
            let names = JSONSchemaDraft.allCases.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "found the draft \"\(draft)\", expected one of \(names)")
        }
        return chosen
    }
}
