import FormatKit
import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

/// An attacker who may write to the shared folder, and two devices that go on editing.
@Suite("An attacker in the shared folder", .serialized)
struct AttackTests {
    /// How many attacks, and from which seed on: `SATCHEL_ATTACK` and `SATCHEL_SEED` ask for more.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SATCHEL_SEED"].flatMap(UInt64.init) ?? 1
        return first..<first + max(1, environment["SATCHEL_ATTACK"].flatMap(UInt64.init) ?? 40)
    }()
    /// Whether nothing else runs in this process, so that its memory is that of the attacks.
    private static let isAlone = ProcessInfo.processInfo.environment["SATCHEL_ATTACK"] != nil
    /// Seconds of processor time that a synchronisation may take beside what lies in the folder, in a debug build.
    private static let mostSeconds = 5.0
    /// Bytes above the memory without hostile files.
    private static let mostBytes = 64 << 20

    @Test("Honest edits arrive, both devices are equal, and a hostile file that is deleted leaves no trace")
    func attacks() throws {
        let template = try Template()
        let calm = try World(template).run { _ in HostileFile(words: "nothing", paths: []) }
        let flat = Self.isAlone ? Memory.peak() : 0
        var edits = 0
        for seed in Self.seeds {
            let world = try World(template)
            var found: [HostileFile] = []
            var outcome: World.Outcome?
            do {
                outcome = try world.run { folder in
                    var grammar = try HostileFiles(seed: seed, folder: folder)
                    found = [try grammar.plant()]
                    if seed % 4 == 0 { found.append(try grammar.plant()) }
                    if Self.isAlone { Memory.reset() }
                    return HostileFile(
                        words: found.map(\.words).joined(separator: " and "),
                        paths: found.flatMap(\.paths),
                        isEdit: found.contains(where: \.isEdit)
                    )
                }
            } catch {
                Issue.record(error, "seed \(seed): \(found.map(\.words))")
            }
            guard let outcome else { continue }
            let comment: Comment = "seed \(seed): \(outcome.hostile.words)"
            for fault in outcome.faults { Issue.record("\(fault); seed \(seed): \(outcome.hostile.words)") }
            #expect(outcome.seconds < Self.mostSeconds, comment)
            if Self.isAlone { #expect(Memory.peak() < flat + Self.mostBytes, comment) }
            edits += outcome.hostile.isEdit ? 1 : 0
            if !outcome.hostile.isEdit { #expect(outcome.state == calm.state && outcome.rows == calm.rows, comment) }
        }
        // An attacker whose files are all refused at the first look attacks nothing.
        if Self.seeds.count >= 100 { #expect(edits > Self.seeds.count / 10) }
        print("EDITS", edits)
    }
}

/// Two devices in step, of which each attack gets a copy.
private struct Template {
    let sandbox: Sandbox
    let time: Int

    init() throws {
        sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox, clock: laptop.time)
        // A seed gives the same files each time.
        laptop.seedNames(1)
        phone.seedNames(2)
        for number in 1...6 { try laptop.addTask("t\(number)", "Task \(number)") }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        for device in [phone, laptop] {
            try device.addTask("of \(device.name)", "Its own")
            try device.setTitle("t6", "By the \(device.name)")
            try device.sync()
        }
        _ = try laptop.replica().compact()
        for device in [phone, laptop] { try device.sync() }
        time = laptop.time.now
    }
}

/// What two devices do while a hostile file lies in their folder, and after it is gone.
private struct World {
    let laptop: Device
    let phone: Device
    private let before: Set<String>

    struct Outcome {
        var hostile: HostileFile
        var faults: [String] = []
        var seconds = 0.0
        var state = ""
        var rows: [String] = []
    }

    init(_ template: Template) throws {
        let sandbox = try Sandbox()
        let time = Device.Clock(template.time)
        laptop = try Device("Laptop", in: sandbox, clock: time)
        phone = try Device("Phone", in: sandbox, clock: time)
        laptop.seedNames(3)
        phone.seedNames(4)
        for name in try FileManager.default.contentsOfDirectory(atPath: template.sandbox.folder.path) {
            try sandbox.remove(name)
            try FileManager.default.copyItem(atPath: template.sandbox.path(name), toPath: sandbox.path(name))
        }
        before = Set(try FileManager.default.subpathsOfDirectory(atPath: laptop.folder))
    }

    func run(_ plant: (String) throws -> HostileFile) throws -> Outcome {
        var outcome = Outcome(hostile: try plant(laptop.folder))
        try laptop.addTask("l", "From the laptop")
        try laptop.setTitle("t1", "By the laptop")
        try phone.addTask("p", "From the phone")
        try phone.setTitle("t2", "By the phone")
        for _ in 0..<2 { for device in [laptop, phone] { try sync(device, &outcome) } }
        try laptop.setTitle("p", "Seen by the laptop")
        try phone.sql("DELETE FROM tasks WHERE id = 't3'")
        for _ in 0..<2 { for device in [phone, laptop] { try sync(device, &outcome) } }
        check("while it is there", &outcome)
        for path in outcome.hostile.paths { try remove(path) }
        for _ in 0..<2 { for device in [laptop, phone] { try sync(device, &outcome) } }
        check("when it is gone", &outcome)
        for device in [laptop, phone] {
            let last = try device.sync()
            // A forged edit that stores reject stands, and is named, until somebody edits the record.
            let issues = last.issues.filter { !outcome.hostile.isEdit || $0.kind != .rejected }
            if !issues.isEmpty || last.publishedBytes > 0 || last.written > 0 {
                outcome.faults.append("\(device.name) is not at rest: \(last.issues) \(last.notes)")
            }
        }
        outcome.state = try laptop.replica().stateText()
        outcome.rows = try slateRows(laptop.store)
        return outcome
    }

    private func sync(_ device: Device, _ outcome: inout Outcome) throws {
        var start = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        do {
            // Changes under its own name that it did not make: it asks before it publishes its edits.
            try device.syncAccepting()
        } catch {
            outcome.faults.append("\(device.name) stops: \(error)")
        }
        var end = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        let seconds = Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
        outcome.seconds = max(outcome.seconds, seconds)
    }

    private func check(_ when: String, _ outcome: inout Outcome) {
        let expected = [
            "t1": "By the laptop", "t2": "By the phone", "l": "From the laptop", "p": "Seen by the laptop", "t3": nil,
            "of Laptop": "Its own", "of Phone": "Its own",
        ]
        do {
            for device in [laptop, phone] {
                let titles = try device.titles()
                for (id, title) in expected where titles[id] != title {
                    outcome.faults.append("\(when) \(device.name) has \(titles[id] ?? "nothing") as \(id)")
                }
            }
            let (one, other) = (try laptop.replica().stateText(), try phone.replica().stateText())
            if one != other { outcome.faults.append("\(when) the devices know different things") }
            if try slateRows(laptop.store) != slateRows(phone.store) {
                outcome.faults.append("\(when) the stores differ")
            }
        } catch {
            outcome.faults.append("\(when): \(error)")
        }
    }

    /// Removes what was planted, and folders that came with it.
    private func remove(_ path: String) throws {
        var path = path
        while !path.isEmpty, !before.contains(path) {
            let place = laptop.folder + "/" + path
            let names = try? FileManager.default.contentsOfDirectory(atPath: place)
            var status = stat()
            let isLink = lstat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
            if isLink || names?.isEmpty != false { try? FileManager.default.removeItem(atPath: place) }
            path = (path as NSString).deletingLastPathComponent
        }
    }
}

/// The memory of this process.
private enum Memory {
    /// Forgets the peak so far.
    static func reset() { try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }

    /// The peak since it was last forgotten, in bytes; 0 where the system does not say.
    static func peak() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
