import RecordMerge
import StrictJSON
import TestSupport

/// A world of devices that edit, synchronise through a channel that does what it likes, are copied and set back.
struct Simulation {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A device and what the oracle has to know of it.
    struct Member {
        var device: Device
        /// The operations that its state holds.
        var known: Set<Int> = []
        /// What its own clock shows.
        var now: Int
        /// Whether its store leaves out what its schema does not name.
        var leavesOut = false
        /// Which branch of each fork it has seen under the old name.
        var branches: [Int: Int] = [:]
    }

    /// A change on its way, as bytes, with what the oracle has to know.
    struct Message {
        let bytes: [UInt8]
        let operation: Int
        let branches: [Int: Int]
    }

    /// A writer that was continued twice.
    struct Fork {
        let writer: WriterID
        let sequence: Int
        /// The names of the continuations by the number of the member that made them.
        var branches: [WriterFork]
        /// The members that go on under the one name.
        var members: [Int]
        /// Whether both continuations are published.
        var isKnown = false
        /// Whether one of them noticed before it published anything, so that there is no fork.
        var isClosed = false

        var isOpen: Bool { !isKnown && !isClosed }
    }

    var members: [Member] = []
    var messages: [Message] = []
    var checkpoints: [(bytes: [UInt8], known: Set<Int>, clock: HybridClock)] = []
    var forks: [Fork] = []
    let oracle: Oracle
    let edits: [RandomEdits]
    let schema: MergeSchema
    var script: [String] = []
    /// States that devices had.
    var history: [MergeState] = []
    var dice: SeededGenerator
    private var names = 0

    init(seed: UInt64, _ full: MergeSchema, older: MergeSchema?) {
        dice = SeededGenerator(seed: seed)
        schema = full
        oracle = Oracle(full)
        let isFocused = dice.chance(40)
        let isContended = dice.chance(25)
        edits = [full, older ?? full].map {
            RandomEdits(schema: $0, isFocused: isFocused || isContended, isContended: isContended)
        }
        for _ in 0..<2 + dice.below(dice.chance(20) ? 7 : 3) {
            let isOlder = older != nil && dice.chance(25)
            var member = Member(
                device: Device(name(), isOlder ? older ?? full : full),
                now: dice.pickAny([0, 1_000, 30_000_000_000, 1_000_000]) ?? 0
            )
            member.leavesOut = isOlder && dice.chance(50)
            members.append(member)
        }
    }

    mutating func name() -> String {
        names += 1
        return "\(["m", "a", "z", "k"][names % 4])\(names)"
    }

    /// Does something; all but the dice's state comes from the dice.
    mutating func step() throws {
        let index = dice.below(members.count)
        members[index].now += dice.pickAny([0, 0, 1, 5, -3, 1_000_000, -2_000_000]) ?? 0
        switch dice.below(100) {
        case 0..<52: edit(index)
        case 52..<74: try synchronise(index)
        case 74..<88: try receive(index, most: 1 + dice.below(6))
        case 88..<91: try checkpoint(index)
        case 91..<94: try readCheckpoint(index)
        case 94..<95: truncate()
        case 95..<97: try copy(index)
        case 97..<98: setBackStore(index)
        default: try fork(index)
        }
    }

    mutating func edit(_ index: Int) {
        let isOlder = members[index].device.schema != schema
        for _ in 0...dice.below(3) {
            let told = edits[isOlder ? 1 : 0].edit(&members[index].device.store, &dice)
            script.append("\(index) edits: \(told)")
        }
    }

    /// Captures what a device changed and publishes it.
    mutating func synchronise(_ index: Int) throws {
        script.append("\(index) captures")
        var member = members[index]
        let before = member.device
        guard let change = try member.device.detectChanges(now: member.now) else {
            if oracle.wouldNote(before, member.known, member.device.schema) {
                throw Failure(description: "nothing was captured, but something was changed")
            }
            members[index] = strip(member)
            return
        }
        var id = oracle.note(
            from: before.base,
            to: before.store,
            past: member.known,
            clock: change.stamp.clock,
            writer: change.stamp.dot.writer.description,
            rules: before.schema
        )
        let moved = change.records.filter { $0.version?.changesPlace == true }.map(\.key)
        id = oracle.noteMoves(
            id,
            past: member.known,
            clock: change.stamp.clock,
            writer: change.stamp.dot.writer.description,
            moved: moved
        )
        guard let id else { throw Failure(description: "something was captured, but nothing was changed: \(change)") }
        let noted = Set(oracle.operations[id].touches.keys)
        guard noted == Set(change.records.map(\.key)) else {
            throw Failure(description: "captured \(change.records.map(\.key)), changed \(noted)")
        }
        member.known.insert(id)
        for (number, fork) in forks.enumerated() where fork.isOpen && fork.writer == change.stamp.dot.writer {
            if change.stamp.dot.sequence >= fork.sequence, let branch = forkBranch(number, index) {
                member.branches[number] = branch
            }
        }
        messages.append(Message(bytes: change.encoded(), operation: id, branches: member.branches))
        members[index] = strip(member)
        learnForks()
        if dice.chance(40) { try check(index) }
    }

