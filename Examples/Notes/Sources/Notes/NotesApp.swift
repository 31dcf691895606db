public import RecordMerge
public import RecordStore
import StrictJSON

/// A note-taking app, as synchronisation knows it: its tables are declared, and one invariant is its own.
public struct NotesApp: AppDefinition {
    public let id = AppID("notes")
    public let title = "Notes"
    public let domain = MergeDomain(NotesInvariants())
    public let store: any StoreAdapter

    /// The app.
    ///
    /// - Throws: `DeclarationError` where the declaration is wrong.
    public init() throws {
        store = DeclaredStores.adapter(for: try AppDeclaration(reading: Array(Self.declaration.utf8), name: nil))
    }

    private static let declaration = """
        {
          "format": "satchel-declaration", "version": 1, "app": "notes", "title": "Notes", "revision": 1,
          "tables": {
            "notebook": { "key": ["id"], "title": ["name"],
              "columns": { "id": { "kind": "text" }, "name": { "kind": "text", "notNull": true } } },
            "note": { "key": ["id"], "title": ["title"],
              "columns": {
                "id": { "kind": "text" },
                "title": { "kind": "text", "notNull": true },
                "body": { "kind": "text", "x-merge": "text" },
                "pinned_at": { "kind": "text" },
                "notebook_id": { "kind": "text", "references": { "table": "notebook", "onDelete": "setNull" } }
              } }
          }
        }
        """
}

/// At most one note is pinned: the one that was pinned last.
struct NotesInvariants: MergeInvariants {
    let references = [Reference("note", "notebook_id", to: "notebook", loss: .cleared)]

    func enforce(_ set: inout ResolvedSet) {
        let pinned = set.keys("note").compactMap { key in
            set.records[key]?["pinned_at"]?.string.map { (key: key, time: $0) }
        }
        guard let last = pinned.max(by: { ($0.time, $0.key) < ($1.time, $1.key) }) else { return }
        for note in pinned where note.key != last.key {
            set.records[note.key]?["pinned_at"] = .null
            set.note(note.key, ["pinned_at"], shown: .null, "two notes were pinned at once")
        }
    }

    /// Pinned notes see each other.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        guard key.collection == "note", let time = shown.object["pinned_at"]?.string else { return RecordLinks() }
        return RecordLinks(names: [RecordLinks.Name("pinned", seen: time)], references: ["pinned"])
    }
}
