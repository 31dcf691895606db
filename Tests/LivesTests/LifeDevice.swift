import AppList
import ArchiveCompression
import DirectorySync
import FolderEncryption
import Foundation
import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import Synchronization
import TestSupport

/// A device of a life: an app's database, and a copy of the shared directory that transports bring in step with others.
final class LifeDevice {
    let name: String
    let index: Int
    let app: any ReferenceApp
    let isPhone: Bool
    /// By how much its clock is wrong.
    let skew: Int
    let root: String
    /// Whether the shared directory is encrypted.
    let isEncrypted: Bool
    var environment: SyncEnvironment
    var isJoined = false
    /// Whether a member removed it; it does nothing more then.
    var isRemoved = false
    /// Who the diary says does what is done here now.
    var author: Int
    var seen: Diary.Knowledge = [:]
    var draft = Diary.Draft()
    var memory = Memory()
    private(set) var backup: (author: Int, seen: Diary.Knowledge, memory: Memory)?
    private var queue: DatabaseQueue?
    private var names: Set<String> = []
    private let time: Time

    /// What a person remembers of a device beside the diary.
    struct Memory {
        /// The app's day when the app was opened last.
        var lastOpened: String?
        /// Records that a rule of the app removed on this device alone.
        var evicted: Set<String> = []
        /// Records that it had removed after its database was copied, to which the database was then set back.
        var perhapsEvicted: Set<String> = []
        /// Timers that this device has shown as ended.
        var ended: Set<String> = []
        /// What was unfolded on this device alone, and how.
        var unfolded: [String: Int] = [:]
        /// Whether rows came back here that the person had deleted, as they threw a mass change away.
        var threwAway = false
    }

    private final class Time: Sendable {
        let now = Mutex(0)
    }

    init(_ name: String, _ index: Int, _ app: any ReferenceApp, _ script: Script, in root: String, author: Int) throws {
        self.name = name
        self.index = index
        self.app = app
        self.author = author
        isPhone = index >= script.devices
        skew = script.skews[index]
        self.root = "\(root)/\(name)"
        try FileManager.default.createDirectory(atPath: self.root, withIntermediateDirectories: true)
        let time = Time()
        let random = Mutex(SeededGenerator(seed: script.seed &+ UInt64(index) &* 977))
        self.time = time
        isEncrypted = script.isEncrypted
        environment = SyncEnvironment(
            apps: AppStores.all,
            compression: ArchiveCompression(),
            device: SyncDevice(id: String((name.lowercased() + "0000000000000000").prefix(16)), name: name),
            program: "lives",
            now: { time.now.withLock { $0 } },
            makeName: { count in
                let characters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
                return random.withLock { random in
                    String((0..<count).map { _ in characters[Int(random.next() % 36)] })
                }
            }
        )
        if isEncrypted { environment.keys = KeyStore(folder: keyFolder) }
        // Few records are packed as many are, with most devices.
        let packings = [
            PackingLimits(), PackingLimits(leastRows: 1, blockBytes: 300),
            PackingLimits(leastRows: 4, blockBytes: 2_000),
        ]
        environment.packing = packings[Int((script.seed &+ UInt64(index)) % 3)]
    }

    var store: String { root + "/store.db" }
    var folder: String { root + "/shared" }
    /// Where the device keeps its keys.
    var keyFolder: String { root + "/keys" }

    func setClock(_ moment: Int) { time.now.withLock { $0 = max($0, moment + skew) } }
    var now: Int { environment.now() }

    func replica() throws -> Replica { try Replica(folder: folder, store: store, environment) }

    // MARK: The database

    private func open() throws -> DatabaseQueue {
        if let queue { return queue }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = app.enforcesForeignKeys
        let opened = try DatabaseQueue(path: store, configuration: configuration)
        queue = opened
        return opened
    }

    func write<Result>(_ body: (Database) throws -> Result) throws -> Result { try open().write(body) }
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result { try open().read(body) }

    // MARK: The directory

    /// The files of the directory's layout, by their paths in it; of an encrypted directory those that are whole and count
    /// for this device, by the paths in them.
    func files() throws -> Set<String> {
        guard isEncrypted else { return try stored() }
        return try Set(opened(among: stored()).values.map(\.path))
    }

    /// The files as who carries the directory sees them.
    func stored() throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        var found: Set<String> = []
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: folder) where name.hasSuffix(".root") { found.insert(name) }
        for part in isEncrypted ? ["keys", "sealed"] : ["app", "ckpt", "seen"] {
            let names = try? manager.contentsOfDirectory(atPath: "\(folder)/\(part)")
            for name in names ?? [] { found.insert("\(part)/\(name)") }
        }
        for writer in (try? manager.contentsOfDirectory(atPath: folder + "/w")) ?? [] {
            for name in try manager.contentsOfDirectory(atPath: "\(folder)/w/\(writer)") {
                found.insert("w/\(writer)/\(name)")
            }
        }
        return found
    }

    func size(of file: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.size] as? Int ?? 0
    }

    /// A segment, with the records that it names and the hashes of the segments that it waits for.
    struct NamedSegment {
        let file: String
        var records: Set<String> = []
        var earlier: [String] = []
        fileprivate var clock = HybridClock(bits: 0)
    }

    /// The segments among files, in the order in which they were made.
    func segments(among files: Set<String>) throws -> [NamedSegment] {
        try files.filter { $0.hasSuffix(".seg") }.map { file in
            var segment = NamedSegment(file: file)
            try Segment.read(content(file)) {
                segment.clock = $0.clock
                segment.earlier = $0.heads.map(\.hash)
            } record: {
                segment.records.insert(Self.name(of: $0.key))
            }
            return segment
        }
        .sorted { $0.clock < $1.clock }
    }

    /// The diary's name for a record; a key of several members is an array of them.
    static func name(of key: RecordKey) -> String {
        let members = try? JSONDocument(parsing: key.key).root.value.array?.compactMap(\.string)
        return "\(key.collection)/\(members?.joined(separator: "|") ?? key.key)"
    }

    /// Brings a file from another device.
    func bring(_ file: String, from other: LifeDevice, as name: String? = nil, upTo part: Double? = nil) throws {
        let (source, target) = ("\(other.folder)/\(file)", "\(folder)/\(name ?? file)")
        let parent = (target as NSString).deletingLastPathComponent
        if !names.contains(parent) {
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            names.insert(parent)
        }
        var data = try Data(contentsOf: URL(filePath: source))
        if let part { data = data.prefix(Int(Double(data.count) * part)) }
        try data.write(to: URL(filePath: target))
    }

    // MARK: Disks

    /// Copies the disk.
    func backUp() throws {
        let copy = root + "-backup"
        try? FileManager.default.removeItem(atPath: copy)
        queue = nil
        try FileManager.default.copyItem(atPath: root, toPath: copy)
        backup = (author, seen, memory)
    }

    /// Sets the disk back to its copy.
    func setBack(only names: [String]) throws {
        guard let backup else { return }
        queue = nil
        self.names = []
        for name in names {
            try? FileManager.default.removeItem(atPath: "\(root)/\(name)")
            let copy = "\(root)-backup/\(name)"
            if FileManager.default.fileExists(atPath: copy) {
                try FileManager.default.copyItem(atPath: copy, toPath: "\(root)/\(name)")
            }
        }
        draft = Diary.Draft()
        let evicted = memory.evicted.union(memory.perhapsEvicted)
        memory = backup.memory
        memory.perhapsEvicted.formUnion(evicted.subtracting(memory.evicted))
    }
}