    /// A device's store without what its schema does not name, where it leaves that out.
    private func strip(_ member: Member) -> Member {
        var member = member
        guard member.leavesOut else { return member }
        for (key, object) in member.device.store.objects {
            let rules = member.device.schema.record(in: key.collection)
            let isKept = member.device.schema.collection(key.collection) != nil || key == .document
            guard isKept else { continue }
            var kept = JSONObject()
            for part in object where rules[part.name] != nil {
                kept[part.name] = part.value
                guard let elements = part.value.array, let known = rules[part.name]?.elements?.record else { continue }
                kept[part.name] = .array(
                    elements.map { element in
                        var element = element
                        for name in element.object?.names ?? [] where known[name] == nil { element[name] = nil }
                        return element
                    }
                )
            }
            member.device.store.objects[key] = kept
        }
        return member
    }

    /// Gives a device some messages, in any order, some twice.
    mutating func receive(_ index: Int, most: Int) throws {
        var arrived: [Message] = []
        for _ in 0..<most { if let message = dice.pickAny(messages) { arrived.append(message) } }
        if !arrived.isEmpty { try deliver(arrived, index) }
    }

    mutating func deliver(_ arrived: [Message], _ index: Int) throws {
        script.append("\(index) receives \(arrived.map(\.operation))")
        // What was edited meanwhile is captured before anything is read.
        try synchronise(index)
        noticeForeign(arrived, index)
        var member = members[index]
        let changes = try arrived.map { try renamed($0) }
        try member.device.receive(changes)
        members[index] = strip(noteKnown(member))
        if dice.chance(30) { history.append(members[index].device.state) }
        if dice.chance(40) { try check(index) }
    }

    /// Finds out which operations a device holds now.
    func noteKnown(_ member: Member) -> Member {
        var member = member
        for message in messages where !member.known.contains(message.operation) {
            guard let change = try? renamed(message) else { continue }
            guard member.device.state.seen.covers(change.stamp.dot) else { continue }
            member.known.insert(message.operation)
            for (fork, branch) in message.branches where forks[fork].isOpen { member.branches[fork] = branch }
        }
        return member
    }

    mutating func checkpoint(_ index: Int) throws {
        script.append("\(index) writes a checkpoint")
        try synchronise(index)
        // A checkpoint has no names of forks that are not resolved.
        guard !members[index].branches.keys.contains(where: { forks[$0].isOpen }) else { return }
        let bytes = members[index].device.state.encoded()
        checkpoints.append((bytes, members[index].known, members[index].device.clock))
    }

    mutating func readCheckpoint(_ index: Int) throws {
        guard let checkpoint = dice.pickAny(checkpoints) else { return }
        script.append("\(index) reads a checkpoint")
        try synchronise(index)
        var member = members[index]
        guard !member.branches.keys.contains(where: { forks[$0].isOpen }) else { return }
        try member.device.receive(try MergeState(decoding: checkpoint.bytes), checkpoint.clock)
        member.known.formUnion(checkpoint.known)
        members[index] = strip(noteKnown(member))
        try check(index)
    }

    /// Removes messages that a checkpoint holds.
    mutating func truncate() {
        guard forks.isEmpty, let checkpoint = dice.pickAny(checkpoints) else { return }
        script.append("messages of a checkpoint are removed")
        messages.removeAll { checkpoint.known.contains($0.operation) }
    }

    /// Copies a device, which notices it and takes a new name; or sets one back, which is the same to the others.
    mutating func copy(_ index: Int) throws {
        guard members.count < 9 else { return }
        script.append("\(index) is copied")
        var copy = members[index]
        copy.device.writer = WriterID(name()) ?? copy.device.writer
        copy.now = dice.below(1_000_000)
        members.append(copy)
    }

    /// Sets the records of a store back to those of another moment: edits like any others.
    mutating func setBackStore(_ index: Int) {
        guard members[index].device.schema == schema else { return }
        guard let other = members.filter({ $0.device.schema == schema }).randomElement(using: &dice) else { return }
        script.append("\(index) has its store replaced")
        members[index].device.store = other.device.base
    }
}

extension RecordVersion {
    /// Whether the change wrote the record's position.
    var changesPlace: Bool {
        cells.contains { cell in cell.path.kind == .place && cell.writes.contains { $0.stamp == stamp } }
    }
}

extension Oracle {
    /// Whether a device changed something.
    func wouldNote(_ device: Device, _ known: Set<Int>, _ rules: MergeSchema) -> Bool {
        for (key, object) in device.store.objects {
            let operation = Operation(
                id: operations.count,
                past: known,
                clock: device.clock,
                writer: device.writer.description
            )
            let full = schema.record(in: key.collection)
            if touch(key, device.base.objects[key], object, operation, rules.record(in: key.collection), full) != nil {
                return true
            }
        }
        return device.base.objects.keys.contains { key in
            device.store.objects[key] == nil && key != .document
        }
    }
}
