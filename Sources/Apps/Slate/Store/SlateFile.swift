internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Opens a database of Slate's: looks at what it is before anything of it is used or written.
///
/// The app's database has no mark of its own, so that it is known by its tables. Its journal mode stays as it is; a commit is
/// on the disk when it returns.
struct SlateFile {
    let path: String
    /// Tables, and columns as `table.column`, that nobody asks for.
    let excluded: Set<String>
    /// True if unknown columns are no fault, as nothing is exported or written.
    var takesUnknownColumns = false
    /// True where expo-sqlite's own file beside the database is read and written with it.
    var hasSettings = true

    /// Seconds to wait for another program that holds the database.
    @TaskLocal static var lockTimeout = 10.0

    /// The states of a file.
    enum State: Equatable {
        case blank
        case slate(version: Int)
    }

    /// Opens for reading only.
    func openForReading() throws(StoreError) -> (DatabaseQueue, version: Int) {
        guard try StorePath.size(of: path) ?? 0 > 0 else { throw notFound }
        do {
            return try openExisting(readOnly: true)
        } catch  where error.code == .readOnly || error.code == .cannotOpen {
            do {
                // An interrupted writer left a journal, which only a writer can take back.
                _ = try openExisting(readOnly: false)
                return try openExisting(readOnly: true)
            } catch  where error.code == .readOnly || error.code == .cannotOpen {
                throw journalError() ?? walError(error)
            }
        }
    }

    /// Opens for writing; makes the tables where the file is new, and upgrades older ones where that is agreed.
    func openForWriting(mustExist: Bool, upgrading: Bool) throws(StoreError) -> DatabaseQueue {
        let size = try StorePath.size(of: path)
        guard !mustExist || size ?? 0 > 0 else { throw notFound }
        let (queue, state): (DatabaseQueue, State)
        do {
            (queue, state) = try open(readOnly: false)
        } catch  where error.code == .readOnly || error.code == .cannotOpen {
            throw size == nil ? error : journalError() ?? error
        }
        switch state {
        case .slate(SlateSchema.version): return queue
        case .slate(let version):
            guard upgrading else {
                throw StoreError(
                    .olderVersion,
                    "the database has version \(version) of Slate's tables; writing to it would upgrade it to version "
                        + "\(SlateSchema.version)",
                    path: path
                )
            }
        case .blank:
            if mustExist { throw notFound }
        }
        return queue
    }

    /// Makes the tables, or upgrades them, within a transaction.
    ///
    /// - Returns: What the file was.
    @discardableResult
    func makeTables(_ database: Database) throws -> State {
        let state = try state(of: database)
        switch state {
        case .blank: try database.execute(sql: SlateSchema.one + SlateSchema.oneToTwo)
        case .slate(version: 1): try database.execute(sql: SlateSchema.oneToTwo)
        case .slate: break
        }
        return state
    }

    private var notFound: StoreError {
        let message =
            "there is no Slate database at this path; make one with init or import, or name yours with --store"
        return StoreError(.notFound, message, path: path)
    }

    private func openExisting(readOnly: Bool) throws(StoreError) -> (DatabaseQueue, version: Int) {
        let (queue, state) = try open(readOnly: readOnly)
        guard case .slate(let version) = state else { throw notFound }
        return (queue, version)
    }

    private func open(readOnly: Bool) throws(StoreError) -> (DatabaseQueue, State) {
        let configuration = Self.configuration(readOnly: readOnly, attaching: try settingsFile)
        return try StorePath.translating(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return (queue, try queue.read { try state(of: $0) })
        }
    }

    /// The file of settings that is attached: one that is left out, or is no SQLite database, is not.
    private var settingsFile: String? {
        get throws(StoreError) {
            guard hasSettings, !excluded.contains(SlateStorage.fileName),
                let file = try SlateStorage.file(beside: path),
                StorePath.head(of: file, count: 15).elementsEqual("SQLite format 3".utf8)
            else { return nil }
            return file
        }
    }

