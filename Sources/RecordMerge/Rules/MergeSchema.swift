public import StrictJSON

/// The rules for merging the records of a format, read from its JSON Schema.
///
/// ```swift
/// let rules = try MergeSchema(reading: schema)
/// let records = try rules.records(of: document)
/// ```
///
/// The keywords are `x-merge`, `x-key`, `x-group` and `x-order`; docs/sync.md defines them. A member without `x-merge`
/// is a register, but an array of objects must say what it is. Released rules never change.
public struct MergeSchema: Sendable, Hashable {
    /// The members of the document, with the collections.
    public let document: RecordRules

    /// Reads the rules of a format.
    ///
    /// - Parameters:
    ///   - schema: The schema of the format's current version.
    ///   - others: The schemas that it refers to by their `$id`.
    /// - Throws: ``MergeSchemaError`` for the first keyword that is wrong or missing.
    public init(reading schema: JSONValue, others: [JSONValue] = []) throws(MergeSchemaError) {
        var reader = MergeSchemaReader(schema: schema, others: others)
        document = try reader.rules(of: schema, at: .root, isDocument: true)
    }

    /// Returns the rules of a collection; nil where the document has none of that name.
    public func collection(_ name: String) -> MemberRule? {
        guard let member = document[name], member.isCollection else { return nil }
        return member
    }

    /// Returns the rules of a collection's records, or of the document itself for the empty name.
    public func record(in collection: String) -> RecordRules {
        if collection.isEmpty { return RecordRules(document.members.filter { !$0.isCollection }) }
        return self.collection(collection)?.elements?.record ?? RecordRules([])
    }

    /// Resolves the versions of a record without regard to other records.
    package func resolved(_ key: RecordKey, _ state: RecordState) -> ResolvedRecord {
        ResolvedRecord(key, state, record(in: key.collection))
    }
}

extension MemberRule {
    /// True if its elements are records of their own.
    var isCollection: Bool { isCollectionOfRecords || rule == .record }

    /// True if it is an array of records.
    var isCollectionOfRecords: Bool {
        elements != nil && isOfDocument && (rule == .records || rule == .log || rule == .list)
    }
}

/// An error in a merge keyword.
public struct MergeSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the schema.
    public let pointer: JSONPointer
    /// The fault: what the reader found and what it expected.
    public let message: String

    /// The error as one line.
    public var description: String { "\(message) (at \(pointer))" }
}
