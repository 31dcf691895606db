package import RecordStore

/// Time Tracker: buttons and the activities that they start.
package struct TimeTrackerApp: AppDefinition {
    package let id = SyncApp.tracker
    package let applicationID: Int? = TrackerSchema.identity.applicationID
    package let store: any SyncKind = TrackerSyncKind()

    package init() {}
}
