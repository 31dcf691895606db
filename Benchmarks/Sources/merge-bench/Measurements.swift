internal import RecordMerge
internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The files of a measurement: `base`, `ours` and `theirs`, each a store and a state, and the segment of theirs.
struct Folder {
    let path: String

    func store(_ name: String) -> String { "\(path)/\(name).store" }
    func state(_ name: String) -> String { "\(path)/\(name).state" }
    var segment: String { "\(path)/theirs.segment" }
    var checkpoint: String { "\(path)/checkpoint" }
}

/// A way to time, for tables of seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
}

extension Folder {
    /// Makes the records, as both replicas have them before they change anything.
    func makeBase(_ count: Int) throws {
        let store = try Store(store("base"), making: true)
        var state = try State(state("base"), making: true)
        let stamp = try World.stamp("base", 1)
        try store.database.transaction {
            for number in 0..<count {
                try store.write(RecordKey("rows", World.name(number)), World.object(number))
            }
        }
        try state.database.transaction {
            // Piece by piece: what is captured at once would have to fit into memory.
            for first in stride(from: 0, to: count, by: 10_000) {
                var ours = RecordSet()
                for number in first..<min(first + 10_000, count) {
                    ours.objects[RecordKey("rows", World.name(number))] = World.object(number)
                }
                let empty = MergeState()
                for record in try ChangeDetection(state.schema, stamp).change(from: RecordSet(), to: ours, in: empty).records {
                    try state.setRecord(record.key, record.version.map { RecordState($0) })
                }
            }
            state.seen.insert(stamp.dot)
            try state.saveSeen()
            try setFingerprints(of: store, in: state)
        }
        try store.makeTriggers()
    }

    private func setFingerprints(of store: Store, in state: State) throws {
        let insertion = try state.database.statement("INSERT INTO print VALUES (?, ?)")
        let rows = try store.database.statement("SELECT * FROM t")
        while try rows.step() {
            insertion.bind(1, rows.string(0))
            insertion.bind(2, rows.fingerprint(columns: 8))
            try insertion.run()
        }
    }

    /// Lets a person change a store that is a copy of the base, and where it is ours, the state take that in.
    func edit(_ name: String, side: Int, _ count: Int) throws {
        let store = try Store(store(name))
        try store.database.transaction { try World.forEachEdit(count, side) { try store.write($0, $1) } }
        guard name == "ours" else { return }
        var state = try State(state(name))
        let change = try state.capture(try journal(of: store), store, try World.stamp(name, 1))
        try state.database.transaction {
            try state.apply(change)
            try state.saveSeen()
        }
    }

    func journal(of store: Store) throws -> [String] {
        var keys: [String] = []
        let rows = try store.database.statement("SELECT key FROM journal ORDER BY key")
        while try rows.step() { keys.append(rows.string(0)) }
        return keys
    }

    /// The records of theirs that differ from what its store was given, by their fingerprints.
    func compared(_ store: Store, _ state: State) throws -> [String] {
        let rows = try store.database.statement("SELECT * FROM t ORDER BY id")
        let prints = try state.database.statement("SELECT key, fingerprint FROM print ORDER BY key")
        var differing: [String] = []
        var (hasRow, hasPrint) = (try rows.step(), try prints.step())
        while hasRow || hasPrint {
            let order = !hasPrint ? -1 : !hasRow ? 1 : compare(rows.bytes(0), prints.bytes(0))
            if order < 0 {
                differing.append(rows.string(0))
            } else if order > 0 {
                differing.append(prints.string(0))
            } else if rows.fingerprint(columns: 8) != prints.int(1) {
                differing.append(rows.string(0))
            }
            if order <= 0 { hasRow = try rows.step() }
            if order >= 0 { hasPrint = try prints.step() }
        }
        return differing
    }

    private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        guard let one = left.baseAddress, let two = right.baseAddress else { return left.count - right.count }
        let order = memcmp(one, two, min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }

