internal import CivilTime
internal import FileSystem
internal import RecordMerge
internal import StrictJSON

/// A change of the store that a person's decision discards.
struct DroppedRecord {
    let key: RecordKey
    let title: String?
    /// The store's record; nil for a deleted one.
    let here: JSONObject?
    /// The record that sync last applied; nil for a new one.
    let before: JSONObject?

    var change: SyncedChange.RecordChange {
        let name = RecordName(key, title: title)
        let action: SyncedChange.Action = here == nil ? .deleted : before == nil ? .added : .changed
        return SyncedChange.RecordChange(name: name, action: action, members: [])
    }

    var json: JSONValue {
        [
            "collection": .string(key.collection), "key": .string(key.key),
            "here": here.map { .object($0) } ?? .null, "before": before.map { .object($0) } ?? .null,
        ]
    }
}

extension SyncSession {
    /// Writes the discarded changes into a file beside the store, which only this user can read, and reports them.
    ///
    /// It runs before anything of them is lost: whoever wants one back finds it there.
    func keepDropped() throws {
        guard !dropped.isEmpty else { return }
        defer { dropped = [] }
        outcome.dropped = dropped.map(\.change)
        guard !isDryRun else { return }
        let time = Timestamp(seconds: replica.environment.now() / 1_000).description.filter { $0 != ":" && $0 != "-" }
        let base = "\(replica.storePath).dropped-\(time)"
        var (path, number) = ("\(base).json", 1)
        do {
            while try Files.exists(path) {
                number += 1
                path = "\(base)-\(number).json"
            }
            try Files.write(JSONValue.array(dropped.map(\.json)).encoded(.indented), to: path, mode: 0o600)
        } catch {
            let message = "the dropped changes cannot be kept in a file (\(error.reason)); nothing was dropped"
            throw SyncError(.inputOutput, message, path: path)
        }
        outcome.droppedFile = path
    }

    /// Puts into the outbox what a sync could not publish now, as the folder takes nothing.
    func foreseeOutbox() throws {
        let count = outcome.late.count + outcome.published.count
        guard count > 0 else { return }
        do {
            try directory.checkPublishing(by: state.required(.writer))
        } catch let error as DirectoryError {
            outcome.outbox = (count, error.description)
            outcome.waiting = outcome.late + outcome.published
            (outcome.late, outcome.published) = ([], [])
        }
    }
}
