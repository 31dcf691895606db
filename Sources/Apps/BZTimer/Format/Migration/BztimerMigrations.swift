public import FormatKit
public import StrictJSON

/// The versions of `.bztimer` and the steps between them.
public enum BztimerMigrations {
    private static let built = Result { () throws(AppFormatError) in
        try MigrationChain(format: "bztimer", steps: [BztimerStep1To2.step, BztimerStep2To3.step])
    }

    /// The chain of versions 1, 2 and 3.
    public static func chain() throws(AppFormatError) -> MigrationChain { try built.get() }

    /// A document in another version, its known members in schema order.
    ///
    /// - Parameters:
    ///   - document: A valid document of version `from`.
    ///   - from: The version that it is.
    ///   - to: The version that is wanted.
    /// - Throws: `version.newer` or `version.invalid` for an unknown version, and `bztimer.session-count` where a version
    ///   that holds one session is wanted and the document holds none or several.
    public static func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        var migrated = try chain().migrate(document, from: from, to: to)
        migrated.value = BztimerLayout.ordered(migrated.value, version: to)
        return migrated
    }
}
