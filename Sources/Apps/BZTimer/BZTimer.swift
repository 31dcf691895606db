internal import FormatKit
internal import GymPulse
package import RecordMerge
package import RecordStore

/// BZ Timer: sessions, saved activities, history and settings, with GymPulse's presets.
package struct BZTimerApp: AppDefinition {
    package let id = AppID.bztimer
    package var applicationID: Int? { BztimerSchema.identity.applicationID }
    package let title = "BZ Timer"
    package var schemas: [[UInt8]] { BztimerFormat.storeSchemas }
    package let schemaVersion = 1
    package var domain: MergeDomain { .bztimer }
    package var store: any StoreAdapter { Self.adapter }
    package var inbox: (any InboxFormat)? { BztimerInbox() }

    /// Made at its first use: most runs serve one app, and need not wait for the others.
    private static let adapter = BztimerStoreAdapter()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of BZ Timer.
    package static let bztimer = MergeDomain(BZTimerInvariants())
}
