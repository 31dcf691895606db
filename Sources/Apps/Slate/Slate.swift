package import RecordStore

/// Slate: tasks, habits and days.
package struct SlateApp: AppDefinition {
    package let id = SyncApp.slate
    package let applicationID: Int? = nil
    package let store: any SyncKind = SlateSyncKind()

    package init() {}
}
