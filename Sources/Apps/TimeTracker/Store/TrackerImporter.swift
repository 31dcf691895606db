internal import CivilTime
internal import RecordStore
internal import SQLiteDatabase
package import StrictJSON

/// Plans an import activity by activity and carries it out at once, within one transaction.
///
/// In a dry run what would be added goes to a temporary table, so that the plan is the same.
final class TrackerImporter {
    private let records: TrackerRecords
    private let options: TrackerImportOptions
    private let recorder: TrackerPlanRecorder
    private var planner: TrackerImportPlanner
    private let lookup: TrackerStoreLookup
    private let insertion: TrackerInsertion
    private let update: TrackerUpdate
    /// The key of the activity that was added last.
    private var key: Int
    private let wasEmpty: Bool
    /// Buttons that came and are not planned yet.
    private var waiting: [(button: ActivityButton, place: TrackerImportAction.Place)] = []
    @exclusivity(unchecked) private var count = 0

    init(_ records: TrackerRecords, _ options: TrackerImportOptions) throws {
        self.records = records
        self.options = options
        let database = records.database
        recorder = TrackerPlanRecorder(options.visit)
        planner = TrackerImportPlanner(
            try records.buttons(),
            update: options.update,
            deletion: options.deletion,
            recorder: recorder
        )
        if options.isDryRun { try database.execute(sql: TrackerStoreLookup.dryRunTable) }
        key = try Int.fetchOne(database, sql: "SELECT max(key) FROM main.activity") ?? 0
        wasEmpty = try Int.fetchOne(database, sql: "SELECT 1 FROM main.activity LIMIT 1") == nil
        lookup = try TrackerStoreLookup(records, isDryRun: options.isDryRun, lastKey: key)
        insertion = try TrackerInsertion(database, into: options.isDryRun ? "temp.rehearsal" : "main.activity")
        update = try TrackerUpdate(database)
    }

    /// Plans the heading of a source.
    func plan(_ heading: TrackerHeading) throws {
        planner.places = heading.places
        try plan(timeZone: heading.timeZone, unknownMembers: heading.unknownMembers)
    }

    /// Plans the buttons of the source, and adds them.
    func plan(_ buttons: [ActivityButton], at place: (Int) -> TrackerImportAction.Place) throws {
        try planner.buttons.plan(buttons, update: options.update, recorder, place: place)
        try saveButtons()
    }

    /// Adds a button of a source in which they come one by one: all that come together are planned together.
    func add(_ button: ActivityButton, at place: TrackerImportAction.Place) { waiting.append((button, place)) }

    private func planWaiting() throws {
        guard !waiting.isEmpty else { return }
        let together = waiting
        waiting = []
        try plan(together.map(\.button)) { together[$0].place }
    }

    private func saveButtons() throws {
        for step in planner.buttons.takeSteps() where !options.isDryRun {
            switch step {
            case .create(let button), .update(let button): try records.save(button)
            }
        }
    }

    /// Takes over the top level of a source, as far as the store has nothing else there.
    func plan(timeZone: String?, unknownMembers: JSONObject) throws {
        if let timeZone {
            let stored = try records.timeZone()
            if let stored, stored != timeZone {
                recorder.note("the store's time zone \(stored) is kept; the file has \(timeZone)")
            } else if stored == nil {
                recorder.changesProperties()
                if !options.isDryRun { try records.setTimeZone(timeZone) }
            }
        }
        if let members = recorder.merge(unknownMembers, into: try records.unknownMembers()), !options.isDryRun {
            try records.setUnknownMembers(members)
        }
    }

    // MARK: Activities

    /// Adds the activities of a checked export.
    func add(_ content: TrackerContent, origin: (JSONPointer) -> JSONPointer) throws {
        if wasEmpty { return try withoutActuallyEscaping(origin) { try fill(content, $0) } }
        planner.places = content.places
        let cursor = content.cursor()
        while let row = cursor.next() {
            let place = TrackerImportAction.Place.pointer(origin(cursor.pointer))
            try take(planner.plan(row.activity, at: place, lookup))
        }
    }

