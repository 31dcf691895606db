public import CivilTime
internal import FormatKit
internal import SQLiteDatabase

extension TrackerRecords {
    /// The result of a start or a stop.
    public struct Change: Sendable, Hashable {
        /// The activity that ended, if one was running.
        public var stopped: TrackerActivity?
        /// The activity that runs from now on.
        public var started: TrackerActivity?
    }

    /// Starts an activity; the one that is running ends at that moment.
    ///
    /// - Parameters:
    ///   - button: The button that stands for it.
    ///   - id: The id of the new activity.
    ///   - moment: When it begins.
    ///   - isNew: Whether the button was just added for it, so that an undo removes it as well.
    /// - Throws: `tracker.state` where it is running already, or where what is running began later; `store.conflict` where
    ///   the id is taken.
    public func start(
        _ button: ActivityButton,
        id: String,
        at moment: ZonedTimestamp,
        adding isNew: Bool = false
    ) throws -> Change {
        let running = try allRunning()
        if let same = running.last?.activity, same.buttonID == button.id || same.name == button.name {
            throw AppFormatError(.trackerState, "\"\(same.name)\" is running already, since \(same.start)")
        }
        let ended = try end(running, at: moment)
        let started = TrackerActivity(
            id: id,
            name: button.name,
            buttonID: button.id,
            start: moment,
            color: button.color
        )
        try insert(started)
        try keep(
            TrackerChange(
                "start",
                activities: ended + [TrackerChange.Step(after: started)],
                buttons: isNew ? [TrackerChange.Step(after: button)] : []
            )
        )
        return Change(stopped: ended.last?.after, started: started)
    }

    /// Ends the activity that is running.
    ///
    /// - Throws: `tracker.state` where none is running, or it began later.
    public func stop(at moment: ZonedTimestamp) throws -> Change {
        let running = try allRunning()
        guard !running.isEmpty else { throw AppFormatError(.trackerState, "no activity is running") }
        let ended = try end(running, at: moment)
        try keep(TrackerChange("stop", activities: ended))
        return Change(stopped: ended.last?.after, started: nil)
    }

    /// Adds an activity.
    ///
    /// - Throws: `store.conflict` where the store has one with that id.
    public func insert(_ activity: TrackerActivity) throws {
        let key = (try Int.fetchOne(database, sql: "SELECT max(key) FROM activity") ?? 0) + 1
        let insertion = try TrackerInsertion(database)
        try activity.withRow { try insertion.insert($0, key: key) }
    }

    /// Ends what is running: each when the next one begins, the last at a moment.
    private func end(
        _ running: [(key: Int, activity: TrackerActivity)],
        at moment: ZonedTimestamp
    ) throws -> [TrackerChange.Step<TrackerActivity>] {
        guard let last = running.last?.activity else { return [] }
        guard last.start.moment <= moment.moment else {
            throw AppFormatError(
                .trackerState,
                "\"\(last.name)\" is running since \(last.start), which is after \(moment); check the clock, or correct the "
                    + "start: entries edit running --start TIME"
            )
        }
        let update = try TrackerUpdate(database)
        let ends = running.dropFirst().map(\.activity.start) + [moment]
        return try zip(running, ends).map { entry, end in
            var activity = entry.activity
            activity.end = end
            try update.update(activity, key: entry.key)
            return TrackerChange.Step(before: entry.activity, after: activity)
        }
    }

    // MARK: Buttons

    /// Returns the button that a person means by a name: the one that is shown, else a hidden one.
    ///
    /// Names are compared without regard to case.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func button(named name: String) throws -> ActivityButton? {
        let same = try buttons().filter { CategoryKey($0.name) == CategoryKey(name) }
        return same.first(where: \.isVisible) ?? same.first
    }

    /// Adds a button of a name, in the colour and with the icon of the app's own of that name, if there is one.
    ///
    /// - Returns: The button, or the one that has the name already.
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func addButton(named name: String) throws -> ActivityButton {
        var planner = TrackerButtonPlanner(try buttons())
        let button = try planner.button(named: name, color: nil, TrackerPlanRecorder(nil), place: .store)
        for case .create(let button) in planner.takeSteps() { try save(button) }
        return button
    }

    /// Adds the app's eight buttons, as far as there are none of these names.
    ///
    /// - Returns: Those that were added.
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func addPresets() throws -> [ActivityButton] {
        let stored = try buttons()
        var added: [ActivityButton] = []
        for preset in TrackerPresets.buttons
        where !stored.contains(where: { CategoryKey($0.name) == CategoryKey(preset.name) }) {
            var button = preset
            button.position = ActivityButton.position(after: stored + added)
            try save(button)
            added.append(button)
        }
        return added
    }
}
