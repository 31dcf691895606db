package import CivilTime

/// An activity of a store, as a planner sees it.
package struct TrackerStored {
    /// The key of its row.
    package var key: Int
    package var activity: TrackerActivity
    /// Whether this import made it.
    package var isNew: Bool

    package init(key: Int, activity: TrackerActivity, isNew: Bool) {
        self.key = key
        self.activity = activity
        self.isNew = isNew
    }
}

/// What a planner asks a store for; all is looked up in an index, so that nothing has to be held.
package protocol TrackerLookup {
    /// The activity with an id, whether it was there before or this import made it.
    func stored(id: String) throws -> TrackerStored?
    /// The activities that were there before this import and begin at a moment.
    func stored(startingAt moment: Timestamp) throws -> [TrackerStored]
    /// The activities that were there before this import and overlap another one of at most two days; those that run do
    /// not count.
    func stored(overlapping activity: TrackerActivity) throws -> [TrackerStored]
}