    /// - Parameter attaching: The file with the app's settings.
    static func configuration(readOnly: Bool, attaching settings: String? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(lockTimeout)
        configuration.label = "Slate"
        // References are checked by the import, which says which row breaks them.
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            if let settings {
                try database.execute(sql: "ATTACH DATABASE ? AS \(SlateStorage.attached)", arguments: [settings])
            }
            // The size of a page counts only for a file that is still empty: fewer steps to a row of a large table. It comes
            // first, as SQLite computes the number of pages in the cache by it, and only once.
            if !readOnly { try database.execute(sql: "PRAGMA page_size = 16384") }
            // More than SQLite's own 2 MB, as rows are written into several indexes; with more, the pages that are written
            // late cost the kernel more than they save.
            try database.execute(sql: "PRAGMA cache_size = -16384")
            if !readOnly {
                try database.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON")
                // Debian's SQLite would write zeros over each page that an import gives up.
                try database.execute(sql: "PRAGMA secure_delete = FAST")
            }
        }
        return configuration
    }

    /// Returns the error of a journal beside the database that keeps it from being read; nil where there is none.
    private func journalError() -> StoreError? {
        if let size = try? StorePath.size(of: path + "-wal"), size > 0 {
            let message =
                "the database has changes in \(path)-wal that cannot be read, as the folder cannot be written to; "
                + "copy both files to a folder of yours and use the copy"
            return StoreError(.hotWAL, message, path: path)
        }
        if let size = try? StorePath.size(of: path + "-journal"), size > 0 {
            let message =
                "a change of the database was interrupted and \(path)-journal has to be taken back, but the folder "
                + "cannot be written to; copy both files to a folder of yours and use the copy"
            return StoreError(.hotJournal, message, path: path)
        }
        return nil
    }

    /// Returns the error for a database in WAL mode in a folder where SQLite cannot make the files that it needs for
    /// that.
    private func walError(_ error: StoreError) -> StoreError {
        let head = StorePath.head(of: path, count: 20)
        guard head.count == 20, head.starts(with: "SQLite format 3".utf8), head[18] == 2 || head[19] == 2 else {
            return error
        }
        let message =
            "the database is in WAL mode, which can be read only where its folder can be written to; copy it to a folder of "
            + "yours and use the copy"
        return StoreError(error.code, message, path: path)
    }

    // MARK: What it is

    /// Returns the state of the file; throws for a file that is no database of Slate.
    func state(of database: Database) throws -> State {
        let tables = try Set(database.names(ofType: "table"))
        let isUTF8 = try String.fetchOne(database, sql: "PRAGMA encoding") == "UTF-8"
        guard try isUTF8 || !tables.isSuperset(of: SlateSchema.tables(1)) && !isBlank(database) else {
            let message = "the database is in UTF-16, expected UTF-8; dump it and load it anew"
            throw StoreError(.encoding, message, path: path)
        }
        if tables.isEmpty, try isBlank(database) { return .blank }
        guard SlateSchema.tables(1).allSatisfy(tables.contains) else {
            let missing = SlateSchema.tables(1).filter { !tables.contains($0) }.joined(separator: ", ")
            let message = "the file is a database, but not Slate's: it has no table \(missing)"
            throw StoreError(.foreign, message, path: path)
        }
        let version = try version(of: database)
        for table in SlateSchema.tables(version) where !tables.contains(table) {
            let message = "the database says version \(version) of Slate's tables and has no table \(table)"
            throw StoreError(.foreign, message, path: path)
        }
        try checkExclusions(database, version, tables)
        try checkExtraTable(database, tables)
        try checkColumns(of: database, version)
        return .slate(version: version)
    }

    private func version(of database: Database) throws -> Int {
        var text: String?
        try database.forEachRow("SELECT value FROM meta WHERE key = 'schema_version'") { row in
            if case .integer(let number) = row.value(0) { text = "\(number)" } else { text = row.string(0) }
        }
        guard let text, text.utf8.allSatisfy({ (48...57).contains($0) }), Int(text) ?? 1 > 0, !text.isEmpty else {
            let found = text.map { quoted($0) } ?? "nothing"
            let message = "meta.schema_version is \(found), expected 1 or 2"
            throw StoreError(.foreign, message, path: path)
        }
        guard let version = Int(text), version <= SlateSchema.version else {
            throw StoreError(
                .newerVersion,
                "the database has version \(text.prefix(40)) of Slate's tables and this program knows versions up to "
                    + "\(SlateSchema.version); update the program",
                path: path
            )
        }
        return version
    }

    /// - Throws: `store.foreign` where a column is missing; `slate.unknown-column` with all that this program does not know,
    ///   and the unknown tables, which an export would refuse next.
    private func checkColumns(of database: Database, _ version: Int) throws {
        var unknown: [(table: SlateTable, column: String)] = []
        for table in SlateTable.allCases where table.firstVersion <= version {
            let found = try columns(of: table.name, database)
            let known = SlateSchema.columns(table, version)
            if let missing = known.first(where: { !found.contains($0) }) {
                let message = "the table \(table.name) has no column \(missing)"
                throw StoreError(.foreign, message, path: path)
            }
            for column in found where !known.contains(column) && !excluded.contains("\(table.name).\(column)") {
                unknown.append((table, column))
            }
        }
        guard let first = unknown.first, !takesUnknownColumns else { return }
        let names = unknown.map { "\($0.table.name).\($0.column)" }
        let isOneTable = unknown.allSatisfy { $0.table == first.table }
        let place = isOneTable ? "the table \(first.table.name) has" : "the tables have"
        let list = Self.list(isOneTable ? unknown.map(\.column) : names)
        let (columns, rest) =
            unknown.count == 1 ? ("a column", "and whose data it would lose") : ("columns", "and would lose")
        var message =
            "\(place) \(columns) \(list) that this program does not know, \(rest); "
            + "leave out on purpose with \(Self.options(names))"
        let tables = try unknownTables(database, version)
        if !tables.isEmpty {
            let noun = tables.count == 1 ? "the table" : "the tables"
            message += "; an export would lack \(noun) \(Self.list(tables)) as well: \(Self.options(tables))"
        }
        throw StoreError(.unknownColumn, message, path: path)
    }

    /// Returns the columns of a table, without those that are computed from others.
    func columns(of table: String, _ database: Database) throws -> [String] {
        var columns: [String] = []
        try database.forEachRow("PRAGMA table_xinfo(\(table))") { row in
            if let name = row.string(1), case .integer(0) = row.value(6) { columns.append(name) }
        }
        return columns
    }

    /// Tables, and columns as `table.column`, that this program does not know.
    func unknownNames(_ database: Database) throws -> [String] {
        guard case .slate(let version) = try state(of: database) else { return [] }
        var tables = Set(SlateSchema.tables(version)).union(SlateSchema.technicalTables)
        if try SlateStorage.isThere(in: database) { tables.insert(SlateStorage.name) }
        let columns = try SlateTable.allCases.filter { $0.firstVersion <= version }.flatMap { table in
            let known = SlateSchema.columns(table, version)
            let unknown = try self.columns(of: table.name, database).filter { !known.contains($0) }
            return unknown.map { "\(table.name).\($0)" }
        }
        return try columns + database.names(ofType: "table").filter { !tables.contains($0) }.sorted()
    }

    /// - Throws: `slate.unknown-table` for a table that would not be exported.
    func checkTables(_ database: Database, _ version: Int) throws {
        let unknown = try unknownTables(database, version)
        guard !unknown.isEmpty else { return try checkSettingsFile(database) }
        let message =
            "the database has \(unknown.count == 1 ? "a table" : "tables") \(Self.list(unknown)) that this program does not "
            + "know and would not export; leave out on purpose with \(Self.options(unknown))"
        throw StoreError(.unknownTable, message, path: path)
    }

    /// Returns the tables that this program does not know and that are not left out.
    private func unknownTables(_ database: Database, _ version: Int) throws -> [String] {
        var known = Set(SlateSchema.tables(version)).union(SlateSchema.technicalTables).union(excluded)
        if try SlateStorage.isThere(in: database) { known.insert(SlateStorage.name) }
        return try database.names(ofType: "table").filter { !known.contains($0) }
    }

    /// - Throws: `slate.unknown-table` where expo-sqlite's own file is there and its settings would not be exported.
    private func checkSettingsFile(_ database: Database) throws {
        guard hasSettings, !excluded.contains(SlateStorage.fileName), let file = try SlateStorage.file(beside: path),
            try !SlateStorage.isThere(in: database, SlateStorage.attached)
        else { return }
        let message =
            "the file \(file) is called as the one of the app's settings and has no table storage (key, value), so that they "
            + "would not be exported; leave it out on purpose with --exclude \(SlateStorage.fileName)"
        throw StoreError(.unknownTable, message, path: path)
    }

    /// Tells whether a file is blank: no program has made anything in it.
    private func isBlank(_ database: Database) throws -> Bool {
        let things = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        return things == 0 && application == 0
    }

    static func list(_ names: [String]) -> String { names.map { quoted($0) }.joined(separator: ", ") }
}
