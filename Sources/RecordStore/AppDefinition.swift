/// An app as the toolkit knows it: what its folder has to say of itself.
package protocol AppDefinition: Sendable {
    /// The app's name in synchronisation.
    var id: SyncApp { get }
    /// The number that marks the app's stores, at byte 68 of their file; nil where a store is known by its tables.
    var applicationID: Int? { get }
    /// The adapter of the app's stores.
    var store: any SyncKind { get }
}
