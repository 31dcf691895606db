internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import Slate

/// The option `--store`, for a database of which nothing is left out.
struct LocationOption: ParsableArguments, DatabaseAccess {
    @Option(
        help: ArgumentHelp("Use this database instead of the default one.", valueName: "path"),
        completion: .file()
    )
    var store: String?

    // Its name in version 0.1.
    @Option(name: .customLong("db"), help: .hidden)
    var database: String?

    var path: String? { store ?? database }

    var excluded: [String] { [] }
}

/// The options `--store` and `--exclude`.
struct DatabaseOption: ParsableArguments, DatabaseAccess {
    @OptionGroup var location: LocationOption

    @Option(
        name: .customLong("exclude"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Leave out this table or column, which Slate's format does not have; may be repeated.",
            valueName: "table|table.column"
        )
    )
    var excluded: [String] = []

    var path: String? { location.path }
}

/// Opens the database that the options name.
protocol DatabaseAccess {
    /// The path that was given.
    var path: String? { get }
    /// The tables, and columns as `table.column`, that are left out.
    var excluded: [String] { get }
}

extension DatabaseAccess {
    /// Returns the path of the database.
    func resolvedPath() throws(CommandFailure) -> String {
        try StoreArgument.path(path, option: "--store", default: "slate.db")
    }

    /// Opens the database for reading.
    func reading() throws -> SlateDatabase {
        do {
            return try SlateDatabase(path: resolvedPath(), for: .reading, excluding: Set(excluded))
        } catch let error as StoreError where error.code == .cannotOpen {
            throw CommandFailure(.noInput, diagnostics: [error.diagnostic])
        }
    }

    /// Opens the database for reading, or gives nil where there is none.
    func readingIfPresent() throws -> SlateDatabase? {
        do {
            return try reading()
        } catch let error as StoreError where error.code == .notFound {
            return nil
        }
    }

    /// Opens the database for writing; where it need not exist, the folder of the default one is made.
    ///
    /// - Returns: The database, and whether writing to it upgrades it from an older version.
    func writing(mustExist: Bool) throws -> (database: SlateDatabase, upgrades: Bool) {
        let path = try resolvedPath()
        if self.path == nil, !mustExist { try StoreLocation.createFolder(of: path) }
        func open(upgrading: Bool) throws(StoreError) -> SlateDatabase {
            let purpose = SlateDatabase.Purpose.writing(mustExist: mustExist, upgrading: upgrading)
            return try SlateDatabase(path: path, for: purpose, excluding: Set(excluded))
        }
        do throws(StoreError) {
            return (try open(upgrading: false), false)
        } catch  where error.code == .olderVersion {
            return (try open(upgrading: true), true)
        }
    }
}
