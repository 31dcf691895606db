internal import RecordMerge
internal import StrictJSON

/// Measures the merge engine: `merge-bench RECORDS all` the whole job, `merge-bench RECORDS join` the join of 100 changes.
@main
struct MergeBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().map(\.self)
        let count = arguments.first.flatMap(Int.init) ?? 10_000
        let world = try World(count: count)
        switch arguments.dropFirst().first ?? "all" {
        case "join": try world.joinHundred()
        default: try world.wholeJob()
        }
    }
}

/// Records of eight members, and two replicas that change them.
struct World {
    let schema: MergeSchema
    let count: Int
    var base: RecordSet
    var state: MergeState

    init(count: Int) throws {
        self.count = count
        schema = try MergeSchema(
            reading: JSONDocument(
                parsing: #"{"properties":{"rows":{"x-merge":"records","items":{"properties":{"id":{}}}}}}"#
            ).root.value
        )
        base = RecordSet()
        state = MergeState()
        base.order["rows"] = []
        for number in 0..<count {
            let key = RecordKey("rows", Self.name(number))
            base.objects[key] = Self.object(number)
            base.order["rows"]?.append(key.key)
        }
        let made = try Capture(schema, Self.stamp("base", 1)).change(from: RecordSet(), to: base, in: state)
        try state.apply(made)
    }

    static func name(_ number: Int) -> String { "r" + String(String(10_000_000 + number).dropFirst()) }

    static func object(_ number: Int) -> JSONObject {
        [
            "id": .string(name(number)), "title": .string("Title of the record \(number)"), "notes": .string("note \(number % 97)"),
            "done": .bool(number % 3 == 0), "count": .number(JSONNumber(number % 1000)), "day": .string("2025-01-\(10 + number % 20)"),
            "made": .string("2025-01-01T10:00:00Z"), "changed": .string("2025-01-02T11:30:00+02:00"),
        ]
    }

    static func stamp(_ writer: String, _ sequence: Int) throws -> Stamp {
        guard let writer = WriterID(writer) else { throw WorldError() }
        return Stamp(Dot(writer, sequence), HybridClock(milliseconds: sequence))
    }

    struct WorldError: Error {}

    /// What a replica holds after it changed 1 % of the records, a fifth of them those that the other changed as well,
    /// added 1 % and deleted 0.5 %.
    func edited(_ side: Int) -> RecordSet {
        var ours = base
        let percent = max(count / 100, 1)
        for index in 0..<percent {
            let isShared = index < percent / 5
            let number = (index * 100 + (isShared ? 0 : 1 + side)) % count
            ours.objects[RecordKey("rows", Self.name(number))]?["title"] = .string("changed by \(side)")
            let key = RecordKey("rows", "n\(side)-\(index)")
            ours.objects[key] = Self.object(count + index)
            ours.order["rows"]?.append(key.key)
            if index % 2 == 0 { ours.objects[RecordKey("rows", Self.name((index * 100 + 50 + side) % count))] = nil }
        }
        return ours
    }

    /// Two replicas capture, exchange and join; each time is that of one replica.
    func wholeJob() throws {
        let sets = [edited(0), edited(1)]
        var changes: [Change] = []
        let clock = ContinuousClock()
        let start = state
        let capture = try clock.measure {
            for (side, ours) in sets.enumerated() {
                changes.append(try Capture(schema, Self.stamp("w\(side)", 1)).change(from: base, to: ours, in: start))
            }
        }
        let segments = changes.map { $0.encoded() }
        var replica = state
        try replica.apply(changes[0])
        let join = try clock.measure { try replica.apply(Change(decoding: segments[1])) }
        var bytes: [UInt8] = []
        let encode = clock.measure { bytes = replica.encoded() }
        let decode = try clock.measure { _ = try MergeState(decoding: bytes) }
        print(
            "records \(count) capture \(capture / 2) read+join \(join) changed \(changes[1].records.count)",
            "segment \(segments[1].count) B checkpoint write \(encode) read \(decode) size \(bytes.count) B"
        )
    }

    /// Joins changes of 100 records each, and takes the median.
    func joinHundred() throws {
        var replica = state
        var times: [Duration] = []
        let clock = ContinuousClock()
        for round in 1...21 {
            var old = RecordSet()
            var new = RecordSet()
            for index in 0..<100 {
                let key = RecordKey("rows", Self.name((index * (count / 100) + round) % count))
                old[key] = base.objects[key]
                new[key] = base.objects[key]
                new.objects[key]?["title"] = .string("round \(round)")
            }
            let change = try Capture(schema, Self.stamp("w", round)).change(from: old, to: new, in: replica)
            times.append(try clock.measure { try replica.apply(change) })
        }
        print("records \(count) join of 100 changes, median \(times.sorted()[10])")
    }
}
