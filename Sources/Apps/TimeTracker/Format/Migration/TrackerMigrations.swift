public import FormatKit
public import StrictJSON

/// The versions of Time Tracker exports and the step between them.
public enum TrackerMigrations {
    private static let built = Result { () throws(AppFormatError) in
        try MigrationChain(format: TrackerExport.format, steps: [TrackerStep1To2.step])
    }

    /// The chain of versions 1 and 2.
    public static func chain() throws(AppFormatError) -> MigrationChain { try built.get() }

    /// A document in another version, its known members in schema order.
    ///
    /// This is for documents that are small: it takes some ten times their size in memory. ``TrackerReader`` and
    /// ``TrackerWriter`` read and write both versions row by row.
    ///
    /// - Parameters:
    ///   - document: A valid document of version `from`.
    ///   - from: The version that it is.
    ///   - to: The version that is wanted.
    /// - Throws: `version.newer` or `version.invalid` for an unknown version.
    public static func migrate(_ document: JSONValue, from: Int, to: Int) throws(AppFormatError) -> Migrated {
        var migrated = try chain().migrate(document, from: from, to: to)
        migrated.value = TrackerLayout.ordered(migrated.value, version: to)
        return migrated
    }
}
