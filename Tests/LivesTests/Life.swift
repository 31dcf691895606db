@testable import DirectorySync
import AppList
import CivilTime
import FolderEncryption
import Foundation
import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import TestSupport

/// Something that is not as the people of a life have to find it.
struct Fault: CustomStringConvertible {
    /// Which invariant of docs/meaning.md does not hold.
    enum Invariant: String, CaseIterable {
        case perfectDay = "every perfect day earned stays"
        case carryOver = "no unfinished task vanishes from the next day's plan"
        case minutes = "no tracked minute is lost or counted twice"
        case streak = "streaks never shrink because of a sync"
        case deleted = "what was deleted stays away"
        case kept = "what was not deleted is there"
        case value = "what was entered last is shown, or stands in a conflict"
        case oneTimer = "one timer runs"
        case decision = "a decision is final"
        case end = "sync ends"
        case same = "all devices show the same"
        case works = "every step works"
    }

    let invariant: Invariant
    let text: String

    var description: String { "\(invariant.rawValue): \(text)" }
}

/// The devices of some people for some weeks or months.
final class Life {
    let script: Script
    var diary = Diary()
    /// The diary's names of records whose keys no person knows.
    var names: [String: String] = [:]
    private(set) var devices: [LifeDevice] = []
    private(set) var faults: [Fault] = []
    /// The places of the conflicts that stand at the end.
    private(set) var listed: Set<String> = []
    private let root: String
    private var numbers = 0
    /// What a file brings to who has it: the deeds of an author up to a number, for those who know what he knew; or, of a
    /// checkpoint, all that its writer knew.
    private var parcels: [String: Parcel] = [:]
    /// The last of each author's deeds that a file tells of.
    private var published: Diary.Knowledge = [:]
    /// The size that each file had where it was made: one that a transport cut off brings nothing.
    private var sizes: [String: Int] = [:]
    /// The segments in each pack.
    ///
    /// A pack that a writer made after it was set back has other segments of the same numbers.
    private var packed: [String: Set<String>] = [:]
    /// The recovery codes of an encrypted directory, the newest last.
    var recoveryCodes: [RecoveryCode] = []
    /// The paths in the files that were made, which are sealed once more where the key was replaced.
    private var made: Set<String> = []
    /// The order of the files of an encrypted directory, whose names are random: the same seed brings them in the same order.
    private var births: [String: Int] = [:]
    /// The device of each author.
    private var owners: [Int: Int] = [:]
    private var mail = PhoneMail()

    private struct Parcel {
        let author: Int
        let number: Int
        let needs: Diary.Knowledge
        /// The files that have to be there together.
        let files: Set<String>
        var isWhole = false
    }

    init(_ script: Script, in root: String) throws {
        self.script = script
        self.root = root
        let names =
            ["Laptop", "Desktop", "Tablet", "Server"].prefix(script.devices) + (script.hasPhone ? ["Phone"] : [])
        for (index, name) in names.enumerated() {
            let app = Life.app(script.app)
            let author = diary.makeAuthor()
            owners[author] = index
            devices.append(try LifeDevice(name, index, app, script, in: root, author: author))
        }
    }

    private static func app(_ app: AppID) -> any ReferenceApp {
        switch app {
        case .slate: SlateApp()
        case .tracker: TrackerApp()
        case .bztimer: TimerApp()
        case ListsApp.id: ListsApp()
        default: StudyApp()
        }
    }

    func identifier(_ prefix: String, _ device: LifeDevice) -> String {
        numbers += 1
        return "\(prefix)\(10_000 + numbers)\(device.name.prefix(1).lowercased())"
    }

    /// Records by the diary's names.
    private func named(_ records: Set<String>) -> Set<String> { Set(records.map { names[$0] ?? $0 }) }

    private func name(of key: RecordKey) -> String {
        let name = LifeDevice.name(of: key)
        return names[name] ?? name
    }

    func tell(_ device: LifeDevice, _ moment: Int, _ text: String) {
        diary.write("\(Calendar.text(moment)) \(device.name): \(text)")
    }

