internal import CommandSupport
internal import FileSystem
internal import JSONSchemaValidation
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A schema that was read, with those that its references may lead to.
struct LoadedSchema {
    /// The file as the person named it.
    let path: String
    let document: JSONDocument
    /// The file's URI, against which relative references are resolved; nil for the standard input.
    let uri: String?
    private(set) var registry: SchemaRegistry
    /// The diagnostics of the schema before it is used.
    private(set) var review: [Diagnostic] = []
    private var paths: [String: String] = [:]

    /// The most files that are registered from folders.
    private static let mostFiles = 10_000

    /// Reads a schema and registers others.
    ///
    /// - Parameters:
    ///   - path: The schema's file.
    ///   - draft: The draft of schemas without `$schema`; nil for 2020-12, with a note where it counts.
    ///   - registered: Files of schemas that references may lead to, by identifier or by path, and folders of them.
    /// - Throws: 65 where a schema is broken, 66 where one cannot be read.
    init(
        _ path: String,
        _ draft: JSONSchemaDraft?,
        registered: [String],
        catalog: SchemaCatalog = SchemaCatalog()
    ) throws(CommandFailure) {
        registry = SchemaRegistry(defaultDraft: draft ?? .draft2020)
        registry.load = { uri throws(SchemaError) in try catalog.document(of: uri) }
        paths = catalog.files
        for file in try Self.files(registered) {
            let document = try Self.document(file)
            let uri = Self.uri(of: file)
            if let uri { paths[uri] = file }
            do {
                try registry.add(document, uri: uri)
            } catch {
                throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: file)])
            }
        }
        if path.contains("://") {
            guard let file = catalog.file(of: path) else {
                throw CommandFailure(
                    .noInput,
                    "cannot read \(path): nothing is fetched; give a file, or map the address to one with --catalog"
                )
            }
            (self.path, uri) = (file, path)
        } else {
            (self.path, uri) = (path, Self.uri(of: path))
        }
        document = try Self.document(self.path)
        if let uri { paths[uri] = self.path }
        review = JSONSchema.review(document, file: self.path, draft: registry.defaultDraft)
        if draft == nil, document.root.kind == .object, document.root["$schema"] == nil {
            let message = "found no \"$schema\"; read as draft \(registry.defaultDraft.name); --draft chooses another"
            review.append(Diagnostic(.note, code: "schema.no-dialect", message: message, file: self.path))
        }
    }

    /// Uses the schema, and names the file where it, or one that it refers to, is broken.
    func using<T>(_ body: (LoadedSchema) throws(SchemaError) -> T) throws(CommandFailure) -> T {
        do {
            return try body(self)
        } catch {
            throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: paths[error.schema] ?? error.schema)])
        }
    }

    /// Compiles the schema.
    ///
    /// - Throws: 65 where it is broken: all its keywords of a wrong kind, or the first other fault.
    func compiled(assertFormats: Bool) throws(CommandFailure) -> JSONSchema {
        if review.contains(where: { $0.severity == .error }) { throw CommandFailure(.badData, diagnostics: review) }
        return try using { schema throws(SchemaError) in
            try JSONSchema(schema.document, uri: schema.uri, registry: schema.registry, assertFormats: assertFormats)
        }
    }

    /// Returns the files among paths, and those named `*.json` in folders among them and below.
    private static func files(_ paths: [String]) throws(CommandFailure) -> [String] {
        var files: [String] = []
        for path in paths {
            guard Files.isFolder(path) else {
                files.append(path)
                continue
            }
            var found: [String] = []
            // Folders that cannot be read have nothing, but for the one that was named.
            var folders = [path.hasSuffix("/") ? path : path + "/"]
            while let folder = folders.popLast() {
                guard let names = try? Files.names(in: folder).names else {
                    guard folder.utf8.count > path.utf8.count + 1 else {
                        throw CommandFailure(.noInput, "cannot read the folder \(path)")
                    }
                    continue
                }
                for name in names {
                    let kind = (try? FileStatus(folder + name, followsLinks: false))?.kind
                    if kind == .folder { folders.append(folder + name + "/") }
                    if name.hasSuffix(".json") { found.append(folder + name) }
                }
                guard found.count <= mostFiles else {
                    throw CommandFailure(
                        .usage,
                        "found more than \(mostFiles) files in \(path), expected fewer schemas"
                    )
                }
            }
            files += found.sorted()
        }
        return files
    }

    static func document(_ path: String) throws(CommandFailure) -> JSONDocument {
        if SchemaInstances.isYAML(path) {
            let message = "found the YAML file \(path), expected a schema in JSON; convert it first, for example with"
            throw CommandFailure(.usage, "\(message): yq -o=json . \(path)")
        }
        let input = try InputFile(reading: path)
        do {
            return try JSONDocument(parsing: input.bytes)
        } catch {
            throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: input.name)])
        }
    }

    private static func uri(of path: String) -> String? {
        path == "-" ? nil : URL(fileURLWithPath: path).standardizedFileURL.absoluteString
    }
}
