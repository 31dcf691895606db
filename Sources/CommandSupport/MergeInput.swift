package import FormatKit
package import RecordMerge
package import StrictJSON

/// A document to merge, with the parts that it cannot contain.
///
/// A part that an older version lacks, or a document without that optional part, counts as unchanged, not as deleted.
package struct MergeInput {
    /// The document in the current version of its format.
    package let value: JSONValue
    private let version: DocumentVersion?
    private let unsaid: Set<String>

    /// Makes the input of a merge.
    ///
    /// - Parameters:
    ///   - value: The document in the current version of its format.
    ///   - version: The version that the file is.
    ///   - unsaid: The collections that the file cannot contain.
    package init(_ value: JSONValue, version: DocumentVersion?, unsaid: Set<String> = []) {
        self.value = value
        self.version = version
        self.unsaid = unsaid
    }

    /// Returns the document with the parts of another one that it cannot contain.
    ///
    /// - Parameter full: The base of a merge, or the other document where there is none.
    /// - Throws: What the migration throws, and a `MergeInputError` where a document cannot be taken apart.
    package func completed(by full: MergeInput, _ schema: MergeSchema) throws -> JSONValue {
        guard let version, !version.isCurrent else {
            return try schema.completed(value, by: full.value, unsaid: unsaid, reduce: nil)
        }
        return try schema.completed(value, by: full.value, unsaid: unsaid) {
            try version.reduce($0, to: version.number)
        }
    }
}
