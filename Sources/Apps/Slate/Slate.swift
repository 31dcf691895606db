import FormatKit
package import RecordMerge
package import RecordStore

/// Slate: tasks, habits and days.
package struct SlateApp: AppDefinition {
    package let id = AppID.slate
    package let applicationID: Int? = nil
    package let title = "Slate"
    package var schemas: [[UInt8]] { [SlateFormat.versions.currentSchema] }
    package let schemaVersion = SlateFormat.currentVersion
    package let importReplaces = true
    package var domain: MergeDomain { .slate }
    package var store: any StoreAdapter { Self.adapter }
    package var inbox: (any InboxFormat)? { SlateInbox() }

    /// Made at its first use: most runs serve one app, and need not wait for the others.
    private static let adapter = SlateStoreAdapter()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Slate.
    package static let slate = MergeDomain(SlateInvariants())
    /// The same for backups that are merged as files.
    package static let slateFiles = MergeDomain(SlateInvariants(areFiles: true))
}
