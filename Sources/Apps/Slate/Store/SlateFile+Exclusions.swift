internal import FileSystem
internal import RecordStore
internal import SQLiteDatabase

extension SlateFile {
    /// - Throws: `slate.exclude` where something is to be left out that is not there, or that the format has.
    func checkExclusions(_ database: Database, _ version: Int, _ tables: Set<String>) throws {
        guard !excluded.isEmpty else { return }
        var possible = tables.subtracting(SlateSchema.tables(version))
        for table in SlateTable.allCases where table.firstVersion <= version {
            let known = SlateSchema.columns(table, version)
            let unknown = try columns(of: table.name, database).filter { !known.contains($0) }
            possible.formUnion(unknown.map { "\(table.name).\($0)" })
        }
        if try SlateStorage.file(beside: path) != nil { possible.insert(SlateStorage.fileName) }
        let wrong = excluded.subtracting(possible).sorted()
        guard !wrong.isEmpty else { return }
        let shown = possible.subtracting(SlateSchema.technicalTables).sorted()
        let rest =
            shown.isEmpty
            ? "there is nothing in the database that could be" : "what can be: \(Self.options(shown))"
        throw StoreError(.exclusion, "\(Self.list(wrong)) cannot be left out; \(rest)", path: path)
    }

    /// - Throws: `store.foreign` where the side table is not as this program makes it.
    func checkExtraTable(_ database: Database, _ tables: Set<String>) throws {
        guard tables.contains(SlateSchema.extraTable) else { return }
        let found = try columns(of: SlateSchema.extraTable, database)
        guard let missing = ["table_name", "row_key", "members"].first(where: { !found.contains($0) }) else { return }
        let message = "the table \(SlateSchema.extraTable) has no column \(missing), so this program did not make it"
        throw StoreError(.foreign, message, path: path)
    }

    /// Returns the options that leave out these names, fit for a shell.
    static func options(_ names: [String]) -> String {
        names.map { "--exclude \(ShellText.quoted($0))" }.joined(separator: " ")
    }
}
