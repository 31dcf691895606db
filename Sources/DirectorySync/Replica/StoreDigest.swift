internal import Crypto
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The digest of the records that a person sees in a store.
///
/// It covers all records as they are there, with derived values, and the order of ordered collections. It leaves out
/// local members, and identifiers of rows that other members tell apart.
///
/// It adds up the hashes of the records, so they may come in any order, and memory stays constant.
struct StoreDigest {
    private static let identifier = "id"

    private let info: ReplicaApp
    private var sum = [UInt8](repeating: 0, count: SHA256.byteCount)

    init(_ info: ReplicaApp) { self.info = info }

    /// Adds all records of a collection.
    ///
    /// - Parameter completed: Returns a record with what the store lacks columns for.
    mutating func add(
        _ collection: String,
        of records: any SyncRecords,
        completed: (StoreRecordKey, JSONObject) throws -> JSONObject
    ) throws {
        let rule = info.schema.collection(collection)
        let isOrdered = rule?.rule == .list
        let rules = info.schema.record(in: collection)
        // An identifier beside the key may be another one on each device, where a row there has it already.
        let isKey = rule?.elements?.key.members.contains(Self.identifier) ?? true
        let own = !isKey && rules[Self.identifier]?.rule == .min ? Self.identifier : nil
        var number = 0
        try records.forEachRecord(in: collection) { key, object in
            let object = try completed(key, object)
            var seen = JSONObject()
            for member in object {
                let rule = rules[member.name]?.rule
                // In an ordered collection only the position is derived.
                if rule != .local, !(isOrdered && rule == .derived), member.name != own {
                    seen[member.name] = member.value
                }
            }
            number += 1
            let place: JSONValue = isOrdered ? .number(number) : .null
            let text = JSONValue.array([.string(collection), place, .object(seen)]).text(.canonical)
            add(SHA256.hash(data: Array(text.utf8)))
        } unreadable: { row in
            add(SHA256.hash(data: Array("\(collection) \(row.key ?? "") \(row.reason)".utf8)))
        }
    }

    private mutating func add(_ hash: SHA256Digest) {
        var carry = 0
        for (index, byte) in hash.enumerated() {
            carry += Int(sum[index]) + Int(byte)
            sum[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
    }

    /// Returns the SHA-256 of all added records and of the state's digest.
    func finalize(_ state: String) -> String {
        Hex.text(SHA256.hash(data: Array(state.utf8) + sum))
    }
}
