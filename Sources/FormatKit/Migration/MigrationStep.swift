public import StrictJSON

/// Something of a document that a reader of an older version will not see.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The place of the value, in the document before the migration.
    public var pointer: JSONPointer
    /// The sentence that says what is not seen; from a single step without its subject, the version that is wanted.
    public var text: String

    /// Makes a loss.
    public init(_ text: String, at pointer: JSONPointer) {
        self.text = text
        self.pointer = pointer
    }

    /// Text and place in one line.
    public var description: String { "\(text) (at \(pointer.tokens.isEmpty ? "the top level" : pointer.description))" }
}

/// A document in another version, and what a reader of that version will not see of it.
public struct Migrated: Sendable, Hashable {
    /// The document.
    public var value: JSONValue
    /// The values that a person wrote and the version cannot hold; always empty on the way up.
    public var losses: [MigrationLoss]
    /// The values that nobody wrote and the version cannot hold, such as the moment of export; always empty on the way
    /// up.
    public var notes: [MigrationLoss]

    /// Makes a migrated document.
    public init(_ value: JSONValue, losses: [MigrationLoss] = [], notes: [MigrationLoss] = []) {
        self.value = value
        self.losses = losses
        self.notes = notes
    }
}

/// One version of a format to the next, in both directions.
///
/// `up` and `down` are pure, each undoes the other exactly, and neither is changed once it was released. They take
/// documents that are valid in their version; what is not of the expected shape they pass on as it is.
public struct MigrationStep: Sendable {
    /// Turns a document into another version.
    public typealias Function = @Sendable (JSONValue) throws(AppFormatError) -> Migrated

    /// The format's name.
    public let format: String
    /// The older version.
    public let from: Int
    /// The newer version, one more.
    public let to: Int
    /// The values that a reader of the older version will not see, for documentation and help.
    public let losses: [String]
    /// The migration from the older version to the newer.
    public let up: Function
    /// The migration from the newer version to the older.
    public let down: Function
    /// Returns the place in the older version of what the newer one has at a pointer.
    public let olderPointer: @Sendable (JSONPointer) -> JSONPointer
    /// Returns the place in the newer version of what the older one has at a pointer.
    public let newerPointer: @Sendable (JSONPointer) -> JSONPointer

    /// Makes a step.
    public init(
        format: String,
        from: Int,
        to: Int,
        losses: [String],
        up: @escaping Function,
        down: @escaping Function,
        olderPointer: @escaping @Sendable (JSONPointer) -> JSONPointer = { $0 },
        newerPointer: @escaping @Sendable (JSONPointer) -> JSONPointer = { $0 }
    ) {
        self.format = format
        self.from = from
        self.to = to
        self.losses = losses
        self.up = up
        self.down = down
        self.olderPointer = olderPointer
        self.newerPointer = newerPointer
    }
}