    func fault(_ invariant: Fault.Invariant, _ text: String) {
        guard faults.count < 20 else { return }
        faults.append(Fault(invariant: invariant, text: text))
        diary.write("*** \(invariant.rawValue): \(text)")
    }

    // MARK: Living

    /// Lives it, to its end or to the first fault.
    func live() {
        var step: Step?
        do {
            for device in devices {
                var random = SeededGenerator(seed: script.seed &+ UInt64(device.index))
                try device.app.make(at: device.store, &random)
            }
            for next in script.steps where faults.isEmpty {
                step = next
                try take(next)
            }
            step = nil
            if faults.isEmpty { try settle() }
        } catch {
            fault(.works, "\(step.map { "\($0.kind) of \(devices[$0.device].name)" } ?? "the end"): \(error)")
        }
    }

    private func take(_ step: Step) throws {
        let device = devices[step.device]
        guard !device.isRemoved else { return }
        var random = SeededGenerator(seed: step.seed)
        device.setClock(step.time)
        switch step.kind {
        case .visit(let count): try visit(device, count, random)
        case .join: try join(device)
        case .synchronise: try synchronise(device)
        case .deliver(let from): try deliver(from: devices[from], to: device, &random)
        case .backUp: try backUp(device)
        case .setBack(let withFolder): try setBack(device, withFolder: withFolder)
        case .setStoreBack: try setStoreBack(device)
        case .decide: try decide(device, &random)
        case .compact: try compact(device)
        case .export: try export(device)
        case .takeExports: try takeExports(device, &random)
        case .importFile: try importFile(device)
        case .rotate: try rotate(device)
        case .loseKeys: try loseKeys(device, &random)
        case .remove(let other): try remove(devices[other], by: device)
        }
    }

    private func visit(_ device: LifeDevice, _ count: Int, _ random: SeededGenerator) throws {
        try device.write { database in
            let visit = Visit(self, device, database, now: device.now, random)
            visit.tell("opens the app")
            try device.app.open(visit)
            for _ in 0..<count {
                visit.pass(0...40)
                try device.app.act(visit)
            }
            device.setClock(visit.now - device.skew)
        }
    }

    private func join(_ device: LifeDevice) throws {
        guard !device.isJoined, let first = devices.first else { return }
        tell(device, device.now, "joins")
        let declared = device.app as? ListsApp
        if declared == nil {
            // Whoever joins agrees to the upgrade of an older database.
            try AppStores.all.pendingUpgrade(of: device.store)?.run(moment: Timestamp(seconds: device.now / 1_000))
        }
        if device.index == 0 {
            try declared?.declare(device)
            let space = try makeSpace(device)
            try Replica.join(folder: device.folder, space: space, store: device.store, device.environment)
        } else {
            guard first.isJoined else { return }
            if device.isEncrypted {
                try introduce(device, to: first)
            } else {
                for file in try first.files() where file.hasSuffix(".root") || file.hasSuffix(".app") {
                    try device.bring(file, from: first)
                }
            }
            try declared?.declare(device)
            let space = try Replica.space(of: device.folder)
            try Replica.join(folder: device.folder, space: space, store: device.store, device.environment)
        }
        device.isJoined = true
    }

    // MARK: Synchronising

    @discardableResult
    func synchronise(_ device: LifeDevice) throws -> SyncOutcome? {
        guard device.isJoined else { return nil }
        device.setClock(device.now - device.skew + 60_000)
        return try working(device) { replica in
            do {
                return try unlocked(device, try replica.sync(), replica)
            } catch let error as SyncError where error.code == .massChange {
                // The work since the disk was set back is the person's own, now and then given up.
                let isRestored = error.message.contains("copied or restored")
                if let count = error.massChange, isRestored, !count.isMultiple(of: 3) {
                    return try unlocked(device, try replica.sync(.accept(count)), replica)
                }
                // What a person of this life deletes is never half of everything at once: the store lost it.
                tell(device, device.now, "throws away what the store has otherwise")
                device.draft = Diary.Draft()
                device.memory.threwAway = true
                return try replica.sync(.discard)
            }
        }
    }

