import FormatKit
package import RecordMerge
package import RecordStore

/// Study Timer: sessions and their events.
package struct StudyTimerApp: AppDefinition {
    package let id = AppID.study
    package var applicationID: Int? { StudySchema.identity.applicationID }
    package let title = "Study Timer"
    package var schemas: [[UInt8]] { [StudyFormat.versions.currentSchema] }
    package let schemaVersion = StudyFormat.currentVersion
    package var domain: MergeDomain { .study }
    package var store: any StoreAdapter { Self.adapter }
    package var inbox: (any InboxFormat)? { StudyInbox() }

    /// Made at its first use: most runs serve one app, and need not wait for the others.
    private static let adapter = StudyStoreAdapter()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Study Timer.
    package static let study = MergeDomain(StudyInvariants())
}