    /// Adds the activities of a checked export to a store that has none: there is nothing to compare them with.
    private func fill(_ content: TrackerContent, _ origin: @escaping (JSONPointer) -> JSONPointer) throws {
        let database = records.database
        if !options.isDryRun {
            for index in TrackerSchema.activityIndexes { try database.execute(sql: "DROP INDEX main.\(index.name)") }
        }
        let cursor = content.cursor()
        let rows = TrackerFilling(cursor) { [self] row in
            try recorder.add(.create, .activity) {
                TrackerImportPlanner.creation(of: row.activity, at: .pointer(origin(cursor.pointer)))
            }
            advance()
            return row.buttonID.flatMap { planner.buttons.renamed($0) }
        }
        if options.isDryRun { return try rows.finish() }
        try database.insert(rows, into: "main.activity", columns: TrackerFilling.columns)
        key = try Int.fetchOne(database, sql: "SELECT max(key) FROM main.activity") ?? 0
        for index in TrackerSchema.activityIndexes { try database.execute(sql: index.sql) }
    }

    /// Adds an activity of a source that is not checked as a whole.
    func add(_ activity: TrackerActivity, at place: TrackerImportAction.Place) throws {
        try planWaiting()
        try take(planner.plan(activity, at: place, mayRepeat: true, lookup))
    }

    /// Adds a record of another program.
    func add(_ entry: TimeEntry, source: String) throws {
        try planWaiting()
        let step = try planner.plan(entry, source: source, lookup)
        try saveButtons()
        try take(step)
    }

    private func take(_ step: TrackerImportPlanner.Step) throws {
        advance()
        try carryOut(step)
    }

    private func carryOut(_ step: TrackerImportPlanner.Step) throws {
        switch step {
        case .create(let activity):
            let key = nextKey()
            try activity.withRow { try insertion.insert($0, key: key) }
        case .update(let key, let activity):
            if options.isDryRun { lookup.changed(key, activity) } else { try update.update(activity, key: key) }
        case .none: break
        }
    }

    private func nextKey() -> Int {
        key += 1
        return key
    }

    private func advance() {
        count += 1
        if count & 0x3FFF == 0 { options.progress(count) }
    }

    /// Adds what waited for the end of the source, ends activities that cannot be running, and gives the plan.
    func finish() throws -> TrackerImportPlan {
        try planWaiting()
        while let step = try planner.planWaiting(lookup) {
            try saveButtons()
            try carryOut(step)
        }
        planner.recordOverlaps()
        planner.recordTwins()
        for step in try planner.settle(try lookup.running()) { try take(step) }
        options.progress(count)
        if options.isDryRun { try records.database.execute(sql: "DROP TABLE temp.rehearsal") }
        return recorder.plan
    }
}

/// The data of a store, for the planner.
final class TrackerStoreLookup: TrackerLookup {
    /// The table that stands for the store's in a dry run.
    static let dryRunTable = """
        CREATE TEMP TABLE rehearsal AS SELECT * FROM main.activity LIMIT 0;
        CREATE UNIQUE INDEX temp.rehearsal_id ON rehearsal (id);
        """

    private let byID: [StoreStatement]
    private let byStart: StoreStatement
    private let byTime: StoreStatement
    private let records: TrackerRecords
    private let isDryRun: Bool
    private let lastKey: Int
    private let reader: TrackerRowReader
    /// The activities that a dry run would have changed and that are running, or were.
    private var changes: [Int: TrackerActivity] = [:]