    /// Does something with a device's replica that may publish and take in, and keeps the books.
    @discardableResult
    private func working<Result>(
        _ device: LifeDevice,
        _ body: (Replica) throws -> Result
    ) throws -> Result {
        let before = try device.stored()
        let had = try device.read { database in
            try device.app.willSynchronise(database, device, self)
            return try device.app.treasures(database, device.now)
        }
        let result = try body(device.replica())
        let new = try new(device, since: before)
        let segments = try device.segments(among: new)
        let (first, seen) = (diary.count(device.author) + 1, device.seen)
        diary.commit(&device.draft, author: device.author, seen: seen, files: segments.map { named($0.records) })
        for (offset, segment) in segments.enumerated() {
            var needs = seen
            needs[device.author] = published[device.author]
            let number = min(first + offset, diary.count(device.author))
            published[device.author] = number
            parcels[segment.file] =
                Parcel(author: device.author, number: number, needs: needs, files: [segment.file])
        }
        try note(device, new)
        tell(device, device.now, "synchronises")
        try look(device, had)
        return result
    }

    /// Keeps the books after a synchronisation: what the device knows now, and so do its checkpoints.
    private func note(_ device: LifeDevice, _ new: Set<String>) throws {
        if diary.count(device.author) > 0 { device.seen[device.author] = diary.count(device.author) }
        for file in new where !device.isEncrypted && sizes[file] == nil { sizes[file] = try device.size(of: file) }
        for file in new where file.hasSuffix(".pack") {
            packed[file] = try Self.segments(of: file, device.content(file))
        }
        try learn(device)
        for file in new where file.hasSuffix(".ck") {
            parcels[file] = Parcel(author: device.author, number: 0, needs: device.seen, files: [file], isWhole: true)
        }
    }

    /// Finds what a device knows from the files that it has.
    private func learn(_ device: LifeDevice) throws {
        let listed = try device.files()
        let files = device.isEncrypted ? listed : try listed.filter { try sizes[$0] == device.size(of: $0) }
        let packs = files.filter { $0.hasSuffix(".pack") }
        func isHere(_ file: String) -> Bool {
            files.contains(file) || packs.contains { packed[$0]?.contains(file) ?? false }
        }
        var isNew = true
        while isNew {
            isNew = false
            for (file, parcel) in parcels where isHere(file) {
                if parcel.isWhole {
                    guard isShown(parcel, to: device, isHere) else { continue }
                    for (author, number) in parcel.needs where (device.seen[author] ?? 0) < number {
                        device.seen[author] = number
                        isNew = true
                    }
                } else if (device.seen[parcel.author] ?? 0) < parcel.number, parcel.files.allSatisfy(isHere),
                    parcel.needs.allSatisfy({ (device.seen[$0.key] ?? 0) >= $0.value })
                {
                    device.seen[parcel.author] = parcel.number
                    isNew = true
                }
            }
        }
    }

    /// Whether a device believes a checkpoint: it waits until the files of each other writer show as much as it tells of, or
    /// the last one of these is there; but for writers of whom there is no file.
    private func isShown(_ checkpoint: Parcel, to device: LifeDevice, _ isHere: (String) -> Bool) -> Bool {
        checkpoint.needs.allSatisfy { author, number in
            let seen = device.seen[author] ?? 0
            if seen >= number || owners[author] == owners[checkpoint.author] { return true }
            let own = parcels.filter { $0.value.author == author }
            let start =
                own.filter { $0.value.isWhole && isHere($0.key) }.compactMap { $0.value.needs[author] }.max() ?? 0
            let behind = own.filter {
                !$0.value.isWhole && $0.value.number > max(seen, start) && $0.value.number <= number
            }
            let isLastHere = behind.contains { $0.value.number == number && isHere($0.key) }
            return behind.keys.allSatisfy(isHere) || isLastHere
                || max(seen, start) == 0 && !own.keys.contains(where: isHere)
        }
    }

    /// The segments that a pack has, by the files that they were before.
    private static func segments(of pack: String, _ bytes: [UInt8]) throws -> Set<String> {
        let folder = (pack as NSString).deletingLastPathComponent
        return try Set(
            PackIndex.read(bytes).0.entries.map { "\(folder)/\(String(format: "%010d", $0.sequence))-\($0.hash).seg" }
        )
    }

