internal import FormatKit
internal import SQLiteDatabase
public import StrictJSON

/// The options of an import.
public struct TrackerImportOptions {
    /// True if a record of the source replaces a different one with the same id in the store.
    public var update: Bool
    /// True if nothing is to be written: the plan is made, with the store opened for reading or not there at all.
    public var isDryRun: Bool
    /// Called with each action, also those that the plan does not keep.
    public var visit: ((TrackerImportAction) throws -> Void)?
    /// Called now and then with the number of activities so far.
    public var progress: (Int) -> Void
    /// Asked once the plan is made and before it is confirmed to the store; where it says no, nothing was changed.
    ///
    /// It is not asked where there is nothing to do, or in a dry run.
    public var confirm: (TrackerImportPlan) throws -> Bool
    /// The command that deletes an entry, before its id, for notes that suggest it.
    package var deletion = "tracker-export entries delete"

    /// Makes the options.
    public init(
        update: Bool = false,
        isDryRun: Bool = false,
        visit: ((TrackerImportAction) throws -> Void)? = nil,
        progress: @escaping (Int) -> Void = { _ in },
        confirm: @escaping (TrackerImportPlan) throws -> Bool = { _ in true }
    ) {
        self.update = update
        self.isDryRun = isDryRun
        self.visit = visit
        self.progress = progress
        self.confirm = confirm
    }
}

/// The result of an import.
public struct TrackerImportResult: Sendable, Hashable {
    /// The plan, which was carried out or would be.
    public let plan: TrackerImportPlan
    /// True if it is in the store; false after a dry run, a no, or where there was nothing to do.
    public let isApplied: Bool

    package init(plan: TrackerImportPlan, isApplied: Bool) {
        self.plan = plan
        self.isApplied = isApplied
    }
}

extension TrackerStore {
    /// Imports a tracker export: all of it in one transaction, in which the plan is made as well, so that it is exact.
    ///
    /// - Parameters:
    ///   - content: The export.
    ///   - origin: Where the file has what the current version has at a place: ``ParseResult<TrackerContent>/origin(_:)``.
    ///   - options: How.
    /// - Throws: `store.…`, and what the options' functions throw; nothing was changed then.
    public func importing(
        _ content: TrackerContent,
        origin: (JSONPointer) -> JSONPointer = { $0 },
        options: TrackerImportOptions = TrackerImportOptions()
    ) throws -> TrackerImportResult {
        try importing(options) { importer in
            try importer.plan(content.buttons) { .pointer(origin(JSONPointer(tokens: ["buttons", String($0)]))) }
            try importer.plan(timeZone: content.timeZone, unknownMembers: content.unknownMembers)
            try importer.add(content, origin: origin)
        }
    }

    /// Imports buttons and activities that come one after the other, as from a table or an XML document.
    ///
    /// - Parameters:
    ///   - buttons: The buttons.
    ///   - timeZone: The name of the time zone, if the source has one.
    ///   - options: How.
    ///   - source: Called once, with what takes the activities.
    /// - Throws: `store.…`, and what the source and the options' functions throw; nothing was changed then.
    public func importing(
        buttons: [ActivityButton],
        timeZone: String? = nil,
        options: TrackerImportOptions = TrackerImportOptions(),
        activities source: ((TrackerActivity, EntryPlace) throws -> Void) throws -> Void
    ) throws -> TrackerImportResult {
        try importing(options) { importer in
            try importer.plan(buttons) { .pointer(JSONPointer(tokens: ["buttons", String($0)])) }
            try importer.plan(timeZone: timeZone, unknownMembers: JSONObject())
            try source { try importer.add($0, at: .record($1)) }
        }
    }

    /// Imports records of another program, which come one after the other.
    ///
    /// - Parameters:
    ///   - kind: The kind of the source, for example `toggl`; the ids of records that have none depend on it.
    ///   - options: How.
    ///   - source: Called once, with what takes the records.
    /// - Throws: `store.…`, and what the source and the options' functions throw; nothing was changed then.
    public func importing(
        entriesOf kind: String,
        options: TrackerImportOptions = TrackerImportOptions(),
        entries source: ((TimeEntry) throws -> Void) throws -> Void
    ) throws -> TrackerImportResult {
        try importing(options) { importer in
            try source { try importer.add($0, source: kind) }
        }
    }

    /// Imports what a reader hands on, in whatever format it comes: a heading, buttons, activities, records of others.
    ///
    /// - Parameters:
    ///   - kind: The kind of the source, for example `icalendar`; the ids of records that have none depend on it.
    ///   - options: How.
    ///   - source: Called once, with what takes the items.
    /// - Throws: `store.…`, and what the source and the options' functions throw; nothing was changed then.
    public func importing(
        itemsOf kind: String,
        options: TrackerImportOptions = TrackerImportOptions(),
        items source: (@escaping (TrackerItem) throws -> Void) throws -> Void
    ) throws -> TrackerImportResult {
        try importing(options) { importer in
            try source { item in
                switch item {
                case .heading(let heading): try importer.plan(heading)
                case .button(let button, let place): importer.add(button, at: .record(place))
                case .activity(let activity, let place): try importer.add(activity, at: .record(place))
                case .entry(let entry): try importer.add(entry, source: kind)
                }
            }
        }
    }

    private func importing(
        _ options: TrackerImportOptions,
        _ body: (TrackerImporter) throws -> Void
    ) throws -> TrackerImportResult {
        if options.isDryRun {
            return try dryRun { records in
                let importer = try TrackerImporter(records, options)
                try body(importer)
                return TrackerImportResult(plan: try importer.finish(), isApplied: false)
            }
        }
        return try change { records in
            let importer = try TrackerImporter(records, options)
            try body(importer)
            let plan = try importer.finish()
            let isKept = try !plan.isEmpty && options.confirm(plan)
            // An empty log makes an empty store.
            return (TrackerImportResult(plan: plan, isApplied: isKept), isKept: isKept || plan.isEmpty && isNew)
        }
    }
}
