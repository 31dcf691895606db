import RecordMerge
import StrictJSON
import Testing

/// A device with a store, as a program that synchronises would have it.
struct Device {
    var writer: WriterID
    let schema: MergeSchema
    let domain: MergeDomain
    var state = MergeState()
    var clock = HybridClock(bits: 0)
    /// What the store was given last.
    var base = RecordSet()
    /// What the store holds.
    var store = RecordSet()
    var conflicts: [Conflict] = []
    var buffer = CausalBuffer()
    /// The newest changes that this device's program can apply.
    var reader = 1

    init(_ name: String, _ schema: MergeSchema, _ domain: MergeDomain = .none) {
        writer = .named(name)
        self.schema = schema
        self.domain = domain
    }

    /// Captures what was changed in the store; nil where nothing was.
    mutating func detectChanges(
        now: Int = 0,
        decided: [RecordKey: Set<[String]>] = [:],
        keepsUnknown: Bool = false
    ) throws -> Change? {
        let next = clock.next(now: HybridClock(milliseconds: now))
        let stamp = Stamp(Dot(writer, state.seen[writer] + 1), next)
        let change = try ChangeDetection(schema, stamp, keepsUnknown: keepsUnknown)
            .change(from: base, to: store, in: state, decided: decided)
        guard !change.isEmpty else { return nil }
        clock = next
        try state.apply(change)
        show()
        return change
    }

    /// Takes in changes that arrived.
    mutating func receive(_ changes: [Change], minimumReader: Int = 1) throws {
        for change in changes {
            buffer.insert(change, minimumReader: minimumReader)
            clock = max(clock, change.stamp.clock)
        }
        try state.apply(from: &buffer, reader: reader)
        show()
    }

    /// Takes in a checkpoint.
    mutating func receive(_ other: MergeState, _ clock: HybridClock) throws {
        state.join(other)
        self.clock = max(self.clock, clock)
        try state.apply(from: &buffer, reader: reader)
        show()
    }

    /// Puts what is shown into the store.
    mutating func show() {
        let shown = ResolvedSet(state, schema, domain)
        base = shown.records
        store = shown.records
        conflicts = shown.conflicts
    }

    /// The document that the store is.
    var document: JSONValue { schema.document(of: store) }
}

/// Devices that start from the same records.
func devices(
    _ names: [String],
    _ schema: MergeSchema,
    _ records: RecordSet,
    _ domain: MergeDomain = .none
) throws -> [Device] {
    var first = Device(names[0], schema, domain)
    first.store = records
    let change = try first.detectChanges(now: 1)
    var all = [first]
    for name in names.dropFirst() {
        var device = Device(name, schema, domain)
        if let change { try device.receive([change]) }
        all.append(device)
    }
    return all
}

/// Captures on each device, delivers everything to everybody, and expects the same bytes everywhere.
func exchange(_ devices: inout [Device], at moments: [Int] = []) throws {
    var changes: [Change] = []
    for index in devices.indices {
        let now = index < moments.count ? moments[index] : 10 + index
        if let change = try devices[index].detectChanges(now: now) { changes.append(change) }
    }
    for index in devices.indices { try devices[index].receive(changes) }
    for device in devices.dropFirst() {
        #expect(device.state.encoded() == devices[0].state.encoded())
        #expect(device.document.text(.compact) == devices[0].document.text(.compact))
        #expect(device.conflicts == devices[0].conflicts)
    }
}

extension RecordSet {
    /// Records of one collection with members `id`.
    init(_ collection: String, _ objects: [JSONObject]) {
        self.init()
        for object in objects { self[RecordKey(collection, object["id"]?.string ?? "")] = object }
    }
}