    init(_ records: TrackerRecords, isDryRun: Bool, lastKey: Int) throws {
        self.records = records
        self.isDryRun = isDryRun
        self.lastKey = lastKey
        reader = TrackerRowReader(path: records.path)
        let tables = isDryRun ? ["main.activity", "temp.rehearsal"] : ["main.activity"]
        byID = try tables.map { table in
            try StoreStatement(records.database, "SELECT \(TrackerSchema.columns) FROM \(table) WHERE id = ?")
        }
        byStart = try StoreStatement(
            records.database,
            "SELECT \(TrackerSchema.columns) FROM main.activity WHERE start_ms = ? AND key <= \(lastKey)"
        )
        // Reads only the index entries of the two days before the start.
        byTime = try StoreStatement(
            records.database,
            """
            SELECT \(TrackerSchema.columns) FROM main.activity
            WHERE start_ms > ?1 - 172800000 AND start_ms < ?2 AND end_ms > ?1 AND key <= \(lastKey) ORDER BY start_ms
            """
        )
    }

    func stored(id: String) throws -> TrackerStored? {
        var id = id
        return try id.withUTF8 { id in
            for statement in byID {
                try statement.bind(1, id)
                defer { statement.reset() }
                if try statement.step() { return try stored(statement) }
            }
            return nil
        }
    }

    func stored(startingAt moment: Timestamp) throws -> [TrackerStored] {
        guard lastKey > 0 else { return [] }
        try byStart.bind(1, moment.milliseconds)
        defer { byStart.reset() }
        var found: [TrackerStored] = []
        while try byStart.step() {
            let stored = try stored(byStart)
            if stored.activity.start.moment == moment { found.append(stored) }
        }
        return found
    }

    func stored(overlapping activity: TrackerActivity) throws -> [TrackerStored] {
        guard lastKey > 0, let end = activity.end?.moment else { return [] }
        let start = activity.start.moment
        try byTime.bind(1, start.milliseconds)
        try byTime.bind(2, end.milliseconds)
        defer { byTime.reset() }
        var found: [TrackerStored] = []
        while try byTime.step() {
            let stored = try stored(byTime)
            guard let until = stored.activity.end?.moment else { continue }
            if stored.activity.start.moment < end, until > start { found.append(stored) }
        }
        return found
    }

    private func stored(_ statement: StoreStatement) throws -> TrackerStored {
        let key = try reader.integer(statement, 0)
        let activity = try changes[key] ?? reader.row(statement).activity
        return TrackerStored(key: key, activity: activity, isNew: key > lastKey)
    }

    /// Takes note of a change that a dry run does not make.
    func changed(_ key: Int, _ activity: TrackerActivity) { changes[key] = activity }

    /// Returns the activities that are running now, in the order of their starts.
    func running() throws -> [TrackerStored] {
        var found: [TrackerStored] = []
        for table in isDryRun ? ["main.activity", "temp.rehearsal"] : ["main.activity"] {
            let sql = "SELECT \(TrackerSchema.columns) FROM \(table) WHERE end_ms IS NULL"
            try records.database.forEachRow(sql) { found.append(try stored($0)) }
        }
        let seen = Set(found.map(\.key))
        found += changes.filter { !seen.contains($0.key) }.map {
            TrackerStored(key: $0.key, activity: $0.value, isNew: $0.key > lastKey)
        }
        return found.filter(\.activity.isRunning).sorted {
            ($0.activity.start.moment, $0.activity.id) < ($1.activity.start.moment, $1.activity.id)
        }
    }
}

extension TrackerPlanRecorder {
    /// Returns the store's members of the top level with those of a source; nil where the source has no further ones.
    ///
    /// Where the store has another value, it is kept, and a note says so.
    package func merge(_ members: JSONObject, into stored: JSONObject) -> JSONObject? {
        var merged = stored
        for member in members {
            if merged[member.name] == nil {
                merged[member.name] = member.value
            } else if merged[member.name] != member.value {
                note("the store has another \"\(member.name)\" at the top level, which is kept")
            }
        }
        guard merged.count > stored.count else { return nil }
        changesProperties()
        return merged
    }
}
