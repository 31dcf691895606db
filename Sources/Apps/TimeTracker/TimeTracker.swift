import FormatKit
package import RecordMerge
package import RecordStore

/// Time Tracker: buttons and the activities that they start.
package struct TimeTrackerApp: AppDefinition {
    package let id = AppID.tracker
    package var applicationID: Int? { TrackerSchema.identity.applicationID }
    package let title = "Time Tracker"
    package var schemas: [[UInt8]] { [TrackerFormat.versions.currentSchema] }
    package let schemaVersion = TrackerFormat.currentVersion
    package var domain: MergeDomain { .tracker }
    package var store: any StoreAdapter { Self.adapter }
    package var inbox: (any InboxFormat)? { TrackerInbox() }

    /// Made at its first use: most runs serve one app, and need not wait for the others.
    private static let adapter = TrackerStoreAdapter()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Time Tracker.
    package static let tracker = MergeDomain(TrackerInvariants())

    /// The same for a merge of two files, of which one gives both the start and the end of an activity.
    package static let trackerFiles = MergeDomain(TrackerInvariants(mendsSpans: false))
}
