package import RecordStore

/// The stores of all apps that the programs serve.
package enum SyncStores {
    /// The apps' stores.
    package static let all = AppStores(apps)

    /// As ``AppStores/open(_:)``.
    package static func open(_ path: String) throws(StoreError) -> any SyncStore { try all.open(path) }

    /// As ``AppStores/app(of:)``.
    package static func app(of path: String) throws(StoreError) -> AppID? { try all.app(of: path) }

    /// As ``AppStores/make(_:at:_:)``.
    package static func make(
        _ app: AppID,
        at path: String,
        _ declaration: AppDeclaration? = nil
    ) throws(StoreError) { try all.make(app, at: path, declaration) }
}
