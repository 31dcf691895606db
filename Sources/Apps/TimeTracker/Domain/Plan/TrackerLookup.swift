package import CivilTime

/// An activity of a store, as a planner sees it.
package struct TrackerStored {
    /// The key of its row.
    package var key: Int
    package var activity: TrackerActivity
    /// True if this import made it.
    package var isNew: Bool

    package init(key: Int, activity: TrackerActivity, isNew: Bool) {
        self.key = key
        self.activity = activity
        self.isNew = isNew
    }
}

/// Finds activities of a store for a planner, by an index, so that the planner keeps none in memory.
package protocol TrackerLookup {
    /// Returns the activity with an id, whether it was there before or this import made it.
    func stored(id: String) throws -> TrackerStored?
    /// Returns the activities that were there before this import and begin at a moment.
    func stored(startingAt moment: Timestamp) throws -> [TrackerStored]
    /// Returns the activities from before this import that overlap an activity of at most two days.
    ///
    /// Running activities do not count.
    func stored(overlapping activity: TrackerActivity) throws -> [TrackerStored]
}
