internal import RecordMerge
internal import StrictJSON

/// The records that are measured, of eight members each, and what two replicas do to them.
///
/// `contenders/merge_rival.py` makes the same.
enum World {
    static let columns = ["id", "title", "notes", "done", "count", "day", "made", "changed"]

    static func schema() throws -> MergeSchema {
        try MergeSchema(
            reading: JSONDocument(
                parsing: #"{"properties":{"rows":{"x-merge":"records","items":{"properties":{"id":{}}}}}}"#
            ).root.value
        )
    }

    static func name(_ number: Int) -> String { "r" + String(String(10_000_000 + number).dropFirst()) }

    static func object(_ number: Int, id: String? = nil) -> JSONObject {
        [
            "id": .string(id ?? name(number)), "title": .string("Title of the record \(number)"),
            "notes": .string("note \(number % 97)"), "done": .bool(number % 3 == 0),
            "count": .number(number % 1000), "day": .string("2025-01-\(10 + number % 20)"),
            "made": "2025-01-01T10:00:00Z", "changed": "2025-01-02T11:30:00+02:00",
        ]
    }

    static func stamp(_ writer: String, _ sequence: Int) throws -> Stamp {
        guard let writer = WriterID(writer) else { throw DatabaseError(description: "no writer: \(writer)") }
        return Stamp(Dot(writer, sequence), HybridClock(milliseconds: sequence))
    }

    /// What a replica does: it changes 1 % of the records, a fifth of them those that the other changes as well, adds
    /// 1 % and deletes 0.5 %.
    static func forEachEdit(_ count: Int, _ side: Int, _ body: (RecordKey, JSONObject?) throws -> Void) rethrows {
        let percent = max(count / 100, 1)
        for index in 0..<percent {
            let isShared = index < percent / 5
            let number = (index * 100 + (isShared ? 0 : 1 + side)) % count
            var changed = object(number)
            changed["title"] = .string("changed by \(side)")
            try body(RecordKey("rows", name(number)), changed)
            let added = "n\(side)-\(index)"
            try body(RecordKey("rows", added), object(count + index, id: added))
            if index % 2 == 0 { try body(RecordKey("rows", name((index * 100 + 50 + side) % count)), nil) }
        }
    }
}