    /// What a person sees right after a synchronisation.
    private func look(_ device: LifeDevice, _ had: [String: Int]) throws {
        try device.read { database in
            let has = try device.app.treasures(database, device.now)
            for (name, count) in had.sorted(by: { $0.key < $1.key }) where (has[name] ?? 0) < count {
                guard !device.app.mayShrink(name, device, self) else { continue }
                let kind: Fault.Invariant = name.hasPrefix("perfect") ? .perfectDay : .streak
                fault(kind, "\(device.name): \(name) was \(count) before a synchronisation and is \(has[name] ?? 0)")
            }
            try device.app.checkSynchronised(database, device, self)
        }
    }

    private func compact(_ device: LifeDevice) throws {
        guard device.isJoined else { return }
        try synchronise(device)
        let before = try device.stored()
        _ = try device.replica().compact()
        try note(device, new(device, since: before))
    }

    /// The files that a device made.
    ///
    /// In an encrypted directory others' files are sealed anew after a rotation.
    private func new(_ device: LifeDevice, since before: Set<String>) throws -> Set<String> {
        let new = try device.stored().subtracting(before)
        guard device.isEncrypted else { return new }
        let paths = try Set(device.opened(among: new).values.map(\.path)).subtracting(made)
        made.formUnion(paths)
        return paths
    }

    /// What the diary calls members that have another name in the store.
    private static let fields = ["is_done": "done", "endTime": "end", "due_on": "due", "due_at": "due"]

    private func decide(_ device: LifeDevice, _ random: inout SeededGenerator) throws {
        guard device.isJoined else { return }
        try synchronise(device)
        let conflicts = try device.replica().conflicts()
        guard
            let conflict = conflicts.filter({ $0.kind == .value || $0.kind == .deletedRecord })
                .randomElement(using: &random)
        else { return }
        var decision = ConflictDecision(
            key: RecordKey(conflict.name.collection, conflict.name.key),
            path: conflict.path,
            value: .shown,
            seen: conflict.choices
        )
        let record = name(of: decision.key)
        if conflict.kind == .deletedRecord {
            let isRemoved = Bool.random(using: &random)
            decision.value = isRemoved ? .removed : .shown
            decision.seen = nil
            tell(device, device.now, "decides that \(record) \(isRemoved ? "goes" : "stays")")
            if isRemoved { device.draft.did(record, from: "", to: nil) } else { device.draft.notes[record] = "" }
        } else {
            let number = Int.random(in: conflict.choices.indices, using: &random)
            decision.value = .choice(number)
            let value = conflict.choices[number].value
            tell(device, device.now, "decides \(record) \(conflict.path): \(value?.text(.compact) ?? "nothing")")
            device.draft.notes[record] = ""
            if conflict.path.first == "items", conflict.path.count > 1 {
                device.draft.notes["blocks/\(conflict.name.key)|\(conflict.path[1])"] = ""
            }
        }
        if diary.deeds[record] == nil { device.draft = Diary.Draft() }
        if conflict.path == ["body"] { diary.doubtful.insert("\(record)#body") }
        try working(device) { replica in
            _ = try replica.resolve([decision])
            guard !conflict.path.isEmpty, diary.deeds[record] != nil else { return }
            // The app's own name for what was decided, and what its database has there now.
            let field = Self.fields[conflict.path[0]] ?? conflict.path.joined(separator: "/")
            let facts = try device.read(device.app.facts)
            if let value = facts["\(record)#\(field)"] { device.draft.notes["\(record)#\(field)"] = value }
        }
        for left in try device.replica().conflicts()
        where left.name == conflict.name && left.path == conflict.path && left.choices == conflict.choices
            && left.kind == conflict.kind
        {
            fault(.decision, "\(device.name): \(record) \(conflict.path) was decided, and stands as it did: \(left)")
        }
    }

    // MARK: Transports