    /// Finds what was changed in theirs, and writes the segment.
    ///
    /// - Parameter isFull: Whether all records are compared, and not only those that triggers noted.
    func diff(isFull: Bool) throws -> [String: Double] {
        var (changed, size) = (0, 0)
        let time = try seconds {
            let store = try Store(store("theirs"))
            let state = try State(state("theirs"))
            let keys = isFull ? try compared(store, state) : try journal(of: store)
            let bytes = try state.capture(keys, store, try World.stamp("theirs", 1)).encoded()
            try write(bytes, to: segment)
            (changed, size) = (keys.count, bytes.count)
        }
        return ["diff": time, "records": Double(changed), "bytes": Double(size)]
    }

    /// Takes the segment of theirs into ours: state and store.
    func apply() throws -> [String: Double] {
        var touched: [RecordKey] = []
        let time = try seconds {
            let store = try Store(store("ours"))
            var state = try State(state("ours"))
            let change = try Change(decoding: try read(segment))
            try state.database.transaction {
                touched = try state.apply(change)
                try state.saveSeen()
                try store.database.transaction {
                    for key in touched { try store.write(key, try state.shown(key)) }
                    try store.database.execute("DELETE FROM journal")
                }
            }
        }
        return ["apply": time, "records": Double(touched.count)]
    }

    /// Writes all records of ours as a checkpoint has them.
    func writeCheckpoint() throws -> [String: Double] {
        var size = 0
        let time = try seconds {
            let state = try State(state("ours"))
            let counting = try state.database.statement("SELECT count(*) FROM record")
            _ = try counting.step()
            let file = try Output(checkpoint)
            try file.write(StateHeader(seen: state.seen, recordCount: Int(counting.int(0))).encodedLine())
            let rows = try state.database.statement("SELECT line FROM record ORDER BY key")
            while try rows.step() { try file.write(rows.bytes(0)) }
            size = try file.close()
        }
        return ["write": time, "bytes": Double(size)]
    }

    /// Joins changes of 100 records each: medians of 21, of the join alone and until it is durable.
    func joinHundred(_ count: Int) throws -> [String: Double] {
        let store = try Store(store("base"))
        var state = try State(state("base"))
        var (times, durable): ([Double], [Double]) = ([], [])
        for round in 1...21 {
            var (base, ours) = (RecordSet(), RecordSet())
            for index in 0..<100 {
                let key = RecordKey("rows", World.name((index * (count / 100) + round) % count))
                base.objects[key] = try store.read(key.key)
                ours.objects[key] = base.objects[key]
                ours.objects[key]?["title"] = .string("round \(round)")
            }
            let change = try ChangeDetection(state.schema, try World.stamp("w", round)).change(from: base, to: ours, in: state)
            durable.append(
                try seconds {
                    try state.database.transaction { times.append(try seconds { try state.apply(change) }) }
                }
            )
        }
        return ["join": times.sorted()[10], "durable": durable.sorted()[10]]
    }
}

extension Folder {
    /// Reads the checkpoint line by line, as a replica that starts with it does, and writes what was read once more.
    func readCheckpoint() throws -> [String: Double] {
        let bytes = try read(checkpoint)
        var decoder = LineDecoder()
        var (decoding, encoding, size) = (0.0, 0.0, 0)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).dropFirst()
        var records: [(key: RecordKey, record: RecordState)] = []
        for first in stride(from: lines.startIndex, to: lines.endIndex, by: 10_000) {
            let piece = lines[first..<min(first + 10_000, lines.endIndex)]
            records.removeAll(keepingCapacity: true)
            decoding += try seconds {
                for line in piece { records.append(try line.withUnsafeBytes { try decoder.record($0) }) }
            }
            encoding += seconds { for record in records { size += record.record.encodedLine(record.key).count } }
        }
        return ["decode": decoding, "encode": encoding, "bytes": Double(size), "records": Double(lines.count)]
    }
}
