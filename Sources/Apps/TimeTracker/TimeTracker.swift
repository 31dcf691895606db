import FormatKit
package import RecordMerge
package import RecordStore

/// Time Tracker: buttons and the activities that they start.
package struct TimeTrackerApp: AppDefinition {
    package let id = AppID.tracker
    package let applicationID: Int? = TrackerSchema.identity.applicationID
    package let title = "Time Tracker"
    package let schemas = [TrackerFormat.versions.currentSchema]
    package let schemaVersion = TrackerFormat.currentVersion
    package let domain = MergeDomain.tracker
    package let store: any StoreAdapter = TrackerStoreAdapter()
    package let inbox: (any InboxFormat)? = TrackerInbox()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Time Tracker.
    package static let tracker = MergeDomain(TrackerInvariants())

    /// The same for a merge of two files, of which one gives both the start and the end of an activity.
    package static let trackerFiles = MergeDomain(TrackerInvariants(mendsSpans: false))
}
