import FormatKit
package import RecordMerge
package import RecordStore

/// Slate: tasks, habits and days.
package struct SlateApp: AppDefinition {
    package let id = AppID.slate
    package let applicationID: Int? = nil
    package let title = "Slate"
    package let schemas = [SlateFormat.versions.currentSchema]
    package let schemaVersion = SlateFormat.currentVersion
    package let importReplaces = true
    package let domain = MergeDomain.slate
    package let store: any StoreAdapter = SlateStoreAdapter()
    package let inbox: (any InboxFormat)? = SlateInbox()

    package init() {}
}

extension MergeDomain {
    /// The references and invariants of Slate.
    package static let slate = MergeDomain(SlateInvariants())
    /// The same for backups that are merged as files.
    package static let slateFiles = MergeDomain(SlateInvariants(areFiles: true))
}
