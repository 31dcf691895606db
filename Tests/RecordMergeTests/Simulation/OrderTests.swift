import StrictJSON
import TestSupport
import Testing

@testable import RecordMerge

/// The order of lists, held against what it must be whatever positions are made of.
@Suite struct OrderTests {
    @Test(arguments: [OrderWorld.Kind.collection, .member])
    func `lists keep the order that each device gave them`(kind: OrderWorld.Kind) throws {
        var observed = 0
        for seed in 1...16 {
            var world = try OrderWorld(kind, seed: UInt64(seed))
            do {
                for _ in 0..<15 { try world.step() }
            } catch let failure as OrderWorld.Failure {
                Issue.record("seed \(seed): \(failure.description)")
                return
            }
            #expect(world.renumbered == 0, "seed \(seed)")
            observed += world.orders.count
        }
        #expect(observed > 2_000)
    }

    @Test(arguments: [OrderWorld.Kind.collection, .member])
    func `lists that are numbered anew keep their order as well`(kind: OrderWorld.Kind) throws {
        var world = try OrderWorld(kind, seed: 1)
        do {
            // Always between the last two, on two devices at a time: the place gets narrower.
            for round in 0..<70 { try world.narrow(round) }
            for _ in 0..<10 { try world.step() }
        } catch let failure as OrderWorld.Failure {
            Issue.record("\(failure.description)")
            return
        }
        #expect(world.renumbered > 0)
    }
}

/// Devices that put elements into one list, move and remove them, and hear of each other.
struct OrderWorld {
    enum Kind: Sendable { case collection, member }

    struct Failure: Error {
        let description: String
    }

    /// An element at the position that one change gave it.
    struct Placed: Hashable {
        let name: String
        let stamp: Stamp
    }

    struct Pair: Hashable {
        let one: Placed
        let two: Placed
    }

    let kind: Kind
    var devices: [Device] = []
    var changes: [Change] = []
    var dice: SeededGenerator
    /// Of two elements at their positions whether the first comes first: the same for everybody, for ever.
    var orders: [Pair: Bool] = [:]
    /// How often a list was numbered anew.
    var renumbered = 0
    private var names = 0
    private let record = RecordKey("things", "x")

    init(_ kind: Kind, seed: UInt64) throws {
        self.kind = kind
        dice = SeededGenerator(seed: seed)
        let schema = try AllRules.schema()
        for name in ["m", "a", "z"] { devices.append(Device(name, schema)) }
        // The list is made by one, so that all begin with it.
        write((0..<4).map { _ in newName() }, 0)
        try detectChanges(0)
        try deliver(percent: 100)
    }

    // MARK: What devices do

    /// All devices edit without knowing of each other, then some hear of some.
    mutating func step() throws {
        let inserts = dice.chance(50)
        // A run stays whole among those who know the same: a position whose element was removed may be used again.
        if inserts { try deliver(percent: 100) }
        var runs: [[String]] = []
        let place = dice.below(100)
        for index in devices.indices {
            let before = order(index)
            if inserts {
                // Mostly at the same place.
                let run = (0...dice.below(4)).map { _ in newName() }
                let at = dice.chance(70) ? place * before.count / 100 : dice.below(before.count + 1)
                write(Array(before[..<at]) + run + before[at...], index)
                runs.append(run)
            } else {
                write(edited(before), index)
            }
            try detectChanges(index)
        }
        let isWhole = inserts || dice.chance(40)
        try deliver(percent: isWhole ? 100 : 60)
        guard isWhole else { return }
        let orders = devices.indices.map { order($0) }
        guard orders.allSatisfy({ $0 == orders[0] }) else { throw Failure(description: "orders differ: \(orders)") }
        for run in runs {
            let first = orders[0].firstIndex(of: run[0]) ?? orders[0].endIndex
            guard Array(orders[0][first...].prefix(run.count)) == run else {
                throw Failure(description: "the run \(run) is torn apart: \(orders[0])")
            }
        }
    }

    /// Two devices put something before the last element, or behind what was put there last.
    mutating func narrow(_ round: Int) throws {
        for index in 0..<2 {
            var list = order(index)
            list.insert(newName(), at: max(0, min(1 + round / 2, list.count - 1)))
            write(list, index)
            try detectChanges(index)
        }
        try deliver(percent: 100)
    }

    private mutating func edited(_ before: [String]) -> [String] {
        var list = before
        for _ in 0...(list.count > 12 ? 4 : dice.below(2)) {
            switch list.count > 12 ? 0 : dice.below(4) {
            case 0 where list.count > 3: list.remove(at: dice.below(list.count))
            case 1: list.insert(newName(), at: dice.below(list.count + 1))
            default:
                guard !list.isEmpty else { continue }
                let name = list.remove(at: dice.below(list.count))
                list.insert(name, at: dice.below(list.count + 1))
            }
        }
        return list
    }

