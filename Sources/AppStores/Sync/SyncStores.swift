internal import GRDB

/// The stores of the apps, as synchronisation sees them.
package enum SyncStores {
    /// Opens a store of whichever app it is.
    ///
    /// - Throws: `store.not-found` where there is none, `store.foreign` where it is none of these apps', and what opening
    ///   a store throws.
    package static func open(_ path: String) throws(StoreError) -> any SyncStore {
        guard let app = try app(of: path) else {
            let message = "the file is no store of BZ Timer, Slate, Time Tracker or Study Timer"
            throw StoreError(.foreign, message, path: path)
        }
        return try LinkedStore(kind(app), path: path)
    }

    /// The app whose store a file is; nil for a file that is none.
    ///
    /// - Throws: `store.not-found` where there is no file or an empty one, and what opening a database throws.
    package static func app(of path: String) throws(StoreError) -> SyncApp? {
        guard try StorePath.size(of: path) ?? 0 > 0 else {
            throw StoreError(.notFound, "there is no store at this path", path: path)
        }
        do {
            return try StorePath.translating(path) {
                var configuration = SlateFile.configuration(readOnly: false)
                configuration.label = "store"
                return try DatabaseQueue(path: path, configuration: configuration).read { try app(of: $0) }
            }
        } catch  where error.code == .notADatabase {
            return nil
        }
    }

    /// Makes an empty store.
    ///
    /// - Throws: `store.cannot-open` where there is something at the path already.
    package static func make(_ app: SyncApp, at path: String) throws(StoreError) {
        guard try StorePath.size(of: path) ?? 0 == 0 else {
            throw StoreError(.cannotOpen, "there is a file at this path already; it was not changed", path: path)
        }
        try StoreLocation.createFolder(of: path)
        try StorePath.translating(path) { try kind(app).make(path) }
    }

    private static func app(of database: Database) throws -> SyncApp? {
        switch try Int.fetchOne(database, sql: "PRAGMA application_id") {
        case BztimerSchema.identity.applicationID: return .bztimer
        case TrackerSchema.identity.applicationID: return .tracker
        case StudySchema.identity.applicationID: return .study
        default: break
        }
        let tables = try Set(database.names(ofType: "table"))
        return SlateSchema.tables(1).allSatisfy(tables.contains) ? .slate : nil
    }

    private static func kind(_ app: SyncApp) -> any SyncKind {
        switch app {
        case .bztimer: BztimerSyncKind()
        case .slate: SlateSyncKind()
        case .tracker: TrackerSyncKind()
        case .study: StudySyncKind()
        }
    }
}
