/// The apps that sync knows, and their stores.
public struct AppStores: Sendable {
    /// The apps; declared ones need not be among them.
    public let apps: [any AppDefinition]

    /// Makes a list of these apps; declared ones come on top.
    public init(_ apps: [any AppDefinition]) { self.apps = apps }

    /// Returns the definition of an app; nil for one that is only declared.
    package func definition(of app: AppID) -> (any AppDefinition)? { apps.first { $0.id == app } }

    /// Opens a store of whichever app it is.
    ///
    /// - Throws: `store.not-found` where there is none, `store.foreign` for a store of another app, and the errors of
    ///   opening a database.
    package func open(_ path: String) throws(StoreError) -> any SyncStore { try linked(path) }

    /// Opens a store.
    ///
    /// - Parameter expected: The app that it should be of; nil where nothing is known. A store without a mark is opened as
    ///   that app's first: looking for a declaration would open it twice.
    private func linked(_ path: String, expecting expected: AppID? = nil) throws(StoreError) -> LinkedStore {
        if let app = try marked(path) { return try LinkedStore(kind(app), path: path) }
        if let expected, let app = definition(of: expected), app.applicationID == nil, app.store.declaration == nil,
            let store = try? LinkedStore(app.store, path: path), (try? store.isDeclared) == false
        {
            return store
        }
        if let declaration = try DeclaredStores.declared(path) {
            return try LinkedStore(DeclaredStores.adapter(for: declaration), path: path)
        }
        var reason = ""
        for app in apps where app.applicationID == nil && app.store.declaration == nil {
            do {
                return try LinkedStore(app.store, path: path)
            } catch  where error.code == .foreign {
                reason += "; \(error.message)"
            }
        }
        let titles = apps.filter { $0.applicationID != nil }.map(\.title)
        let names =
            titles.dropLast().joined(separator: ", ") + (titles.count > 1 ? " or " : "") + (titles.last ?? "any app")
        throw StoreError(.foreign, "the file is no store of \(names)\(reason)", path: path)
    }

    /// Returns the store of an app, which opens at its first use.
    ///
    /// The first use throws the errors of opening, and `store.foreign` for a store of another app.
    ///
    /// - Parameter declaration: The declaration of a declared app; a store without it gets it.
    package func openLate(
        _ app: AppID,
        _ path: String,
        _ declaration: AppDeclaration? = nil
    ) throws(StoreError) -> any SyncStore {
        LinkedStore(late: try kind(app, declaration), path: path) { () throws(StoreError) in
            if let declaration, try DeclaredStores.declaration(in: path)?.app != declaration.app {
                try DeclaredStores.declare(declaration, path)
            }
            let store = try linked(path, expecting: app)
            guard store.app == app else {
                let message = "the store is one of \(store.app.rawValue), expected one of \(app.rawValue)"
                throw StoreError(.foreign, message, path: path)
            }
            // The database may still hold an earlier declaration.
            guard let declaration, store.declaration?.json != declaration.json else { return store }
            return try LinkedStore(DeclaredStores.adapter(for: declaration), path: path)
        }
    }

    /// Returns the app of a store; nil for a file that is not a store.
    ///
    /// - Throws: `store.not-found` where there is no file or an empty one, and the errors of opening a database.
    package func app(of path: String) throws(StoreError) -> AppID? {
        do {
            return try open(path).app
        } catch  where error.code == .notADatabase || error.code == .foreign {
            return nil
        }
    }

    /// Returns the upgrade that a store needs before sync writes to it; nil where it needs none.
    ///
    /// - Throws: The errors of ``open(_:)``.
    package func pendingUpgrade(of path: String) throws(StoreError) -> StoreUpgrade? {
        try linked(path).pendingUpgrade
    }

    /// Returns the app that a file's mark names: the number at byte 68 of an SQLite file; Slate's own database has
    /// none.
    private func marked(_ path: String) throws(StoreError) -> AppID? {
        guard try StorePath.size(of: path) ?? 0 > 0 else {
            throw StoreError(.notFound, "there is no store at this path", path: path)
        }
        return app(markedIn: StorePath.head(of: path, count: 72))
    }

    /// Returns the app that the first bytes of an SQLite file name; nil where they name none.
    package func app(markedIn head: [UInt8]) -> AppID? {
        let number = head.prefix(72).dropFirst(68).reduce(0) { $0 << 8 | Int($1) }
        return apps.first { $0.applicationID == number }?.id
    }

    /// Makes an empty store.
    ///
    /// - Throws: `store.cannot-open` where there is something at the path already.
    public func make(
        _ app: AppID,
        at path: String,
        _ declaration: AppDeclaration? = nil
    ) throws(StoreError) {
        guard try StorePath.size(of: path) ?? 0 == 0 else {
            throw StoreError(.cannotOpen, "there is a file at this path already; it was not changed", path: path)
        }
        try StoreLocation.createFolder(of: path)
        try StorePath.translating(path) { try kind(app, declaration).make(path) }
    }

    private func kind(
        _ app: AppID,
        _ declaration: AppDeclaration? = nil
    ) throws(StoreError) -> any StoreAdapter {
        if let declaration, declaration.id == app { return DeclaredStores.adapter(for: declaration) }
        guard let definition = definition(of: app) else {
            throw StoreError(.foreign, "this program has no app named \(app.rawValue)", path: "")
        }
        return definition.store
    }
}
