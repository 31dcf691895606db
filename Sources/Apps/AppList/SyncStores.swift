package import RecordStore

/// The stores of all apps that the programs serve.
package enum SyncStores {
    /// The apps' stores.
    package static let all = AppStores(apps)

    /// Opens a store as ``AppStores/open(_:)`` does.
    package static func open(_ path: String) throws(StoreError) -> any SyncStore { try all.open(path) }

    /// Returns the app of a store as ``AppStores/app(of:)`` does.
    package static func app(of path: String) throws(StoreError) -> AppID? { try all.app(of: path) }

    /// Returns the upgrade that a store needs as ``AppStores/pendingUpgrade(of:)`` does.
    package static func pendingUpgrade(of path: String) throws(StoreError) -> StoreUpgrade? {
        try all.pendingUpgrade(of: path)
    }

    /// Makes a store as ``AppStores/make(_:at:_:)`` does.
    package static func make(
        _ app: AppID,
        at path: String,
        _ declaration: AppDeclaration? = nil
    ) throws(StoreError) { try all.make(app, at: path, declaration) }
}
