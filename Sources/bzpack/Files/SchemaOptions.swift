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

    @Option(
        help: ArgumentHelp(
            "A file that maps addresses of schemas to files; may be repeated.",
            discussion: """
                Either an object of addresses and paths, or SchemaStore's catalog.json: there a schema's file is its "file", or \
                the one beside the catalogue that is named as its "url" ends.
                """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var catalog: [String] = []

    @Argument(help: "The schema: a file, or an address that a catalogue has.", completion: .file(extensions: ["json"]))
    var schema: String

    /// Reads the schema and registers those that references may lead to.
    ///
    /// - Throws: 64 for an unknown draft, 65 where a schema is broken, 66 where one cannot be read.
    func load() throws(CommandFailure) -> LoadedSchema {
        var catalog = SchemaCatalog()
        for path in self.catalog { try catalog.add(path) }
        return try LoadedSchema(schema, chosenDraft(), registered: registered, catalog: catalog)
    }

    /// The files that these options name.
    var paths: [String] { (schema.contains("://") ? [] : [schema]) + registered + catalog }

    private func chosenDraft() throws(CommandFailure) -> JSONSchemaDraft? {
        guard let draft else { return nil }
        guard let chosen = JSONSchemaDraft(name: draft) else {
            let names = JSONSchemaDraft.allCases.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "found the draft \"\(draft)\", expected one of \(names)")
        }
        return chosen
    }
}