    private mutating func newName() -> String {
        names += 1
        // Names in no order of their own.
        return "\(["q", "b", "k", "y"][names * 7 % 4])\(names)"
    }

    // MARK: The list in a store

    func order(_ index: Int) -> [String] {
        switch kind {
        case .collection: devices[index].store.order["rows"] ?? []
        case .member: devices[index].store[record]?["items"]?.array?.compactMap { $0["id"]?.string } ?? []
        }
    }

    private mutating func write(_ list: [String], _ index: Int) {
        switch kind {
        case .collection:
            for name in order(index) where !list.contains(name) { devices[index].store[RecordKey("rows", name)] = nil }
            for name in list { devices[index].store[RecordKey("rows", name)] = ["id": .string(name)] }
            devices[index].store.order["rows"] = list
        case .member:
            let items = list.map { JSONValue.object(["id": .string($0), "label": "x"]) }
            devices[index].store[record] = ["id": "x", "items": .array(items)]
        }
    }

    // MARK: What must hold

    private mutating func detectChanges(_ index: Int) throws {
        let before = shownOrder(index)
        let wanted = order(index)
        guard let change = try devices[index].detectChanges(now: 1) else {
            if before != wanted { throw Failure(description: "\(wanted) was not captured after \(before)") }
            return
        }
        changes.append(change)
        guard order(index) == wanted else {
            throw Failure(description: "\(index) made \(wanted) and is shown \(order(index))")
        }
        let placed = placed(index).filter { $0.value == change.stamp }.keys
        let common = wanted.filter(before.contains)
        let moved = placed.filter(before.contains).count
        let fewest = common.count - longestKept(common.compactMap(before.firstIndex))
        if moved != fewest {
            guard placed.count == wanted.count else {
                throw Failure(description: "\(moved) moves instead of \(fewest) from \(before) to \(wanted)")
            }
            renumbered += 1
        }
        try observe(index)
    }

    /// The order as the device was shown it last.
    private func shownOrder(_ index: Int) -> [String] {
        var world = self
        world.devices[index].show()
        return world.order(index)
    }

    /// The size of the largest part that is in order.
    private func longestKept(_ places: [Int]) -> Int {
        var best: [Int] = []
        for (index, place) in places.enumerated() {
            best.append(1 + (places[..<index].indices.filter { places[$0] < place }.map { best[$0] }.max() ?? 0))
        }
        return best.max() ?? 0
    }

    private mutating func deliver(percent: Int) throws {
        for index in devices.indices {
            let seen = devices[index].state.seen
            let new = changes.filter { !seen.covers($0.stamp.dot) && dice.chance(percent) }
            guard !new.isEmpty else { continue }
            try devices[index].receive(new.shuffled(using: &dice))
            try observe(index)
        }
    }

    /// The change that gave each element the position at which it is shown.
    private func placed(_ index: Int) -> [String: Stamp] {
        var placed: [String: Stamp] = [:]
        switch kind {
        case .collection:
            for (key, record) in devices[index].state.records where key.collection == "rows" {
                let cell = record.survivors().cells.first { $0.path == .place }
                placed[key.key] = cell?.writes.last?.stamp
            }
        case .member:
            for cell in devices[index].state.record(record)?.survivors().cells ?? [] where cell.path.kind == .position {
                placed[cell.path.element] = cell.writes.last?.stamp
            }
        }
        return placed
    }

    /// Two elements that nobody moved stand as they always did, on whatever device.
    private mutating func observe(_ index: Int) throws {
        let stamps = placed(index)
        let all = order(index).compactMap { name in stamps[name].map { Placed(name: name, stamp: $0) } }
        guard all.count == order(index).count else { throw Failure(description: "an element has no position") }
        // Of long lists a part that is not always the same.
        let part = all.count / 20 + 1
        let list = all.indices.filter { ($0 + orders.count) % part == 0 }.map { all[$0] }
        for (place, one) in list.enumerated() {
            for two in list[(place + 1)...] {
                let isFirst = one.name < two.name
                let pair = isFirst ? Pair(one: one, two: two) : Pair(one: two, two: one)
                if let known = orders[pair], known != isFirst {
                    throw Failure(description: "\(index) shows \(one.name) before \(two.name): \(list.map(\.name))")
                }
                orders[pair] = isFirst
            }
        }
    }
}
