public import RecordMerge

/// An app as the toolkit knows it: what its folder has to say of itself.
public protocol AppDefinition: Sendable {
    /// The app's name in synchronisation.
    var id: AppID { get }
    /// What people call the app.
    var title: String { get }
    /// The number that marks the app's stores, at byte 68 of their file; nil where a store is known by its tables.
    var applicationID: Int? { get }
    /// The schema by whose rules devices merge, then the schemas that it refers to.
    var schemas: [[UInt8]] { get }
    /// The version of that schema, as segments name it.
    var schemaVersion: Int { get }
    /// The references and invariants.
    var domain: MergeDomain { get }
    /// Whether the app's own import replaces all that it has.
    var importReplaces: Bool { get }
    /// The adapter of the app's stores.
    var store: any StoreAdapter { get }
    /// What inboxes need of the app; nil where they take none of its exports.
    var inbox: (any InboxFormat)? { get }
}

extension AppDefinition {
    /// None: the store is known by its tables, or by its declaration.
    public var applicationID: Int? { nil }
    /// None: the rules of merging are the declaration's.
    public var schemas: [[UInt8]] { [] }
    /// The first.
    public var schemaVersion: Int { 1 }
    /// False: an import adds.
    public var importReplaces: Bool { false }
    /// None.
    public var inbox: (any InboxFormat)? { nil }
}
