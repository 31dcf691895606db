internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

extension BztimerRecords {
    /// Returns the settings; the app's defaults where none were stored.
    ///
    /// A member that has a value it cannot have is reported, and the default stands in for it; of the custom categories
    /// all names are kept, so that those that cannot be used can be renamed or deleted.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func settings() throws -> TimerSettings {
        let layout = BztimerSchema.settings
        var settings = TimerSettings()
        guard let row = try settingsRow() else { return settings }
        var object = JSONObject()
        for (index, column) in layout.columns.enumerated() {
            let value = try make(.setting, id: column.member, name: nil) {
                try layout.value(of: row[index], column, path: path)
            }
            object[column.member] = value ?? nil
        }
        let extra = try make(.setting, id: "extra", name: nil) {
            try RecordLayout.object(row[layout.columns.count], table: layout.table, path: path)
        }
        for member in extra ?? [:] { object[member.name] = member.value }
        for name in TimerSettings.names {
            guard let value = object.removeValue(forName: name) else { continue }
            do throws(AppFormatError) {
                try settings.set(name, to: value)
            } catch {
                report(StoreFault(kind: .setting, id: name, name: nil, reason: Self.reason(error)))
                if name == "customCategories" {
                    settings.customCategories = (value.array ?? []).compactMap(\.string)
                }
            }
        }
        settings.extra = object
        return settings
    }

    /// Stores the settings.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - name: A member whose value is stored in any case. Of all others, one whose stored value cannot be read stays
    ///     as it is while the settings have the default for it.
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func save(_ settings: TimerSettings, setting name: String? = nil) throws {
        if let name { forget(.setting, name) }
        let layout = BztimerSchema.settings
        var values = layout.values(of: settings.json.object ?? [:])
        if let row = try settingsRow() {
            let defaults = TimerSettings()
            for (index, column) in layout.columns.enumerated() where column.member != name {
                guard settings[column.member] == defaults[column.member] else { continue }
                let stored: DatabaseValue = row[index]
                if !isReadable(stored, column) { values[index] = stored }
            }
        }
        try execute(
            "INSERT OR REPLACE INTO settings (id, \(layout.names)) VALUES (\(layout.places(before: 1)))",
            [1.databaseValue] + values
        )
    }

    /// Tells whether nothing was ever stored: no settings, sessions, activities, history or presets.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func isEmpty() throws -> Bool {
        for table in ["settings", "session", "template", "history", "preset"]
        where try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") == true { return false }
        return true
    }

    private func settingsRow() throws -> Row? {
        try Row.fetchOne(database, sql: "SELECT \(BztimerSchema.settings.names) FROM settings WHERE id = 1")
    }

    private func isReadable(_ stored: DatabaseValue, _ column: RecordLayout.Column) -> Bool {
        var settings = TimerSettings()
        do {
            guard let value = try BztimerSchema.settings.value(of: stored, column, path: path) else { return true }
            try settings.set(column.member, to: value)
            return true
        } catch {
            return false
        }
    }
}
