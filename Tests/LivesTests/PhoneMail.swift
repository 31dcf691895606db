import RecordStore
import CivilTime
import AppList
import CommandSupport
@testable import DirectorySync
import StrictJSON

@testable import foldersync

/// What goes between a phone that can only export and import, and the device that looks after its inbox.
struct PhoneMail {
    struct Export {
        let bytes: [UInt8]
        let number: Int
        let seen: Diary.Knowledge
    }

    /// The most files that tell of one export: edits of records that the phone had at different times are in several.
    static let mostFiles = 16

    /// Exports that were not taken yet.
    var exports: [Export] = []
    /// The last of the phone's deeds that was taken.
    var taken = 0
    /// The last export that was taken, and what the phone imported since.
    var last: [UInt8]?
    var imported: [[UInt8]] = []
    /// What the phone was given last, and what is in it.
    var gift: (bytes: [UInt8], seen: Diary.Knowledge)?

    /// An export as the inbox reads it.
    static func document(_ bytes: [UInt8]) throws -> (value: JSONValue, isWhole: Bool, moment: Int?) {
        switch try InboxReading(bytes, name: "Slate.json", AppStores.all.inboxes) {
        case .document(let document):
            return (document.value, document.isWhole, document.exportedAt.map { $0.seconds * 1000 })
        case .unusable(let findings), .newer(let findings):
            throw CommandFailure(.badData, "the inbox cannot use the phone's export: \(findings)")
        case .foreign: throw CommandFailure(.badData, "the inbox takes the phone's export for none")
        }
    }

    /// Records that the phone got with files which an export does not show to have been imported: nothing is in it that only
    /// such a file had, or more is as it was before, as that was deleted or changed again.
    func unknownImports(_ export: [UInt8]) throws -> Set<String> {
        let exported = try Self.rows(export)
        var before = try last.map(Self.rows) ?? [:]
        var unknown: Set<String> = []
        for file in imported {
            let given = try Self.rows(file)
            let news = given.filter { before[$0.key]?.text != $0.value.text }
            let isShown = news.contains { id, row in
                exported[id].map { $0.text == row.text || before[id] == nil } ?? false
            }
            var balance = 0
            for id in Set(given.keys).union(before.keys) {
                let (gave, had, has) = (given[id]?.text, before[id]?.text, exported[id]?.text)
                if gave == had { continue }
                if has == gave || had == nil && has != nil { balance += 1 } else if has == had { balance -= 1 }
            }
            if !isShown || balance < 0 { unknown.formUnion(news.values.map(\.fact)) }
            before = given
        }
        return unknown
    }

    /// Rows with an identifier, as texts, with the names that the diary has for their records.
    private static func rows(_ bytes: [UInt8]) throws -> [String: (fact: String, text: String)] {
        let keys = [
            "tasks": ["id"], "habits": ["id"], "activity_log": ["id"], "habit_completions": ["habit_id", "date"],
            "day_plan_items": ["date", "entity_type", "entity_id"],
        ]
        var rows: [String: (fact: String, text: String)] = [:]
        for member in try document(bytes).value.object ?? [:] {
            guard let names = keys[member.name] else { continue }
            for row in member.value.array ?? [] {
                guard let id = row["id"]?.string else { continue }
                let key = names.compactMap { row[$0]?.string }.joined(separator: "|")
                rows[id] = ("\(member.name)/\(key)", row.text(.canonical))
            }
        }
        return rows
    }

    /// The file that the inbox has for the phone; nil where it gives none, as changes of the phone wait for others.
    static func gift(
        for phone: SyncDevice,
        from device: LifeDevice
    ) throws -> (bytes: [UInt8], seen: Diary.Knowledge)? {
        guard let format = AppStores.all.inbox(of: .slate) else {
            throw CommandFailure(.badData, "inboxes take no exports of Slate")
        }
        var document = try StoreDocument.read(
            AppStores.all.open(device.store),
            as: format,
            generator: "lives",
            exportedAt: Calendar.text(device.now)
        )
        // The phone's own day is none of the others' business, and its export does not tell it.
        format.keep(nil, in: &document)
        let bytes = try InboxOutput(format, document).bytes
        return try device.replica().offer(Self.document(bytes).value, to: phone) ? (bytes, device.seen) : nil
    }
}
