import AppFormats
import AppStores
import CommandSupport
import DirectorySync
import StrictJSON

@testable import foldersync

/// What goes between a phone that can only export and import, and the device that looks after its inbox.
struct PhoneMail {
    struct Export {
        let bytes: [UInt8]
        let number: Int
        let seen: Diary.Knowledge
    }

    /// Exports that were not taken yet.
    var exports: [Export] = []
    /// The last of the phone's deeds that was taken.
    var taken = 0
    /// What the phone was given last, and what is in it.
    var gift: (bytes: [UInt8], seen: Diary.Knowledge)?

    /// An export as the inbox reads it.
    static func document(_ bytes: [UInt8]) throws -> (value: JSONValue, isWhole: Bool, moment: Int?) {
        switch try InboxReading(bytes, name: "Slate.json") {
        case .document(let document):
            return (document.value, document.isWhole, document.exportedAt.map { $0.seconds * 1000 })
        case .unusable(let findings), .newer(let findings):
            throw CommandFailure(.badData, "the inbox cannot use the phone's export: \(findings)")
        case .foreign: throw CommandFailure(.badData, "the inbox takes the phone's export for none")
        }
    }

    /// The file that the inbox has for the phone.
    static func gift(
        for phone: SyncDevice,
        from device: LifeDevice
    ) throws -> (bytes: [UInt8], seen: Diary.Knowledge) {
        _ = try device.replica().offer(to: phone)
        var document = try StoreDocument.read(SyncStores.open(device.store), exportedAt: Calendar.text(device.now))
        // The phone's own day is none of the others' business, and its export does not tell it.
        document["meta"]?["last_open_date"] = nil
        return (try InboxOutput(.slate, document).bytes, device.seen)
    }
}
