internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import RecordMerge
internal import StrictJSON

/// The decisions on conflicts that were made on this device, in a file beside the registry.
///
/// They are for people, who want to see them and take them back. Sync does not need them.
struct DecisionNotes: Sendable {
    /// A decision.
    struct Note: Equatable {
        let store: String
        let collection: String
        let key: String
        /// The decision, in a line.
        let words: String
        /// The time of the decision, in milliseconds since 1970.
        let milliseconds: Int
        /// The moment before it, in milliseconds since 1970: what the record was then is what it was.
        let undoMoment: Int
        /// True if it was taken back.
        var isUndone = false

        var record: RecordKey { RecordKey(collection, key) }
    }

    private static let most = 200

    private let path: String

    init(beside registry: RegistryFile) {
        let path = registry.path
        self.path = (path.hasSuffix(".json") ? String(path.dropLast(5)) : path) + "-decisions.json"
    }

    /// Returns the decisions, the latest first; none where the file is missing or damaged.
    func read() -> [Note] {
        guard let bytes = try? Files.read(path, limit: 1 << 24),
            let notes = try? JSONDocument(parsing: bytes).root.value["decisions"]?.array
        else { return [] }
        return notes.compactMap(Note.init)
    }

    /// Adds decisions; a file that cannot be written keeps what it has.
    func add(_ notes: [Note]) { write { Array((notes + $0).prefix(Self.most)) } }

    /// Notes that decisions were taken back, as a record went back to a moment; nil for all records of the store.
    func markUndone(_ record: RecordKey?, of store: String, since moment: Int) {
        func isMeant(_ note: Note) -> Bool {
            note.store == store && note.undoMoment >= moment && (record == nil || note.record == record)
        }
        guard read().contains(where: isMeant) else { return }
        write { notes in
            notes.map { note in
                var note = note
                if isMeant(note) { note.isUndone = true }
                return note
            }
        }
    }

    private func write(_ change: ([Note]) -> [Note]) {
        guard let lock = try? FileLock(path + ".lock") else { return }
        defer { withExtendedLifetime(lock) {} }
        let json: JSONValue = ["decisions": .array(change(read()).map(\.json))]
        try? Files.write(json.encoded(.indented), to: path)
    }
}

extension DecisionNotes.Note {
    fileprivate init?(_ json: JSONValue) {
        guard let store = json["store"]?.string, let collection = json["collection"]?.string,
            let key = json["key"]?.string, let words = json["words"]?.string, let time = json["milliseconds"]?.int,
            let undo = json["undoMoment"]?.int
        else { return nil }
        self.init(
            store: store,
            collection: collection,
            key: key,
            words: words,
            milliseconds: time,
            undoMoment: undo,
            isUndone: json["undone"]?.bool ?? false
        )
    }

    fileprivate var json: JSONValue {
        [
            "store": .string(store), "collection": .string(collection), "key": .string(key), "words": .string(words),
            "milliseconds": .number(milliseconds), "undoMoment": .number(undoMoment),
            "undone": .bool(isUndone),
        ]
    }
}
