internal import FormatKit
internal import GymPulse
package import RecordMerge
package import RecordStore

/// BZ Timer: sessions, saved activities, history and settings, with GymPulse's presets.
package struct BZTimerApp: AppDefinition {
    package let id = AppID.bztimer
    package let applicationID: Int? = BztimerSchema.identity.applicationID
    package let title = "BZ Timer"
    package let schemas = BztimerFormat.storeSchemas
    package let schemaVersion = 1
    package let domain = MergeDomain.bztimer
    package let store: any StoreAdapter = BztimerStoreAdapter()
    package let inbox: (any InboxFormat)? = BztimerInbox()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of BZ Timer.
    package static let bztimer = MergeDomain(BZTimerInvariants())
}
