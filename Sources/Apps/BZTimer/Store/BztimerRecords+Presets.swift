public import GymPulse
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

extension BztimerRecords {
    /// Returns all presets of GymPulse that can be read, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func presets() throws -> [Preset] { try envelopedPresets().map(\.record) }

    /// Returns all presets with the unknown members of their files, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func envelopedPresets() throws -> [Enveloped<Preset>] { try envelopedPresets(nil) }

    /// Returns the preset with an id; nil where there is none that can be read.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func preset(id: String) throws -> Preset? { try envelopedPresets(id).first?.record }

    /// - Parameter id: The id of the only preset to read; nil for all.
    private func envelopedPresets(_ id: String?) throws -> [Enveloped<Preset>] {
        let layout = BztimerSchema.preset
        // A store of version 1 that is opened for reading has no presets, and gets no table for them.
        guard try database.tableExists(layout.table) else { return [] }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, envelope, name, \(layout.names) FROM preset
                \(id == nil ? "" : "WHERE id = ?") ORDER BY position, id
                """,
            arguments: Self.arguments(id)
        )
        var presets: [Enveloped<Preset>] = []
        while let row = try rows.next() {
            let preset = try make(.preset, id: row[0], name: row[2]) {
                Enveloped(
                    record: try Preset(json: .object(layout.object(in: row, from: 3, path: path))),
                    envelope: try RecordLayout.object(row[1], table: layout.table, path: path)
                )
            }
            if let preset { presets.append(preset) }
        }
        return presets
    }

    /// Adds a preset after the others.
    ///
    /// - Parameters:
    ///   - preset: The preset.
    ///   - envelope: Unknown members of the top level of the file that it came in.
    /// - Throws: `store.conflict` where the store has a preset with that id.
    public func insert(_ preset: Preset, envelope: JSONObject = [:]) throws {
        let position = try nextPosition(in: BztimerSchema.preset.table)
        try insert(preset, position: position, envelope: Self.json(envelope))
    }

    /// Puts a preset in the place of the one with the same id, or after the others where there is none.
    ///
    /// - Parameters:
    ///   - preset: The preset.
    ///   - envelope: Unknown members of the top level of the file that it came in, where the store has no such preset.
    /// - Throws: `store.record` where the id contains U+0000; SQLite's error.
    public func replace(_ preset: Preset, envelope: JSONObject = [:]) throws {
        let id = try key(preset.id, of: BztimerSchema.preset.table)
        let statement = try database.cachedStatement(sql: "SELECT position, envelope FROM preset WHERE id = ?")
        guard let old = try Row.fetchOne(statement, arguments: [id]) else {
            return try insert(preset, envelope: envelope)
        }
        try deletePreset(id: preset.id)
        try insert(preset, position: old[0], envelope: old[1])
    }

    private func insert(_ preset: Preset, position: DatabaseValue, envelope: DatabaseValue) throws {
        let layout = BztimerSchema.preset
        var values = layout.values(of: preset.json.object ?? [:])
        values[0] = try key(preset.id, of: layout.table)
        try execute(
            "INSERT INTO preset (position, envelope, \(layout.names)) VALUES (\(layout.places(before: 2)))",
            [position, envelope] + values
        )
    }

    /// Removes a preset.
    ///
    /// - Throws: `store.record` where the id contains U+0000; SQLite's error.
    public func deletePreset(id: String) throws {
        forget(.preset, id)
        try execute("DELETE FROM preset WHERE id = ?", [try key(id, of: BztimerSchema.preset.table)])
    }
}
