public import StrictJSON

/// The rules by which the records of a format are merged, read from its JSON Schema.
///
/// ```swift
/// let rules = try MergeSchema(reading: schema)
/// let records = try rules.records(of: document)
/// ```
///
/// Keywords are `x-merge`, `x-key`, `x-group` and `x-order`; docs/sync.md has their meaning. A member without `x-merge`
/// is a register, but an array of objects has to say what it is. Rules are never changed once they are released.
public struct MergeSchema: Sendable, Hashable {
    /// The document's own members; collections are among them.
    public let document: RecordRules

    /// Reads the rules of a format.
    ///
    /// - Parameters:
    ///   - schema: The schema of the format's current version.
    ///   - others: Schemas that it refers to by their `$id`.
    /// - Throws: The first keyword that is wrong or missing, with its place in the schema.
    public init(reading schema: JSONValue, others: [JSONValue] = []) throws(MergeSchemaError) {
        var reader = MergeSchemaReader(schema: schema, others: others)
        document = try reader.rules(of: schema, at: .root, isDocument: true)
    }

    /// The rules of a collection; nil where the document has none of that name.
    public func collection(_ name: String) -> MemberRule? {
        guard let member = document[name], member.isCollection else { return nil }
        return member
    }

    /// The rules of the members of a collection's records, or of the document itself for the empty name.
    public func record(in collection: String) -> RecordRules {
        if collection.isEmpty { return RecordRules(document.members.filter { !$0.isCollection }) }
        return self.collection(collection)?.elements?.record ?? RecordRules([])
    }
}

extension MemberRule {
    /// Whether its elements are records of their own.
    var isCollection: Bool { isCollectionOfRecords || rule == .record }

    /// Whether it is an array of records.
    var isCollectionOfRecords: Bool {
        elements != nil && isOfDocument && (rule == .records || rule == .log || rule == .list)
    }
}

/// A merge keyword that cannot be used.
public struct MergeSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the schema.
    public let pointer: JSONPointer
    /// What was found and what was expected.
    public let message: String

    /// The error as one line.
    public var description: String { "\(message) (at \(pointer))" }
}