    /// Brings files from one device's copy of the directory to another's, as transports do: some of them, in any order,
    /// twice, cut off, with names of their own.
    private func deliver(from: LifeDevice, to: LifeDevice, _ random: inout SeededGenerator) throws {
        guard from.isJoined, to.isJoined, !from.isRemoved else { return }
        let known = try to.stored()
        let part = Double.random(in: 0.3...1.5, using: &random)
        for file in try inOrder(from).shuffled(using: &random) where isOfLayout(file) {
            let isHere = try known.contains(file) && !isCut(file, from, to)
            guard !isHere, Double.random(in: 0..<1, using: &random) < part else { continue }
            let folder = (file as NSString).deletingLastPathComponent
            let name = (file as NSString).lastPathComponent
            switch Int.random(in: 0..<40, using: &random) {
            case 0: try to.bring(file, from: from, upTo: 0.6)
            case 1:
                let stem = name.prefix { $0 != "." }
                let suffix = name.dropFirst(stem.count)
                try to.bring(file, from: from)
                try to.bring(
                    file,
                    from: from,
                    as: "\(folder)/\(stem).sync-conflict-20260101-120000-ABCDEFG\(suffix)"
                )
            case 2: try to.bring(file, from: from, as: "\(folder)/.syncthing.\(name).tmp", upTo: 0.5)
            default: try to.bring(file, from: from)
            }
        }
    }

    /// The files of a device's copy of the directory, in an order that is the same each time.
    private func inOrder(_ device: LifeDevice) throws -> [String] {
        let stored = try device.stored()
        guard device.isEncrypted else { return stored.sorted() }
        let new = try stored.filter { births[$0] == nil }.map { (file: $0, label: try device.label(of: $0)) }
        for (file, _) in new.sorted(by: { $0.label < $1.label }) { births[file] = births.count }
        return stored.sorted { (births[$0] ?? 0) < (births[$1] ?? 0) }
    }

    func deliverAll(from: LifeDevice, to: LifeDevice) throws {
        let known = try to.stored()
        for file in try from.stored() where isOfLayout(file) {
            if try known.contains(file) && !isCut(file, from, to) { continue }
            try to.bring(file, from: from)
        }
    }

    private func isOfLayout(_ file: String) -> Bool {
        if file.contains("sync-conflict") { return false }
        if script.isEncrypted { return true }
        return [".root", ".app", ".pack", ".seen"].contains(where: file.hasSuffix) || parcels[file] != nil
    }

    /// Whether a file came only in part; no transport puts a part in the place of the whole.
    private func isCut(_ file: String, _ from: LifeDevice, _ to: LifeDevice) throws -> Bool {
        try from.size(of: file) > to.size(of: file)
    }

    // MARK: Disks

    private func backUp(_ device: LifeDevice) throws {
        guard device.isJoined else { return }
        try synchronise(device)
        tell(device, device.now, "is backed up")
        try device.backUp()
    }

    private func setBack(_ device: LifeDevice, withFolder: Bool) throws {
        guard let backup = device.backup, device.isJoined else { return }
        tell(device, device.now, "is set back\(withFolder ? ", with its copy of the directory" : "")")
        if withFolder,
            let other = devices.first(where: { $0 !== device && $0.isJoined && !$0.isPhone && !$0.isRemoved })
        {
            if device.isEncrypted {
                // A file that nobody has read by the time that its key is replaced does not count.
                try deliverAll(from: other, to: device)
                try synchronise(device)
                try deliverAll(from: device, to: other)
                try synchronise(other)
            }
            // What reached nobody before the disk was set back is gone for good.
            try deliverAll(from: device, to: other)
        }
        // What an inbox knows of the phone stays: nobody else could say later what the phone had told before.
        try device.setBack(only: ["store.db", "store.db.foldersync", "keys"] + (withFolder ? ["shared"] : []))
        diary.lose(device.author)
        device.author = diary.makeAuthor()
        owners[device.author] = device.index
        device.seen = backup.seen
        try synchronise(device)
    }

    private func setStoreBack(_ device: LifeDevice) throws {
        guard device.backup != nil, device.isJoined else { return }
        try synchronise(device)
        tell(device, device.now, "'s database is set back")
        try device.setBack(only: ["store.db"])
        try synchronise(device)
    }

