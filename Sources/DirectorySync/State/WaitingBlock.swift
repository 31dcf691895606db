internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The records of a block that waits, with all that follows from their lines alone.
struct WaitingBlock: Sendable {
    struct Record: Sendable {
        let entry: PackedRecords.Entry
        let shown: ResolvedRecord
        let links: RecordLinks
        /// The members that the store gets; nil where it takes a closer look.
        let sent: JSONObject?
    }

    let collection: String
    let records: [Record]
    let targets: PackedRecords.Targets

    /// Reads the lines of blocks, and resolves their records.
    ///
    /// - Parameter store: The store that gets them; nil where each takes a closer look.
    /// - Throws: ``PackedRecords/Damaged`` for a block that is not as it was written.
    static func resolving(
        _ blocks: [PackedRecords.StoredBlock],
        _ info: ReplicaApp,
        for store: (any SyncStore)?
    ) throws -> [WaitingBlock] {
        var reader = PlainLineReader()
        var decoder = LineDecoder(limits: .own)
        var found: [WaitingBlock] = []
        for block in blocks {
            var records: [Record] = []
            var targets = PackedRecords.Targets()
            for entry in try block.entries() {
                let object = entry.line.withUnsafeBytes { reader.object(of: $0, in: block.collection, info.schema) }
                let shown: ResolvedRecord
                if let object {
                    shown = ResolvedRecord(plain: object)
                } else if let record = entry.line.withUnsafeBytes({ try? decoder.record($0).record }) {
                    shown = info.schema.resolved(entry.key, record)
                } else {
                    throw PackedRecords.Damaged(key: entry.key.key)
                }
                let links = info.domain.links(entry.key, shown)
                targets.add(links, of: entry.key)
                let sent = store.flatMap { part(of: shown.object, entry.key, info, for: $0) }
                records.append(Record(entry: entry, shown: shown, links: links, sent: sent))
            }
            found.append(WaitingBlock(collection: block.collection, records: records, targets: targets))
        }
        return found
    }

    /// Returns what a store gets of a resolved record; nil where it takes a closer look.
    private static func part(
        of object: JSONObject,
        _ key: RecordKey,
        _ info: ReplicaApp,
        for store: any SyncStore
    ) -> JSONObject? {
        let sent = info.sent(key, object)
        // Members are only left out.
        return sent.count == object.count && store.fault(of: sent, in: key.collection) == nil ? sent : nil
    }
}
