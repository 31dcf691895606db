internal import FormatKit
internal import RecordMerge
internal import RecordStore
internal import StrictJSON
internal import Synchronization

/// An export as a store: the records of a device that can only export.
final class DocumentStore: SyncStore {
    let app: AppID
    let path: String
    let collections: [String]
    let wholeCollections: Set<String>
    /// True if a missing record was deleted on the device.
    let isWhole: Bool
    /// The collections that the document names, some of them without a record.
    let named: Set<String>
    private let content: Mutex<(parts: UnsaidParts, records: RecordSet, unsaid: Set<String>)>

    /// Makes a store of a document.
    ///
    /// - Throws: `sync.document` where the document cannot be read as records.
    init(
        _ document: JSONValue,
        _ info: ReplicaApp,
        _ parts: UnsaidParts,
        path: String
    ) throws {
        app = info.app
        self.path = path
        isWhole = parts.isWhole
        do {
            content = Mutex((parts, try info.schema.records(of: document), parts.unsaid))
        } catch {
            throw SyncError(.document, "\(error)", path: path)
        }
        let members = info.schema.document.members.filter { info.schema.collection($0.name) != nil }
        collections = members.map(\.name)
        named = Set(collections.filter { $0.isEmpty || document[$0] != nil })
        wholeCollections = Set(members.filter { $0.rule == .list || $0.rule == .record }.map(\.name))
    }

    /// Completes the records with the parts that the document cannot contain.
    func complete(by state: ReplicaState) throws {
        let parts = content.withLock { $0.parts }
        let completed = try parts.complete(by: state)
        content.withLock { $0 = (parts, completed.records, completed.unsaid) }
    }

    /// Changes the document; the records follow once it is completed again.
    func change<Result>(_ change: (inout JSONValue) throws -> Result) rethrows -> Result {
        var parts = content.withLock { $0.parts }
        let result = try change(&parts.document)
        content.withLock { $0.parts = parts }
        return result
    }

    /// Notes the version of the document.
    func noteVersion(in state: ReplicaState) throws {
        try content.withLock { $0.parts }.noteVersion(in: state)
    }

    /// The collections that the document cannot contain.
    var unsaid: Set<String> { content.withLock { $0.unsaid } }

    func setLink(_ link: SyncLink) {}
    func removeLink() {}

    func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result {
        try body(DocumentRecords(records: content.withLock { $0.records }))
    }

    func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result { try read(body) }

    func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) -> Bool { false }
}

private struct DocumentRecords: SyncRecords {
    let records: RecordSet

    var link: SyncLink? { nil }
    var journal: SyncJournal { SyncJournal(keys: [], revision: 0, isIntact: false) }
    var schema: Int { 0 }

    var unsynced: [String] { [] }

    func record(_ key: StoreRecordKey) -> JSONObject? { records.objects[RecordKey(key)] }

    func records(_ keys: [StoreRecordKey]) -> [Result<JSONObject?, UnreadableRow>] { keys.map { .success(record($0)) } }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        for key in records.order[collection] ?? [] {
            guard let object = records.objects[RecordKey(collection, key)] else { continue }
            try body(StoreRecordKey(collection, key), object)
        }
    }

    func count(_ collection: String) -> Int { records.order[collection]?.count ?? 0 }

    // Exports of apps with retention lack their logs.
    func removal(of key: StoreRecordKey, _ entry: JSONObject, now: Int) -> LogRemoval? { nil }
}
