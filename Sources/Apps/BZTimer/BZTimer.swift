package import RecordStore

/// BZ Timer: sessions, saved activities, history and settings, with GymPulse's presets.
package struct BZTimerApp: AppDefinition {
    package let id = SyncApp.bztimer
    package let applicationID: Int? = BztimerSchema.identity.applicationID
    package let store: any SyncKind = BztimerSyncKind()

    package init() {}
}