    // MARK: The phone

    private func export(_ phone: LifeDevice) throws {
        guard let app = phone.app as? SlateApp else { return }
        // It is not known yet how many files tell of it.
        let files = Array(repeating: Set<String>(), count: PhoneMail.mostFiles)
        diary.commit(&phone.draft, author: phone.author, seen: phone.seen, files: files)
        if diary.count(phone.author) > 0 { phone.seen[phone.author] = diary.count(phone.author) }
        let bytes = try phone.read { try app.export($0, at: phone.now) }
        tell(phone, phone.now, "exports")
        mail.exports.append(PhoneMail.Export(bytes: bytes, number: diary.count(phone.author), seen: phone.seen))
    }

    /// The first device takes the phone's exports, and writes a file for it.
    private func takeExports(_ device: LifeDevice, _ random: inout SeededGenerator) throws {
        guard script.hasPhone, device.isJoined, let phone = devices.last, !mail.exports.isEmpty else { return }
        try synchronise(device)
        // In another order than they were made, and one of them twice, now and then.
        var exports = mail.exports
        if Int.random(in: 0..<5, using: &random) == 0, let last = exports.last { exports.insert(last, at: 0) }
        mail.exports = []
        for export in exports where export.number >= mail.taken {
            let before = try device.stored()
            let document = try PhoneMail.document(export.bytes)
            let phoneDevice = phone.environment.device
            func take(_ decision: SyncDecision) throws -> TakenExport {
                try device.replica().take(
                    document.value,
                    isWhole: document.isWhole,
                    exportedAt: document.moment,
                    from: phoneDevice,
                    decision
                )
            }
            let outcome: TakenExport
            do {
                outcome = try take(.none)
            } catch let error as SyncError where error.code == .massChange {
                // What is gone from the phone its owner deleted there.
                outcome = try take(.accept(error.massChange ?? 0))
            }
            guard case .taken = outcome else { continue }
            tell(device, device.now, "takes an export of the phone")
            mail.taken = export.number
            try diary.doubtful.formUnion(mail.unknownImports(export.bytes))
            mail.last = export.bytes
            mail.imported = []
            let new = try new(device, since: before)
            for file in new where !device.isEncrypted { sizes[file] = try device.size(of: file) }
            // All that was done on the phone before is in the export, whatever became of earlier ones that were not taken.
            let segments = Array(try device.segments(among: new).prefix(PhoneMail.mostFiles))
            let last = published[phone.author] ?? 0
            if !segments.isEmpty, last < export.number {
                diary.spread(phone.author, last + 1...export.number, over: segments.map(\.records))
            }
            for (offset, segment) in segments.enumerated() {
                var needs = export.seen
                // Where nobody changed a record, the phone counts as one who knows what the store knows of it.
                for (file, earlier) in parcels where segment.earlier.contains(where: { file.hasSuffix("-\($0).seg") }) {
                    needs[earlier.author] = max(needs[earlier.author] ?? 0, earlier.number)
                }
                needs[phone.author] = published[phone.author]
                let number = max(last, export.number - (segments.count - 1 - offset))
                published[phone.author] = number
                parcels[segment.file] =
                    Parcel(author: phone.author, number: number, needs: needs, files: [segment.file])
            }
            try synchronise(device)
        }
        mail.gift = try PhoneMail.gift(for: phone.environment.device, from: device)
    }

    /// The person imports what the phone was given, where that loses nothing that was done on the phone since.
    private func importFile(_ phone: LifeDevice) throws {
        guard let gift = mail.gift, let app = phone.app as? SlateApp, phone.draft.changes.isEmpty,
            mail.exports.isEmpty, mail.taken == diary.count(phone.author)
        else { return }
        tell(phone, phone.now, "imports what it was given")
        try phone.write { try app.truncateAndInsert($0, gift.bytes) }
        mail.imported.append(gift.bytes)
        phone.seen.merge(gift.seen) { max($0, $1) }
    }

    // MARK: The end

