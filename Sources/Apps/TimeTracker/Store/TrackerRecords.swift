public import CivilTime
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

/// The records of a Time Tracker store within one reading or one transaction.
public struct TrackerRecords {
    let database: Database
    let path: String

    var reader: TrackerRowReader { TrackerRowReader(path: path) }

    // MARK: Activities

    /// Returns the number of activities.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func count() throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM activity") ?? 0 }

    /// Returns the activity with an id.
    ///
    /// - Throws: `store.record` where the row holds a value that its column cannot; SQLite's error.
    public func activity(id: String) throws -> TrackerActivity? {
        try first("WHERE id = ?", [Array(id.utf8)])?.activity
    }

    /// Returns the running activity, if any; of several, which only another program can have made, the last.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func running() throws -> TrackerActivity? { try allRunning().last?.activity }

    /// Returns the activities that began by a moment and end more than a minute after it, in the order of their starts.
    ///
    /// The clock of a device may have been ahead. What begins later is planned, as in a calendar.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    package func ended(after moment: Timestamp) throws -> [TrackerActivity] {
        let limit = moment.adding(seconds: 60)
        let condition = "WHERE end_ms > \(limit.milliseconds) AND start_ms <= \(moment.milliseconds)"
        return try all("\(condition) ORDER BY start_ms, start_ns, id", []).map(\.activity)
    }

    /// Calls a function with each activity, in the order of their starts.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error; the error of `body`.
    public func forEachActivity(_ body: (TrackerActivity) throws -> Void) throws {
        let rows = try rows()
        while let row = try rows.next() { try body(row.activity) }
    }

    /// Returns the activities that touch a stretch of time, in the order of their starts.
    ///
    /// One that is running reaches to its end.
    ///
    /// They are found by indexes: those that begin in it or in the day before, those that are longer than a day, and
    /// those that run.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func activities(from start: Timestamp, to end: Timestamp) throws -> [TrackerActivity] {
        let (first, last) = (start.milliseconds, end.milliseconds)
        let sql = """
            SELECT * FROM (
                SELECT \(TrackerSchema.columns) FROM activity WHERE start_ms BETWEEN \(first - 86_400_001) AND \(last)
                    AND end_ms >= \(first)
                UNION SELECT \(TrackerSchema.columns) FROM activity WHERE start_ms < \(first) AND end_ms >= \(first)
                    AND \(TrackerSchema.isLong)
                UNION SELECT \(TrackerSchema.columns) FROM activity WHERE start_ms <= \(last) AND end_ms IS NULL
            ) ORDER BY start_ms, start_ns, id
            """
        var found: [TrackerActivity] = []
        try database.forEachRow(sql) { found.append(try reader.row($0).activity) }
        return found
    }

    /// Returns the day's summary; see ``DaySummary``.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func summary(of day: CivilDay, clock: LocalClock, now: Timestamp) throws -> DaySummary {
        let (start, end) = (clock.startOfDay(day), clock.startOfDay(day.adding(days: 1)))
        return DaySummary(of: day, clock: clock, now: now, activities: try activities(from: start, to: end))
    }

    /// Returns the summary of consecutive days; see ``PeriodSummary``.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func summary(of days: ClosedRange<CivilDay>, clock: LocalClock, now: Timestamp) throws -> PeriodSummary {
        try PeriodSummary(of: days, clock: clock, now: now) { day in
            try activities(from: clock.startOfDay(day), to: clock.startOfDay(day.adding(days: 1)))
        }
    }

    /// Returns the activities that are running, in the order of their starts.
    func allRunning() throws -> [(key: Int, activity: TrackerActivity)] {
        try all("WHERE end_ms IS NULL ORDER BY start_ms, start_ns, id", [])
    }

    func first(_ condition: String, _ texts: [[UInt8]]) throws -> (key: Int, activity: TrackerActivity)? {
        try all(condition + " LIMIT 1", texts).first
    }

    private func all(_ condition: String, _ texts: [[UInt8]]) throws -> [(key: Int, activity: TrackerActivity)] {
        var found: [(key: Int, activity: TrackerActivity)] = []
        try database.forEachRow("SELECT \(TrackerSchema.columns) FROM activity \(condition)", texts) { statement in
            found.append((try reader.integer(statement, 0), try reader.row(statement).activity))
        }
        return found
    }

    // MARK: Buttons

    /// Returns the buttons, hidden ones too, in the order of their positions and then in that in which they were added.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func buttons() throws -> [ActivityButton] {
        var buttons: [ActivityButton] = []
        try forEachButton { buttons.append($0) }
        return buttons
    }

    /// Calls a function with each button, in their order.
    ///
    /// - Parameter unreadable: Is called with what is wrong with a row, and with its id.
    func forEachButton(
        _ body: (ActivityButton) throws -> Void,
        unreadable: (StoreError, String?) throws -> Void = { error, _ in throw error }
    ) throws {
        let sql = """
            SELECT id, name, color, icon, is_default, position, is_visible, extra FROM button ORDER BY position, key
            """
        try database.forEachRow(sql) { row in
            let found: ActivityButton
            do {
                found = try button(row)
            } catch let error as StoreError where error.code == .record {
                return try unreadable(error, row.string(0))
            }
            try body(found)
        }
    }

    private func button(_ row: StoreStatement) throws -> ActivityButton {
        guard let id = row.string(0), let name = row.string(1), let color = row.string(2), let icon = row.string(3),
            case .integer(let isDefault) = row.value(4), case .integer(let position) = row.value(5),
            case .integer(let isVisible) = row.value(6)
        else {
            let names = ["id", "name", "color", "icon", "is_default", "position", "is_visible"]
            let faulty =
                names.indices.first { index in
                    if index < 4 { return row.string(index) == nil }
                    if case .integer = row.value(index) { return false }
                    return true
                } ?? 0
            let message =
                "the button \"\(row.string(0) ?? "?")\" has \(row.value(faulty).words) in the column \(names[faulty]), "
                + "expected \(faulty < 4 ? "text" : "a whole number"); correct it with sqlite3"
            throw StoreError(.record, message, path: path)
        }
        return ActivityButton(
            id: id,
            name: name,
            color: color,
            icon: icon,
            isDefault: isDefault != 0,
            position: position,
            isVisible: isVisible != 0,
            unknownMembers: try object(row.string(7), "the button \"\(name)\"")
        )
    }

    /// Adds a button, or changes the one with its id.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func save(_ button: ActivityButton) throws {
        let statement = try StoreStatement(
            database,
            """
            INSERT INTO button (id, name, color, icon, extra, is_default, position, is_visible)
            VALUES (?, ?, ?, ?, nullif(?, '{}'), ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, color = excluded.color, icon = excluded.icon,
                extra = excluded.extra, is_default = excluded.is_default, position = excluded.position,
                is_visible = excluded.is_visible
            """
        )
        try statement.bind([button.id, button.name, button.color, button.icon].map { Array($0.utf8) })
        try statement.bind(5, copying: JSONValue.object(button.unknownMembers).encoded(.compact))
        try statement.bind(6, button.isDefault)
        try statement.bind(7, button.position)
        try statement.bind(8, button.isVisible)
        try statement.run()
    }

    // MARK: Properties

    /// Returns the name of the time zone in which the person lives, if it is known.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func timeZone() throws -> String? { try property("time_zone") }

    /// Sets the time zone.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func setTimeZone(_ name: String?) throws { try setProperty("time_zone", name) }

    /// Returns the unknown members of the top level of the files that were imported.
    ///
    /// - Throws: `store.record` where the database holds no JSON object for them; SQLite's error.
    public func unknownMembers() throws -> JSONObject { try object(try property("envelope"), "the property envelope") }

    func setUnknownMembers(_ members: JSONObject) throws {
        try setProperty("envelope", members.isEmpty ? nil : JSONValue.object(members).text(.compact))
    }

    func property(_ name: String) throws -> String? {
        var value: String?
        try database.forEachRow("SELECT value FROM property WHERE name = ?", [Array(name.utf8)]) {
            value = $0.string(0)
        }
        return value
    }

    func setProperty(_ name: String, _ value: String?) throws {
        let sql =
            value == nil
            ? "DELETE FROM property WHERE name = ?" : "INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)"
        let statement = try StoreStatement(database, sql)
        try statement.bind([name, value].compactMap { $0.map { Array($0.utf8) } })
        try statement.run()
    }

    private func object(_ text: String?, _ what: String) throws -> JSONObject {
        guard let text else { return JSONObject() }
        guard let object = try? JSONDocument(parsing: text).root.value.object else {
            throw StoreError(.record, "\(what) holds no JSON object where it should", path: path)
        }
        return object
    }
}
