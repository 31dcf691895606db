import Foundation
import RecordStore
import TestSupport

/// Something that happens in a life, with a seed of its own, so that it stays the same where other steps are left out.
struct Step: CustomStringConvertible {
    enum Kind: Hashable {
        /// A person opens the app on a device and does so many things.
        case visit(Int)
        /// The device takes part in the shared directory.
        case join
        case synchronise
        /// Files come from another device's copy of the directory.
        case deliver(from: Int)
        /// The device's disk is copied.
        case backUp
        /// The device's disk is set back to that copy; its copy of the directory too.
        case setBack(withFolder: Bool)
        /// Only the app's database is set back, and the person throws away what differs.
        case setStoreBack
        /// A person decides the conflicts that the device lists.
        case decide
        case compact
        /// The phone's app exports to a file.
        case export
        /// Files of the phone reach the device that looks after its inbox, which gives it one in return.
        case takeExports
        /// The phone's app imports the file that it was given.
        case importFile
        /// The key of an encrypted directory is replaced.
        case rotate
        /// The device's file of keys is gone; the person opens the directory again.
        case loseKeys
        /// The device removes another one, which gets nothing more.
        case remove(Int)
    }

    var time: Int
    var device: Int
    var kind: Kind
    var seed: UInt64

    var description: String { "\(Calendar.text(time)) \(device) \(kind)" }
}

/// A life that was made up, before anything of it happens.
struct Script {
    let seed: UInt64
    let app: AppID
    /// The number of devices that have a store of their own in the directory; the first one makes it.
    var devices: Int
    /// Whether one more is a phone that can only export and import, by way of the first device's inbox.
    var hasPhone: Bool
    /// By how much the devices' clocks are wrong, in milliseconds.
    var skews: [Int]
    var steps: [Step]
    /// Whether the directory is encrypted: one life in four, or as `LIVES_ENCRYPTED` says, all with 1 and none with 0.
    let isEncrypted: Bool

    /// The apps by turns: Slate, which has most to lose, more often; an app that is only declared in one of ten lives.
    private static let apps: [AppID] = [
        .slate, .tracker, .slate, .bztimer, .study, .slate, .tracker, .slate, .bztimer, ListsApp.id,
    ]

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        app = Self.apps[Int(seed % UInt64(Self.apps.count))]
        devices = [2, 2, 3, 3, 4].randomElement(using: &random) ?? 2
        hasPhone = app == .slate && devices < 4 && Int.random(in: 0..<3, using: &random) == 0
        let isSkewed = Int.random(in: 0..<4, using: &random) == 0
        let count = devices + (hasPhone ? 1 : 0)
        skews = (0..<count).map { _ in isSkewed ? Int.random(in: -600_000...600_000, using: &random) : 0 }
        steps = []
        isEncrypted = Self.encryption.map { $0 == "1" } ?? ((seed &+ seed / 10) % 4 == 3)
        makeUp(&random)
        if isEncrypted { encrypt() }
    }

    private static let encryption = ProcessInfo.processInfo.environment["LIVES_ENCRYPTED"]

    /// Adds what happens to keys; all else is as in the life with a directory that is not encrypted.
    private mutating func encrypt() {
        var random = SeededGenerator(seed: seed ^ 0x6B65_7973)
        let removed = devices > 2 && random.chance(40) ? random.below(devices - 1) + 1 : nil
        var kinds: [(Step.Kind, Int)] = []
        for _ in 0..<random.below(5) { kinds.append((.rotate, random.below(devices))) }
        for _ in 0..<random.below(4) { kinds.append((.loseKeys, random.below(devices))) }
        if let removed {
            let other = random.pick((0..<devices).filter { $0 != removed })
            kinds.append((.remove(removed), other))
        }
        for (kind, device) in kinds where !steps.isEmpty {
            let place = random.below(steps.count)
            steps.insert(Step(time: steps[place].time, device: device, kind: kind, seed: random.next()), at: place)
        }
    }

    private mutating func add(_ kind: Step.Kind, _ device: Int, _ time: Int, _ random: inout SeededGenerator) {
        steps.append(Step(time: time, device: device, kind: kind, seed: random.next()))
    }

    /// Makes up some weeks or months: on most days somebody uses one device or two, and each device is offline for hours
    /// to weeks now and then.
    private mutating func makeUp(_ random: inout SeededGenerator) {
        let days = Int.random(in: 20...90, using: &random)
        var online = Array(repeating: 0, count: devices + 1)
        var joins = (0..<devices).map { $0 == 0 ? 0 : Int.random(in: 0...3, using: &random) * $0 }
        if devices > 2, Bool.random(using: &random) { joins[devices - 1] = days / 2 }
        let busy = Double(26) / Double(days)
        for day in 0..<days {
            let morning = Calendar.start + day * Calendar.day + Int.random(in: 5...9, using: &random) * Calendar.hour
            var time = morning
            func pass(_ random: inout SeededGenerator) -> Int {
                time += Int.random(in: 2...240, using: &random) * Calendar.minute
                return time
            }
            for device in joins.indices where joins[device] == day { add(.join, device, morning, &random) }
            for device in 0..<(devices + (hasPhone ? 1 : 0)) {
                guard Double.random(in: 0..<1, using: &random) < max(0.35, busy) else { continue }
                add(.visit(Int.random(in: 1...5, using: &random)), device, pass(&random), &random)
                if hasPhone, device == devices {
                    usePhone(&random, at: pass(&random))
                    continue
                }
                if Int.random(in: 0..<14, using: &random) == 0 {
                    online[device] = day + Int.random(in: 1...25, using: &random)
                }
                guard online[device] <= day, Double.random(in: 0..<1, using: &random) < 0.6 else { continue }
                for other in 0..<devices where other != device && online[other] <= day {
                    if Double.random(in: 0..<1, using: &random) < 0.7 {
                        add(.deliver(from: other), device, pass(&random), &random)
                    }
                }
                add(.synchronise, device, pass(&random), &random)
                mishap(device, &random, at: pass(&random))
            }
        }
    }

    private mutating func usePhone(_ random: inout SeededGenerator, at time: Int) {
        if Bool.random(using: &random) { add(.export, devices, time, &random) }
        if Int.random(in: 0..<3, using: &random) == 0 { add(.takeExports, 0, time + Calendar.hour, &random) }
        if Int.random(in: 0..<4, using: &random) == 0 { add(.importFile, devices, time + 2 * Calendar.hour, &random) }
    }

    private mutating func mishap(_ device: Int, _ random: inout SeededGenerator, at time: Int) {
        switch Int.random(in: 0..<60, using: &random) {
        case 0..<3: add(.backUp, device, time, &random)
        case 3: add(.setBack(withFolder: Bool.random(using: &random)), device, time, &random)
        case 4: add(.setStoreBack, device, time, &random)
        case 5..<12: add(.decide, device, time, &random)
        case 12, 13: add(.compact, device, time, &random)
        default: break
        }
    }
}
