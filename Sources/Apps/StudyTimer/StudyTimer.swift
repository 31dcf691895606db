import FormatKit
package import RecordMerge
package import RecordStore

/// Study Timer: sessions and their events.
package struct StudyTimerApp: AppDefinition {
    package let id = AppID.study
    package let applicationID: Int? = StudySchema.identity.applicationID
    package let title = "Study Timer"
    package let schemas = [StudyFormat.versions.currentSchema]
    package let schemaVersion = StudyFormat.currentVersion
    package let domain = MergeDomain.study
    package let store: any StoreAdapter = StudyStoreAdapter()
    package let inbox: (any InboxFormat)? = StudyInbox()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Study Timer.
    package static let study = MergeDomain(StudyInvariants())
}
