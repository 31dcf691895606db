internal import Dispatch
internal import Synchronization

/// How far a synchronisation has come.
public struct SyncProgress: Sendable, Hashable {
    /// What it is doing.
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

    /// What it is doing.
    public let phase: Phase
    /// How many records, files or changes are done.
    public let completed: Int
    /// How many there are; nil where that is not known.
    public let total: Int?
}

/// A store in a shared folder, for an app that must not wait: each operation runs on a thread of its own.
///
/// ```swift
/// let notes = FolderSync(folder: "/home/ada/Sync", store: "/home/ada/notes.db", environment)
/// try await notes.join()
/// let outcome = try await notes.sync { print($0.phase, $0.completed) }
/// ```
///
/// A task that is cancelled ends its synchronisation with a `CancellationError`. Nothing is lost by that: the next one
/// goes on from there.
public struct FolderSync: Sendable {
    /// The shared folder.
    public let folder: String
    /// The path of the app's database.
    public let store: String
    /// What a synchronisation takes from outside.
    public let environment: SyncEnvironment

    /// A store in a shared folder, which need not have joined yet.
    public init(folder: String, store: String, _ environment: SyncEnvironment) {
        self.folder = folder
        self.store = store
        self.environment = environment
    }

    /// Joins the folder, which has to be there, and makes it a shared one where it is none yet.
    ///
    /// A store that has joined goes on as it is: a folder that is empty is not the one that it has joined.
    ///
    /// - Returns: The space's identifier.
    /// - Throws: ``SyncError``, `DirectoryError` where the folder is not there, and what opening the store throws.
    @discardableResult
    public func join() async throws -> String {
        try await run { environment in
            let isKnown = try Replica.isShared(folder) || StateFile(path: StateFile.path(ofStore: store)).exists
            let space = try isKnown ? Replica.space(of: folder) : Replica.makeSpace(in: folder, environment)
            try Replica.join(folder: folder, space: space, store: store, environment)
            return space
        }
    }

    /// Publishes what the app changed, and writes into the store what other devices changed.
    ///
    /// - Parameters:
    ///   - decision: What a person decided where the store lost much at once.
    ///   - progress: Is told how far it has come, on the thread of the synchronisation.
    /// - Throws: ``SyncError``, `DirectoryError`, what the store throws; `CancellationError` where the task was cancelled.
    public func sync(
        _ decision: SyncDecision = .none,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> SyncOutcome {
        try await run(progress) { try replica($0).sync(decision) }
    }

    /// Returns what waits and what stands in a conflict.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func status() async throws -> ReplicaStatus { try await run { try replica($0).status() } }

    /// Returns the conflicts that stand.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func conflicts() async throws -> [RecordConflict] { try await run { try replica($0).conflicts() } }

    /// Decides conflicts, as edits like any others.
    ///
    /// - Throws: As ``sync(_:progress:)``; `sync.not-found` for a conflict that does not stand.
    @discardableResult
    public func resolve(_ decisions: [ConflictDecision]) async throws -> SyncOutcome {
        try await run { try replica($0).resolve(decisions) }
    }

    /// Ends the store's part in the folder: its records stay, and so do its files in the folder.
    ///
    /// - Throws: As ``sync(_:progress:)``.
    public func leave() async throws { try await run { try replica($0).leave() } }

    private func replica(_ environment: SyncEnvironment) throws -> Replica {
        try Replica(folder: folder, store: store, environment)
    }

    /// Runs something that waits for files on a thread that may wait.
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
