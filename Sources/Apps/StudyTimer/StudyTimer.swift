package import RecordStore

/// Study Timer: sessions and their events.
package struct StudyTimerApp: AppDefinition {
    package let id = SyncApp.study
    package let applicationID: Int? = StudySchema.identity.applicationID
    package let store: any SyncKind = StudySyncKind()

    package init() {}
}
