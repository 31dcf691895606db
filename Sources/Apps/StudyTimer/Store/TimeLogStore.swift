public import RecordStore
internal import SQLiteDatabase
internal import TimeTracker

/// Tells whose store a file is.
public enum TimeLogStore {
    /// An app whose time log a store holds.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Time Tracker: ``TrackerStore``.
        case tracker
        /// Study Timer: ``StudyStore``.
        case study
    }

    /// Returns the program whose store a file is, by the mark that it bears.
    ///
    /// It is nil for any other database, and for an empty one.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.io`.
    public static func kind(of path: String) throws(StoreError) -> Kind? {
        guard try StorePath.size(of: path) ?? 0 > 0 else {
            throw StoreError(.notFound, "there is no store at this path; make one with init or import", path: path)
        }
        do {
            return try kind(of: path, readOnly: true)
        } catch  where error.code == .readOnly || error.code == .cannotOpen {
            // An interrupted writer left a journal, which only a writer can roll back.
            return try kind(of: path, readOnly: false)
        }
    }

    private static func kind(of path: String, readOnly: Bool) throws(StoreError) -> Kind? {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(10)
        return try StorePath.translating(path) {
            let application = try DatabaseQueue(path: path, configuration: configuration).read {
                try Int.fetchOne($0, sql: "PRAGMA application_id") ?? 0
            }
            switch application {
            case TrackerSchema.identity.applicationID: return .tracker
            case StudySchema.identity.applicationID: return .study
            default: return nil
            }
        }
    }
}
