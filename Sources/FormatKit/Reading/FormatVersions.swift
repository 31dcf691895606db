package import JSONSchemaValidation
public import StrictJSON
import Synchronization

/// The versions of a format: a schema for each, a step between each two, and the members of each in schema order.
///
/// ```swift
/// FormatVersions("study-log", schemas: [one, two], steps: [StudyStep1To2.step], layout: StudyLayout.version)
/// ```
public final class FormatVersions: Sendable {
    /// The format's name.
    public let format: String
    /// The text of the schema of each version, version 1 first.
    public let schemas: [[UInt8]]

    private let built: Result<MigrationChain, AppFormatError>
    private let layout: @Sendable (Int) -> MemberLayout
    private let omissible: [Int: [String]]
    private let compiled = Mutex<[Int: Result<JSONSchema, AppFormatError>]>([:])

    /// Versions from 1 on.
    ///
    /// - Parameters:
    ///   - format: The format's name.
    ///   - schemas: The text of the schema of each version, version 1 first.
    ///   - steps: The steps between them.
    ///   - omissible: The members of a version that some of its writers did not know.
    ///   - layout: The members of a version in schema order.
    package init(
        _ format: String,
        schemas: [[UInt8]],
        steps: [MigrationStep],
        omissible: [Int: [String]] = [:],
        layout: @escaping @Sendable (Int) -> MemberLayout
    ) {
        self.format = format
        self.schemas = schemas
        self.omissible = omissible
        self.layout = layout
        built = Result { () throws(AppFormatError) in
            let chain = try MigrationChain(format: format, steps: steps)
            guard chain.oldest == 1, chain.current == schemas.count else {
                let message =
                    "\(format) has \(schemas.count) schemas, and steps from \(chain.oldest) to \(chain.current)"
                throw AppFormatError(.migrationChain, message)
            }
            return chain
        }
    }

    /// The current version.
    public var current: Int { schemas.count }

    /// The text of the schema of the current version.
    public var currentSchema: [UInt8] { schemas.last ?? [] }

    /// The numbers of all versions in words: `1, 2 or 3`.
    public var list: String {
        current > 1 ? "\((1..<current).map(String.init).joined(separator: ", ")) or \(current)" : "1"
    }

    /// Returns the chain of all steps.
    ///
    /// - Throws: `migration.chain` where the steps do not lead from version 1 to the current one.
    public func chain() throws(AppFormatError) -> MigrationChain { try built.get() }

    /// Returns the text of the schema of a version, or nil where there is no such version.
    public func schemaText(_ version: Int) -> [UInt8]? {
        schemas.indices.contains(version - 1) ? schemas[version - 1] : nil
    }

    /// Returns the schema of a version, compiled when it is first asked for.
    package func schema(_ version: Int) throws(AppFormatError) -> JSONSchema {
        guard let text = schemaText(version) else {
            throw AppFormatError(.versionInvalid, "\(format) has no version \(version)")
        }
        return try compiled.withLock { compiled in
            if let known = compiled[version] { return known }
            let result = compile(text, version)
            compiled[version] = result
            return result
        }.get()
    }

    private func compile(_ text: [UInt8], _ version: Int) -> Result<JSONSchema, AppFormatError> {
        do {
            return .success(try JSONSchema(own: JSONDocument(parsing: text)))
        } catch {
            return .failure(AppFormatError(.schema, "the schema of \(format) version \(version) is broken: \(error)"))
        }
    }

    /// Returns a document in another version, its known members in schema order.
    ///
    /// - Throws: `version.newer` or `version.invalid` for an unknown version, and what a step throws.
    public func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        var migrated = try chain().migrate(document, from: from, to: to)
        migrated.value = layout(to).ordered(migrated.value)
        return migrated
    }

    /// Returns the names of members that the writer of a document did not know.
    func unknownToWriter(of document: JSONNode?, version: Int) -> Set<String> {
        guard let document, let names = omissible[version] else { return [] }
        return Set(names.filter { !document.hasMember($0) })
    }

    /// Returns the places of members that a version does not know, at most `limit`.
    func unknownMembers(of root: JSONNode, version: Int, limit: Int) -> [JSONPointer] {
        var places: [JSONPointer] = []
        layout(version).findUnknown(in: root, at: .root, into: &places, limit: limit)
        return places
    }

    /// Returns the place in a document of a version of what the current version has at a pointer.
    func origin(_ pointer: JSONPointer, in version: Int) -> JSONPointer {
        (try? chain().pointer(pointer, ofCurrentIn: version)) ?? pointer
    }
}

extension JSONNode {
    /// Tells whether an object in the value, at any depth, has a member of a name.
    fileprivate func hasMember(_ name: String) -> Bool {
        switch kind {
        case .object: members.contains { $0.name == name || $0.value.hasMember(name) }
        case .array: elements.contains { $0.hasMember(name) }
        default: false
        }
    }
}
