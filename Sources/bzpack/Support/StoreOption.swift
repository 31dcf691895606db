internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import RecordStore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The option `--store`.
struct StoreOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("Use this store instead of the default one.", valueName: "path"),
        completion: .file()
    )
    var path: String?

    /// Returns the path of the store.
    func resolvedPath() throws(CommandFailure) -> String {
        try StoreArgument.path(path, option: "--store", default: "bztimer.db")
    }

    /// Opens the store for reading.
    func reading() throws -> BztimerStore {
        do {
            let store = try BztimerStore(path: resolvedPath(), for: .reading)
            FaultReport.watch(store)
            return store
        } catch let error as StoreError where error.code == .cannotOpen {
            throw CommandFailure(.noInput, diagnostics: [error.diagnostic])
        }
    }

    /// Opens the store for reading, or gives nil where there is none.
    func readingIfPresent() throws -> BztimerStore? {
        do {
            return try reading()
        } catch let error as StoreError where error.code == .notFound {
            return nil
        }
    }

    /// Opens the store for writing, and makes it unless it must exist; the folder of the default store is made as well.
    func writing(mustExist: Bool) throws -> BztimerStore {
        let path = try resolvedPath()
        if self.path == nil, !mustExist { try StoreLocation.createFolder(of: path) }
        let store = try BztimerStore(path: path, for: .writing(mustExist: mustExist))
        FaultReport.watch(store)
        return store
    }
}

/// Returns a new identifier, as the app makes them.
func newIdentifier() -> String { UUID().uuidString.lowercased() }
