public import FormatKit
public import StrictJSON

/// The versions of Slate's export and the steps between them.
public enum SlateMigrations {
    private static let built = Result { () throws(AppFormatError) in
        try MigrationChain(format: "slate", steps: [SlateStep1To2.step])
    }

    /// The chain of versions 1 and 2.
    public static func chain() throws(AppFormatError) -> MigrationChain { try built.get() }

    /// A document in another version, its known members in schema order.
    ///
    /// ```swift
    /// let old = try SlateMigrations.migrate(document, from: 2, to: 1)
    /// for loss in old.losses { print(loss) }
    /// ```
    ///
    /// - Parameters:
    ///   - document: A valid document of version `from`.
    ///   - from: The version that it is.
    ///   - to: The version that is wanted.
    /// - Throws: `version.newer` or `version.invalid` for an unknown version.
    public static func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        var migrated = try chain().migrate(document, from: from, to: to)
        migrated.value = SlateOrder.ordered(migrated.value, version: to)
        return migrated
    }
}
