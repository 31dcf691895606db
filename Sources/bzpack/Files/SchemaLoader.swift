internal import CommandSupport
internal import Foundation
internal import JSONSchemaValidation
internal import StrictJSON

/// Reads and compiles a schema with those that it refers to.
enum SchemaLoader {
    /// The schema of a file.
    ///
    /// - Parameters:
    ///   - path: The schema's file.
    ///   - draft: The draft of schemas without `$schema`; nil for 2020-12, with a note where it counts.
    ///   - registered: Files of schemas that references may lead to, by `$id` or by path.
    ///   - assertFormats: Whether `format` is checked.
    /// - Throws: 65 where a schema is broken, 66 where one cannot be read.
    static func load(
        _ path: String,
        _ draft: JSONSchemaDraft?,
        registered: [String],
        assertFormats: Bool
    ) throws(CommandFailure) -> JSONSchema {
        var registry = SchemaRegistry(defaultDraft: draft ?? .draft2020)
        var paths: [String: String] = [:]
        for file in registered {
            let document = try document(file)
            let uri = uri(of: file)
            if let uri { paths[uri] = file }
            do {
                try registry.add(document, uri: uri)
            } catch {
                throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: file)])
            }
        }
        let document = try document(path)
        let uri = uri(of: path)
        if let uri { paths[uri] = path }
        var review = JSONSchema.review(document, file: path, draft: registry.defaultDraft)
        if draft == nil, document.root.kind == .object, document.root["$schema"] == nil {
            let message = "found no \"$schema\"; read as draft \(registry.defaultDraft.name); --draft chooses another"
            review.append(Diagnostic(.note, code: "schema.no-dialect", message: message, file: path))
        }
        if review.contains(where: { $0.severity == .error }) { throw CommandFailure(.badData, diagnostics: review) }
        StandardError.write(DiagnosticRenderer().render(review, total: review.count))
        do {
            return try JSONSchema(document, uri: uri, registry: registry, assertFormats: assertFormats)
        } catch {
            throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: paths[error.schema] ?? error.schema)])
        }
    }

    private static func document(_ path: String) throws(CommandFailure) -> JSONDocument {
        let input = try InputFile(reading: path)
        do {
            return try JSONDocument(parsing: input.bytes)
        } catch {
            throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: input.name)])
        }
    }

    /// The file's URI, against which relative references are resolved; nil for the standard input.
    private static func uri(of path: String) -> String? {
        path == "-" ? nil : URL(fileURLWithPath: path).standardizedFileURL.absoluteString
    }
}
