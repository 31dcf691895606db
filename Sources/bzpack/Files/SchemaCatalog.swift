internal import CommandSupport
internal import JSONSchemaValidation
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The files of schemas by the schemas' addresses.
struct SchemaCatalog: Sendable {
    /// The files by address.
    private(set) var files: [String: String] = [:]

    /// Adds what a file says: an object of addresses and paths, or SchemaStore's list.
    ///
    /// - Throws: 65 for a file of another form, 66 where it cannot be read.
    mutating func add(_ path: String) throws(CommandFailure) {
        let root = try LoadedSchema.document(path).root
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        guard let schemas = root["schemas"], schemas.kind == .array else {
            guard root.kind == .object else { throw wrong(root, "an object of addresses and files", path) }
            for member in root.members {
                guard let file = member.value.string else { throw wrong(member.value, "the path of a file", path) }
                add(member.name, folder.appending(path: file).path)
            }
            return
        }
        for schema in schemas.elements {
            guard let address = schema["url"]?.string else { throw wrong(schema, "a schema with a \"url\"", path) }
            if let file = schema["file"]?.string {
                add(address, folder.appending(path: file).path)
            } else if let name = address.split(separator: "/").last {
                // A checkout of SchemaStore has the files of its addresses under the same names, with or without the suffix.
                let names = [String(name), name + ".json"].map { folder.appending(path: $0).path }
                if let file = names.first(where: { FileManager.default.fileExists(atPath: $0) }) { add(address, file) }
            }
        }
    }

    private mutating func add(_ address: String, _ file: String) {
        if files[Self.key(address)] == nil { files[Self.key(address)] = file }
    }

    /// Returns the file of an address, with an empty fragment or without.
    func file(of address: String) -> String? { files[Self.key(address)] }

    /// Returns the schema of an address; nil where the catalogue has none.
    func document(of address: String) throws(SchemaError) -> JSONDocument? {
        guard let file = file(of: address) else { return nil }
        do {
            return try LoadedSchema.document(file)
        } catch {
            let message = "found no schema in \(file), which the catalogue names for \(address): \(error)"
            throw SchemaError(code: .reference, message: message, schema: address, pointer: .root, position: nil)
        }
    }

    private static func key(_ address: String) -> String {
        address.hasSuffix("#") ? String(address.dropLast()) : address
    }

    private func wrong(_ node: JSONNode, _ expected: String, _ path: String) -> CommandFailure {
        let message = "found \(node.kind), expected \(expected)"
        let diagnostic = Diagnostic(
            code: "schema.catalog",
            message: message,
            file: path,
            position: node.position,
            pointer: node.pointer
        )
        return CommandFailure(.badData, diagnostics: [diagnostic])
    }
}
