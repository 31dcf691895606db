public import CivilTime
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

extension TrackerRecords {
    /// The number of changes that can be taken back.
    private static let mostChanges = 20
    /// The name under which the changes are kept.
    private static let changes = "undo"

    /// Makes a change, and keeps what takes it back.
    ///
    /// - Throws: `store.conflict` where a new id is taken; `tracker.state` where a record that is to change is gone.
    public func make(_ change: TrackerChange) throws {
        try carryOut(change)
        try keep(change)
    }

    /// Takes the last change back.
    ///
    /// - Returns: The change that was taken back.
    /// - Throws: `store.nothing-to-undo` where there is none; `tracker.state` where what it changed has changed since.
    public func undo() throws -> TrackerChange {
        var kept = try keptChanges()
        guard let last = kept.popLast() else {
            throw AppFormatError(.nothingToUndo, "there is no change to undo")
        }
        let change = try TrackerChange(json: last)
        try checkUnchanged(change)
        try carryOut(change.reversed)
        try setKeptChanges(kept)
        return change
    }

    /// Keeps what takes back a change that is made already.
    func keep(_ change: TrackerChange) throws {
        guard !change.activities.isEmpty || !change.buttons.isEmpty else { return }
        try setKeptChanges(try keptChanges().suffix(Self.mostChanges - 1) + [change.json])
    }

    /// Forgets what takes changes back, as it has identifiers that mean other buttons now.
    func forgetChanges() throws {
        if try !keptChanges().isEmpty { try setKeptChanges([]) }
    }

    private func keptChanges() throws -> [JSONValue] {
        guard let text = try property(Self.changes) else { return [] }
        guard let changes = try? JSONDocument(parsing: text).root.value.array else {
            throw StoreError(.record, "the property \(Self.changes) holds no JSON list where it should", path: path)
        }
        return changes
    }

    private func setKeptChanges(_ changes: [JSONValue]) throws {
        try setProperty(Self.changes, changes.isEmpty ? nil : JSONValue.array(changes).text(.compact))
    }

    private func checkUnchanged(_ change: TrackerChange) throws {
        func fail(_ what: String) -> AppFormatError {
            AppFormatError(.trackerState, "\(what) has changed since; nothing was undone")
        }
        for step in change.activities {
            guard let name = (step.after ?? step.before)?.name, let id = (step.after ?? step.before)?.id else {
                continue
            }
            guard try activity(id: id)?.json == step.after?.json else { throw fail("the entry \"\(name)\"") }
        }
        let buttons = try buttons()
        for step in change.buttons {
            guard let button = step.after ?? step.before else { continue }
            let stored = buttons.first { $0.id == button.id }
            guard stored?.json == step.after?.json else { throw fail("the button \"\(button.name)\"") }
        }
    }

    private func carryOut(_ change: TrackerChange) throws {
        for step in change.buttons {
            switch (step.before, step.after) {
            case (_, let after?): try save(after)
            case (let before?, nil): try delete("button", id: before.id)
            case (nil, nil): continue
            }
        }
        for step in change.activities {
            switch (step.before, step.after) {
            case (nil, let after?): try insert(after)
            case (let before?, nil): try delete("activity", id: before.id)
            case (let before?, let after?):
                guard let key = try first("WHERE id = ?", [Array(before.id.utf8)])?.key else {
                    throw AppFormatError(.trackerState, "the entry \"\(before.name)\" is gone")
                }
                try TrackerUpdate(database).update(after, key: key)
            case (nil, nil): continue
            }
        }
    }

    private func delete(_ table: String, id: String) throws {
        let statement = try StoreStatement(database, "DELETE FROM \(table) WHERE id = ?")
        try statement.bind([Array(id.utf8)])
        try statement.run()
    }

    // MARK: Entries

    /// Returns the short names of all activities.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func handles() throws -> ActivityHandles {
        var ids: [String] = []
        try database.forEachRow("SELECT id FROM activity") { ids.append($0.string(0) ?? "") }
        return ActivityHandles(ids)
    }

    /// Returns the activity that began last, if there is any.
    ///
    /// - Throws: `store.record` where the row holds a value that its column cannot; SQLite's error.
    public func lastActivity() throws -> TrackerActivity? {
        try first("ORDER BY start_ms DESC, start_ns DESC, id DESC", [])?.activity
    }

    /// Returns the other activities that run at the same time as one does, in the order of their starts.
    ///
    /// - Parameter now: The present moment, when what is running ends.
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func overlaps(with activity: TrackerActivity, now: Timestamp) throws -> [TrackerActivity] {
        let (start, end) = (activity.start.moment, activity.end?.moment ?? max(now, activity.start.moment))
        return try activities(from: start, to: end).filter { other in
            other.id != activity.id && other.start.moment < end && start < other.end?.moment ?? max(now, end)
        }
    }

    /// Checks that an activity may run.
    ///
    /// - Throws: `tracker.state` where another one runs, or it begins after the present moment.
    public func checkRunning(_ activity: TrackerActivity, now: Timestamp) throws {
        guard activity.isRunning else { return }
        if let other = try allRunning().last(where: { $0.activity.id != activity.id })?.activity {
            let since = "\"\(other.name)\" is running since \(other.start)"
            throw AppFormatError(.trackerState, "\(since), and one activity runs at a time; give an end")
        }
        guard activity.start.moment <= now else {
            throw AppFormatError(.trackerState, "a running activity cannot begin after now, \(ZonedTimestamp(now))")
        }
    }
}
