public import RecordMerge

/// The definition of an app, which the app's own folder provides.
public protocol AppDefinition: Sendable {
    /// The app's name in sync.
    var id: AppID { get }
    /// The app's name for people.
    var title: String { get }
    /// The number that marks the app's stores, at byte 68 of their file; nil for stores that their tables identify.
    var applicationID: Int? { get }
    /// The schema whose rules devices merge by, then the schemas that it refers to.
    var schemas: [[UInt8]] { get }
    /// The version of that schema, as segments name it.
    var schemaVersion: Int { get }
    /// The references and invariants.
    var domain: MergeDomain { get }
    /// True if the app's own import replaces all records.
    var importReplaces: Bool { get }
    /// The adapter of the app's stores.
    var store: any StoreAdapter { get }
    /// The formats of the app for inboxes; nil where inboxes accept none of its exports.
    var inbox: (any InboxFormat)? { get }
}

extension AppDefinition {
    /// Nil: the tables or the declaration identify the store.
    public var applicationID: Int? { nil }
    /// Empty: the declaration has the merge rules.
    public var schemas: [[UInt8]] { [] }
    /// Version 1.
    public var schemaVersion: Int { 1 }
    /// False: an import adds.
    public var importReplaces: Bool { false }
    /// Nil: inboxes accept no exports.
    public var inbox: (any InboxFormat)? { nil }
}