    /// Everything is delivered to all, until nobody has anything to say.
    private func settle() throws {
        diary.write("Everything is delivered.")
        let end = devices.map { $0.now - $0.skew }.max() ?? 0
        for device in devices { device.setClock(end) }
        for device in devices where !device.isJoined && !device.isPhone && !device.isRemoved { try join(device) }
        if script.hasPhone, let phone = devices.last {
            var random = SeededGenerator(seed: script.seed)
            try export(phone)
            try takeExports(devices[0], &random)
        }
        let stores = devices.filter { !$0.isPhone && !$0.isRemoved }
        for device in stores { try synchronise(device) }
        if script.isEncrypted { try agreeOnKey(stores) }
        var left: [String] = ["nothing was said yet"]
        for _ in 0..<4 where !left.isEmpty {
            left = []
            for device in stores {
                for other in stores where other !== device {
                    try deliverAll(from: other, to: device)
                }
                guard let outcome = try synchronise(device), Self.says(outcome) else { continue }
                left.append("\(device.name): \(outcome)")
            }
        }
        if !left.isEmpty { fault(.end, "after four rounds there is still something to say: \(left)") }
        if faults.isEmpty { try check(stores) }
    }

    /// Whether a synchronisation did anything; that a transport left a file cut off is no doing of its.
    private static func says(_ outcome: SyncOutcome) -> Bool {
        outcome.written > 0 || outcome.outbox != nil
            || ![outcome.published, outcome.late, outcome.waiting, outcome.received].allSatisfy(\.isEmpty)
    }

    private func check(_ stores: [LifeDevice]) throws {
        listed = Set(
            try stores[0].replica().conflicts().map {
                "\(name(of: RecordKey($0.name.collection, $0.name.key)))#\($0.path.joined(separator: "/"))"
            }
        )
        var sights: [[String]] = []
        for device in stores {
            try device.read { database in
                let facts = try device.app.facts(database)
                check(facts, of: device)
                try device.app.check(database, device, self)
                sights.append(try device.app.sight(database))
            }
        }
        for (device, sight) in zip(stores, sights) where sight != sights[0] {
            let difference = sight.difference(from: sights[0]).prefix(6).map { "\($0)" }
            fault(.same, "\(device.name) shows otherwise than \(stores[0].name): \(difference)")
        }
        checkConflicts()
        guard faults.isEmpty else { return }
        for device in stores where device.seen != stores[0].seen {
            fault(.works, "\(device.name) knows \(device.seen), \(stores[0].name) \(stores[0].seen)")
        }
    }

    /// Holds what a device has against the diary.
    private func check(_ facts: [String: String], of device: LifeDevice) {
        for fact in diary.deeds.keys.sorted() where fact.contains("/") && !fact.hasPrefix("!") {
            guard let record = Diary.record(of: fact) else {
                if diary.isThere(fact) {
                    guard facts[fact] == nil, !device.app.mayLack(fact, device, self, facts) else { continue }
                    fault(.kept, "\(device.name) lacks \(fact)\(diary.story(fact))")
                } else if facts[fact] != nil, !device.app.mayKeep(fact, device, self) {
                    fault(.deleted, "\(device.name) has \(fact)\(diary.story(fact))")
                }
                continue
            }
            guard facts[record] != nil, !diary.wasRemoved(record), let shown = facts[fact] else { continue }
            let standing = diary.standing(fact)
            guard !standing.contains(shown), !device.app.mayDiffer(fact, shown, self, facts) else { continue }
            fault(
                .value,
                "\(device.name) shows \(shown) for \(fact), expected \(standing.map { $0 ?? "nothing" }.sorted())"
                    + diary.story(fact)
            )
        }
    }

    /// Values of texts that stand side by side have to be in a conflict.
    private func checkConflicts() {
        for fact in diary.deeds.keys.sorted() where fact.hasSuffix("#title") || fact.hasSuffix("#name") {
            guard let record = Diary.record(of: fact), diary.standing(fact).count > 1, diary.isThere(record),
                !diary.wasRemoved(record), !listed.contains(fact)
            else { continue }
            let values = "\(fact) has the values \(diary.standing(fact))"
            fault(.value, "\(values), and no conflict says so: \(listed)\(diary.story(fact))")
        }
    }
}
