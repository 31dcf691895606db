internal import AppList
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import RecordStore
internal import StrictJSON

/// Ends the parts of stores, after what was changed in them was published.
struct Leaving {
    let environment: SyncEnvironment
    /// True if it leaves with changes that cannot be published, too.
    let isForced: Bool
    let isDryRun: Bool

    /// The result for a store.
    struct Result {
        let isDryRun: Bool
        /// The last synchronisation; nil where there could be none.
        var sync: SyncReport?
        /// The changes that stay on this device alone, in words; nil where there are none.
        var unpublished: String?
        /// True if there is no store any more that could keep anything.
        var isStoreGone = false
        /// True if the folder took no mark, so that the others wait for this device.
        var isUntold = false

        func text(_ target: Target, _ device: String) -> String {
            let line = Messages.left(
                target.folder.path,
                target.store.path,
                isDryRun: isDryRun,
                isStoreGone: isStoreGone,
                unpublished: unpublished
            )
            let untold = isUntold ? TerminalText.safe(Messages.leavingUntold(target.folder.path, device)) + "\n" : ""
            return (sync?.text(target, saysIdle: false) ?? "") + TerminalText.safe(line) + "\n" + untold
        }

        var json: JSONObject {
            [
                "sync": sync.map { .object($0.json) } ?? .null,
                "unpublished": unpublished.map { .string($0) } ?? .null,
                "untold": .bool(isUntold),
            ]
        }
    }

    /// Ends the store's part; one that is gone, or was never linked, has none.
    ///
    /// - Throws: 4 where something cannot be published and nobody said that this is no matter.
    func run(_ target: Target) throws -> Result {
        let path = target.store.path
        do {
            let replica = try Replica(folder: target.folder.path, store: path, environment)
            var result = try publish(replica)
            if let unpublished = result.unpublished, !isForced {
                throw CommandFailure(
                    .unpublished,
                    Messages.unpublishedOnLeaving(unpublished)
                )
            }
            if !isDryRun { result.isUntold = try !replica.leaveTelling() }
            return result
        } catch let error as SyncError where error.code == .notJoined {
            if !isDryRun { try AppStores.all.open(path).removeLink() }
        } catch let error as StoreError where error.code == .notFound {
            if !isDryRun { try putAside(target.store) }
            return Result(isDryRun: isDryRun, isStoreGone: true)
        } catch let error as SyncError where error.code == .state {
            if !isDryRun {
                try AppStores.all.open(path).removeLink()
                try putAside(target.store)
            }
        }
        return Result(isDryRun: isDryRun)
    }

    private func publish(_ replica: Replica) throws -> Result {
        var result = Result(isDryRun: isDryRun)
        do {
            let outcome = try isDryRun ? replica.preview() : replica.sync()
            result.sync = SyncReport(outcome, isDryRun: isDryRun)
            if let (count, reason) = outcome.outbox {
                result.unpublished = "\(Words.count(count, "change")) (\(reason))"
            }
        } catch {
            guard let failure = failure(error) else { throw error }
            // A store that cannot be read, as its app took away what the declaration names, may leave as well.
            let status = try? replica.status()
            let unpublished = status?.unpublished
            var parts =
                unpublished.map { $0 == 0 ? [] : [Words.count($0, "changed record")] } ?? [Messages.unknownChanges]
            if let outbox = status?.outbox, outbox > 0 { parts.append(Words.count(outbox, "change")) }
            let words = parts.joined(separator: " and ")
            result.unpublished = words.isEmpty ? nil : "\(words) (\(failure.description))"
        }
        return result
    }

    /// Keeps what a store knew of the others under another name, so that the store can join anew.
    private func putAside(_ store: JoinedStore) throws(CommandFailure) {
        let file = "\(store.path).foldersync"
        // What is left in the log of one that was killed belongs to it.
        _ = try? Files.rename("\(file)-wal", to: "\(file)-left-wal")
        do throws(FileError) {
            try Files.rename(file, to: "\(file)-left")
        } catch {
            if error.isGone { return }
            throw CommandFailure(.inputOutput, Messages.cannotPutAside(file, error.reason))
        }
    }
}
