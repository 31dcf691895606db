internal import Dispatch
internal import Synchronization

/// The progress of a sync.
public struct SyncProgress: Sendable, Hashable {
    /// The phase of the sync.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Finding what the app changed.
        case detecting
        /// Reading files of the shared folder.
        case reading
        /// Merging the changes of other devices.
        case merging
        /// Writing merged records into the store.
        case applying
    }

    /// The phase of the sync.
    public let phase: Phase
    /// The number of records, files or changes done.
    public let completed: Int
    /// The number of all of them; nil where it is unknown.
    public let total: Int?
}

/// Syncs a store with a shared folder, for an app that must not wait: each operation runs on a thread of its own.
///
/// ```swift
/// let notes = FolderSync(folder: "/home/ada/Sync", store: "/home/ada/notes.db", environment)
/// try await notes.join()
/// let outcome = try await notes.sync { print($0.phase, $0.completed) }
/// ```
///
/// A cancelled task ends its sync with a `CancellationError`. Nothing is lost: the next sync continues.
public struct FolderSync: Sendable {
    /// The shared folder.
    public let folder: String
    /// The path of the app's database.
    public let store: String
    /// The time, the names and the device that a sync uses.
    public let environment: SyncEnvironment

    /// Makes a sync of a store, which need not have joined the folder yet.
    public init(folder: String, store: String, _ environment: SyncEnvironment) {
        self.folder = folder
        self.store = store
        self.environment = environment
    }

    /// Joins the folder, which must exist, and makes it a shared one if it is none yet.
    ///
    /// A store that has joined continues. An empty folder is not the one that it joined.
    ///
    /// - Returns: The space's identifier.
    /// - Throws: ``SyncError``, `DirectoryError` where the folder is missing, and the errors of opening the store.
    @discardableResult
    public func join() async throws -> String {
        try await run { environment in
            let isKnown = try Replica.isShared(folder) || StateFile(path: StateFile.path(ofStore: store)).exists
            let space = try isKnown ? Replica.space(of: folder) : Replica.makeSpace(in: folder, environment)
            try Replica.join(folder: folder, space: space, store: store, environment)
            return space
        }
    }

    /// Publishes the app's changes, and applies the changes of other devices to the store.
    ///
    /// - Parameters:
    ///   - decision: A person's decision on a mass change.
    ///   - progress: Takes the progress, on the sync's thread.
    /// - Throws: ``SyncError``, `DirectoryError`, the errors of the store; `CancellationError` where the task was
    ///   cancelled.
    public func sync(
        _ decision: SyncDecision = .none,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncOutcome {
        try await run(progress) { try replica($0).sync(decision) }
    }

    /// Returns the state of the replica and its peers.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func status() async throws -> ReplicaStatus { try await run { try replica($0).status() } }

    /// Returns the open conflicts.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func conflicts() async throws -> [RecordConflict] { try await run { try replica($0).conflicts() } }

    /// Decides conflicts by ordinary edits.
    ///
    /// - Throws: As ``sync(_:progress:)``; `sync.not-found` for a conflict that is not open.
    @discardableResult
    public func resolve(_ decisions: [ConflictDecision]) async throws -> SyncOutcome {
        try await run { try replica($0).resolve(decisions) }
    }

    /// Stops syncing the store: its records stay, and so do its files in the folder.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func leave() async throws { try await run { try replica($0).leave() } }

    private func replica(_ environment: SyncEnvironment) throws -> Replica {
        try Replica(folder: folder, store: store, environment)
    }

    /// Runs a blocking operation on a thread that may wait.
    private func run<Result: Sendable>(
        _ progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        _ body: @escaping @Sendable (SyncEnvironment) throws -> Result
    ) async throws -> Result {
        let isCancelled = Flag()
        var environment = environment
        let before = environment.progress
        environment.progress = { step in
            if isCancelled.value.load(ordering: .relaxed) { throw CancellationError() }
            try before(step)
            progress(step)
        }
        let started = environment
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Swift.Result { try body(started) })
                }
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }
}

private final class Flag: Sendable {
    let value = Atomic(false)
}
