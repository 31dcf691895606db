public import ArgumentParser
internal import CommandSupport
internal import RecordStore
public import StudyTimer
internal import Synchronization
internal import TimeTracker

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TimeLogStore.Kind: ExpressibleByArgument {}

/// The options `--store` and `--app`, where a command works for both apps.
struct AnyStoreOption: ParsableArguments {
    @OptionGroup var store: StoreOption

    /// The app whose store is meant by default.
    static let assumed = Mutex(TimeLogStore.Kind.tracker)
    static var assumedKind: TimeLogStore.Kind { assumed.withLock { $0 } }

    @Option(help: "The app, where neither the store nor the file tells.")
    var app: TimeLogStore.Kind?

    /// Returns the path of the store of an app.
    func path(of kind: TimeLogStore.Kind) throws(CommandFailure) -> String {
        let name = kind == .tracker ? TrackerStore.fileName : StudyStore.fileName
        return try StoreArgument.path(store.path, option: "--store", default: name)
    }

    /// Returns the app whose store is meant: by `--app`, else by the store that is named, else Time Tracker.
    func kind() throws -> TimeLogStore.Kind {
        if let app { return app }
        let assumed = Self.assumedKind
        guard store.path != nil else { return assumed }
        do {
            return try TimeLogStore.kind(of: path(of: .tracker)) ?? assumed
        } catch let error as StoreError where error.code == .notFound {
            return assumed
        }
    }

    /// Opens the store of Study Timer for reading.
    func readingStudy() throws -> StudyStore {
        do {
            return try StudyStore(path: path(of: .study), for: .reading)
        } catch let error as StoreError where error.code == .cannotOpen {
            throw CommandFailure(.noInput, diagnostics: [error.diagnostic])
        }
    }

    /// Opens the store of Study Timer for an import; a dry run without a store gets one in memory.
    func importingStudy(isDryRun: Bool) throws -> StudyStore {
        let path = try path(of: .study)
        guard isDryRun else {
            if store.path == nil { try StoreLocation.createFolder(of: path) }
            return try StudyStore(path: path, for: .writing(mustExist: false))
        }
        do {
            return try readingStudy()
        } catch let error as StoreError where error.code == .notFound {
            return try StudyStore(path: path, for: .nothing)
        }
    }
}

/// The option `--store`.
struct StoreOption: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("Use this store instead of the default one.", valueName: "path"),
        completion: .file()
    )
    var path: String?

    /// Returns the path of the store of Time Tracker.
    func trackerPath() throws(CommandFailure) -> String {
        try StoreArgument.path(path, option: "--store", default: TrackerStore.fileName)
    }

    /// Opens the store for reading.
    func reading() throws -> TrackerStore {
        do {
            return try open(.reading)
        } catch let error as StoreError where error.code == .cannotOpen {
            throw CommandFailure(.noInput, diagnostics: [error.diagnostic])
        }
    }

    /// Opens the store for reading, or gives nil where there is none.
    func readingIfPresent() throws -> TrackerStore? {
        do {
            return try reading()
        } catch let error as StoreError where error.code == .notFound {
            return nil
        }
    }

    /// Opens the store for writing, and makes it unless it must exist; the folder of the default store is made as well.
    func writing(mustExist: Bool) throws -> TrackerStore {
        let path = try trackerPath()
        if self.path == nil, !mustExist { try StoreLocation.createFolder(of: path) }
        return try open(.writing(mustExist: mustExist))
    }

    private func open(_ purpose: TrackerStore.Purpose) throws -> TrackerStore {
        let path = try trackerPath()
        let failure: StoreError
        do throws(StoreError) {
            return try TrackerStore(path: path, for: purpose)
        } catch {
            failure = error
        }
        guard failure.code == .foreign, try TimeLogStore.kind(of: path) == .study else { throw failure }
        throw CommandFailure(.badData, Messages.wrongStore(path))
    }
}

/// Returns a new identifier, as the app makes them.
func newIdentifier() -> String { UUID().uuidString.lowercased() }
