internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

extension BztimerRecords {
    /// Returns all saved activities, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func activities() throws -> [BlockTemplate] { try envelopedActivities().map(\.record) }

    /// Returns all saved activities with the unknown members of their files, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func envelopedActivities() throws -> [Enveloped<BlockTemplate>] {
        let layout = BztimerSchema.template
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT id, envelope, label, \(layout.names) FROM template ORDER BY position, id"
        )
        var activities: [Enveloped<BlockTemplate>] = []
        while let row = try rows.next() {
            let activity = try make(.activity, id: row[0], name: row[2]) {
                Enveloped(
                    record: try BlockTemplate(json: .object(layout.object(in: row, from: 3, path: path))),
                    envelope: try RecordLayout.object(row[1], table: "template", path: path)
                )
            }
            if let activity { activities.append(activity) }
        }
        return activities
    }

    /// Adds a saved activity after the others.
    ///
    /// - Parameters:
    ///   - activity: The activity.
    ///   - envelope: Unknown members of the top level of the file that it came in.
    /// - Throws: `store.conflict` where the store has an activity with that id.
    public func insert(_ activity: BlockTemplate, envelope: JSONObject = [:]) throws {
        try insert(activity, position: nextPosition(in: "template"), envelope: Self.json(envelope))
    }

    /// Puts an activity in the place of the one with the same id.
    ///
    /// - Throws: `store.record` where the store has no activity with that id, or the id contains U+0000; SQLite's
    ///   error.
    public func update(_ activity: BlockTemplate) throws {
        let id = try key(activity.id, of: "template")
        let statement = try database.cachedStatement(sql: "SELECT position, envelope FROM template WHERE id = ?")
        guard let old = try Row.fetchOne(statement, arguments: [id]) else {
            throw StoreError(.record, "there is no activity with the id \"\(activity.id)\"", path: path)
        }
        try execute("DELETE FROM template WHERE id = ?", [id])
        try insert(activity, position: old[0], envelope: old[1])
    }

    /// Removes a saved activity.
    ///
    /// Blocks that were made from it stay as they are.
    ///
    /// - Throws: `store.record` where the id contains U+0000; SQLite's error.
    public func deleteActivity(id: String) throws {
        forget(.activity, id)
        try execute("DELETE FROM template WHERE id = ?", [try key(id, of: "template")])
    }

    private func insert(_ activity: BlockTemplate, position: DatabaseValue, envelope: DatabaseValue) throws {
        let layout = BztimerSchema.template
        var values = layout.values(of: activity.json.object ?? [:])
        values[0] = try key(activity.id, of: "template")
        try execute(
            "INSERT INTO template (position, envelope, \(layout.names)) VALUES (\(layout.places(before: 2)))",
            [position, envelope] + values
        )
    }
}
