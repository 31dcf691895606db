internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Makes changes of this device, applies them to the state, and keeps their segments until they are published.
struct SegmentMaker {
    private let replica: Replica
    private let state: ReplicaState
    private var info: ReplicaApp { replica.info }

    private var coder: SegmentCoder { replica.directory.coder }

    init(_ replica: Replica, _ state: ReplicaState) {
        self.replica = replica
        self.state = state
    }

    /// Takes a new writer's name, whose changes count from 1.
    func renew() throws {
        try state.setProperty(.writer, replica.environment.makeName(12))
        try state.setProperty(.sequence, "0")
    }

    /// Goes on by the device's time where the last clock is more than a day ahead of it, as the time was wrong then.
    ///
    /// It takes a new name for that: within a name, no clock is before an earlier one. Where the changes of others are
    /// later than the device's time too, that is wrong now, and the clock stays.
    func leaveClockAhead() throws {
        let (now, last) = (replica.environment.now(), try state.clock())
        let latest = ReplicaState.latest(now)
        // Names stay known for ever, so a clock that jumps again and again does not get one each time.
        guard last > latest, try state.agrees(with: now, besides: replica.environment.device),
            try state.heads().count < Self.mostNames
        else { return }
        try state.transaction {
            try renew()
            try state.setProperty(.clock, String(state.lastClock(upTo: latest).bits))
        }
        state.notes.append(
            "the last change of this device is dated \(Moments.text(last.milliseconds)), as its clock was ahead: from"
                + " now on its changes are dated right again"
        )
    }

    /// The number of names in a folder above which a wrong clock takes no further one.
    private static let mostNames = 1_000

    /// Returns the name and clock of the next change.
    private func nextStamp() throws -> Stamp {
        try leaveClockAhead()
        guard var writer = WriterID(try state.required(.writer)) else { throw state.damaged("property", "writer") }
        // A checkpoint has changes of this name that the restored device does not know.
        if try state.seen[writer] > state.integer(.sequence) {
            try renew()
            writer = WriterID(try state.required(.writer)) ?? writer
        }
        let clock = try state.clock().next(now: HybridClock(milliseconds: replica.environment.now()))
        return Stamp(Dot(writer, try state.integer(.sequence) + 1), clock)
    }

    /// Makes the change from the applied records to the store's; nil where nothing differs.
    ///
    /// - Parameters:
    ///   - decided: Field paths that count as written though unchanged.
    ///   - reopening: Field paths of records that get their earlier concurrent values again.
    ///   - facts: Records whose facts count as written.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        decided: [RecordKey: Set<[String]>] = [:],
        choices: [RecordKey: PlaceChoices] = [:],
        reopening: [RecordKey: [Cell]] = [:],
        facts: Set<RecordKey> = []
    ) throws -> SyncedChange? {
        let made = try change(from: base, to: ours, decided: decided, choices: choices, facts: facts)
        let stay = facts.filter { base.objects[$0] == ours.objects[$0] && decided[$0] == nil && choices[$0] == nil }
        guard !reopening.isEmpty else { return try append(made, .stops, staying: stay)?.summary }
        let records = made.records.map { record -> ChangedRecord in
            guard let version = record.version, let cells = reopening[record.key] else { return record }
            return ChangedRecord(record.key, version.reopening(cells))
        }
        return try append(Change(made.stamp, base: made.base, records: records), .stops, staying: stay)?.summary
    }

    /// Makes the change that restores deleted records.
    func makeChange(restoring records: [RecordKey: RecordState]) throws -> SyncedChange? {
        try append(Change(restoring: records, nextStamp(), base: state.seen), .staysHere)?.summary
    }

    /// Returns the change that would be made, without making it.
    ///
    /// - Parameter keepsUnknown: False where a store may have left out what its app does not know.
    func change(
        from base: RecordSet,
        to ours: RecordSet,
        decided: [RecordKey: Set<[String]>] = [:],
        choices: [RecordKey: PlaceChoices] = [:],
        facts: Set<RecordKey> = [],
        stamp: Stamp? = nil,
        keepsUnknown: Bool = true
    ) throws -> Change {
        try ChangeDetection(info.schema, stamp ?? nextStamp(), keepsUnknown: keepsUnknown)
            .change(
                from: addingLeftOut(to: base, ours, in: state),
                to: info.counting(ours, from: base),
                in: state,
                decided: decided,
                choices: choices,
                facts: facts
            )
    }

    /// Adds to the applied form of changed records what would come in the place of an element that the change removes.
    ///
    /// An invariant left it out so far, and the change removes it too. What would be left out further on stays: on other
    /// devices, somebody who removes the element that is shown may never have seen it.
    ///
    /// - Parameter storage: The records of which the applied form is.
    private func addingLeftOut(
        to base: RecordSet,
        _ ours: RecordSet,
        in storage: some RecordStorage
    ) throws -> RecordSet {
        let collections = info.domain.thinned
        guard !collections.isEmpty else { return base }
        var base = base
        for (key, object) in ours.objects where collections.contains(key.collection) {
            guard let old = base.objects[key], old != object, let record = try storage.record(key) else { continue }
            for (member, elements) in info.domain.leftOut(of: key, info.schema.resolved(key, record).object) {
                // The change writes the store's elements again, so that no other device's change removes them.
                let kept = object[member]?.array ?? []
                var rest = elements.filter { !kept.contains($0) }
                var whole = object
                var removed = old[member]?.array ?? []
                while !rest.isEmpty {
                    whole[member] = .array(kept + rest)
                    let hidden = info.domain.leftOut(of: key, whole).filter { $0.member == member }.flatMap(\.elements)
                    let shown = rest.filter { !hidden.contains($0) }
                    guard !shown.isEmpty else { break }
                    removed += shown
                    rest.removeAll { shown.contains($0) }
                }
                base.objects[key]?[member] = .array(removed)
            }
        }
        return base
    }

    /// Makes the change from the applied records to the store's, in one of two forms.
    ///
    /// - Parameters:
    ///   - facts: Records whose facts count as written.
    ///   - isShort: Whether to note wholly new records as the store has them.
    ///   - new: Further records of the store, which nobody else ever had; none of `ours` has their keys. `isShort` is
    ///     true where there are any.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        facts: Set<RecordKey>,
        admitting isShort: Bool,
        new: [NewRecord] = []
    ) throws -> MadeChange {
        let isShort = isShort && state.takesShortcuts
        var noted: Set<RecordKey> = []
        let stamp = try nextStamp()
        var plain: PlainChange?
        if !new.isEmpty {
            let found = PlainChange(new, info.schema, stamp)
            guard found.others.isEmpty else { return .notPlain(found.others) }
            plain = found
        }
        let keepsUnknown = replica.store.keepsUnknownMembers
        let whole = try change(from: base, to: ours, facts: facts, stamp: stamp, keepsUnknown: keepsUnknown)
        let stay = facts.filter { base.objects[$0] == ours.objects[$0] }
        let made = try append(whole, .staysHere, staying: stay, with: plain) { change in
            var others: [ChangedRecord] = []
            let count = change.records.count + new.count
            state.isPacking = state.packed.limits.leastRows.map { count >= $0 } ?? false
            defer { state.isPacking = false }
            var stateLine: [UInt8] = []
            try plain?.forEach { record, line in
                guard makeStateLine(ofCreated: line, &stateLine) else { throw state.damaged("record", record.key.key) }
                try state.admit(record.key, stateLine, ResolvedRecord(plain: record.object))
            }
            for changed in change.records {
                if isShort, let version = changed.version, version.origins == [Origin(change.stamp.dot)],
                    let object = ours.objects[changed.key], try state.held(changed.key) == nil
                {
                    try state.admit(changed.key, RecordState(version), having: object)
                    noted.insert(changed.key)
                } else {
                    others.append(changed)
                }
            }
            try apply(Change(change.stamp, base: change.base, records: others))
        }
        return made == nil && plain != nil ? .notPlain(Set(new.map(\.key))) : .made(made?.summary, noted: noted)
    }

    /// Makes the change of records that the store has from an earlier state: its author has seen no more than that.
    ///
    /// - Parameters:
    ///   - written: Records that count as written though unchanged.
    ///   - facts: Records whose facts count as written.
    ///   - given: The earlier state of the records, and their new one afterwards.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        writing written: Set<RecordKey>,
        facts: Set<RecordKey>,
        given: inout AppliedStorage
    ) throws -> SyncedChange? {
        let name = try state.required(.writer)
        if let writer = WriterID(name), try given.isBehind(writer, state) { try renew() }
        let stamp = try nextStamp()
        given.seen = VersionVector(given.heads.map(\.dot) + [Dot(stamp.dot.writer, stamp.dot.sequence - 1)])
        // Records that others made, and that this store never got, keep the others' positions.
        let unseen = given.records.filter { $0.value == nil }.keys
        let change = try ChangeDetection(info.schema, stamp, keepsUnknown: replica.store.keepsUnknownMembers)
            .change(
                from: addingLeftOut(to: base, ours, in: given),
                to: info.counting(ours, from: base),
                in: given,
                decided: Dictionary(uniqueKeysWithValues: written.map { ($0, [[]]) }),
                facts: facts,
                agreed: AgreedPositions(of: unseen, in: state, info.schema)
            )
        let stay = facts.filter { base.objects[$0] == ours.objects[$0] && !written.contains($0) }
        guard let made = try append(change, .staysHere, staying: stay, given.heads) else { return nil }
        try given.apply(made.change)
        given.heads.removeAll { $0.dot.writer == stamp.dot.writer }
        given.heads += try state.heads().filter { $0.dot == stamp.dot }
        return made.summary
    }

    /// The treatment of a record that no reader would accept.
    private enum TooLarge {
        /// The record stays on this device alone, and everything else goes on.
        case staysHere
        /// The whole change is dropped.
        case stops
    }

    /// Applies a change to the state and keeps its segment.
    ///
    /// - Parameters:
    ///   - tooLarge: The treatment of records that no reader would accept.
    ///   - staying: Records that are in the store what they were applied as; only their facts count as written.
    ///   - given: The heads that its author had seen, if not the latest.
    ///   - plain: Plain records that belong to it.
    ///   - applying: Applies the change to the state, if that is not done record by record.
    /// - Returns: The change without such records; nil where nothing is left, or where no reader would accept it with
    ///   its plain records.
    private func append(
        _ whole: Change,
        _ tooLarge: TooLarge,
        staying: Set<RecordKey> = [],
        _ given: [WriterHead] = [],
        with plain: PlainChange? = nil,
        applying: ((Change) throws -> Void)? = nil
    ) throws -> (summary: SyncedChange, change: Change)? {
        guard !whole.isEmpty || plain != nil else { return nil }
        let dot = whole.stamp.dot
        let known = try state.heads() + given
        let heads = whole.base.entries.map { dot in
            known.first { $0.dot == dot } ?? WriterHead(dot, hash: ReplicaState.unknownHash)
        }
        var header = SegmentHeader(
            space: replica.space,
            app: replica.store.app,
            writer: dot.writer,
            sequence: dot.sequence,
            previous: try previous(of: dot),
            heads: heads,
            clock: whole.stamp.clock,
            device: replica.environment.device,
            program: replica.environment.program,
            schema: info.schemaVersion,
            minimumReader: 1,
            records: whole.records.count + (plain?.count ?? 0),
            part: nil
        )
        var change = whole
        var bytes = try coder.encode(Segment(header, change), with: plain?.lines)
        if !isReadable(bytes, plain?.lines) {
            if plain != nil { return nil }
            change = try fitting(whole, tooLarge)
            guard !change.isEmpty else { return nil }
            header.records = change.records.count
            bytes = try coder.encode(Segment(header, change))
            do { try coder.read(bytes) } catch {
                let message =
                    "the change of \(change.records.count) records cannot be published: no device could read it (\(error))"
                throw SyncError(.document, message, path: replica.storePath)
            }
        }
        let hash = ContentHash.of(bytes)
        let rewritten = try staying.isEmpty ? [] : rewritten(staying, by: change)
        let summary = try summary(of: change, header.device, with: plain, leavingOut: rewritten)
        if let applying { try applying(change) } else { try apply(change) }
        try state.setHead(dot, hash: hash)
        try state.setProperty(.sequence, String(dot.sequence))
        // The device's own files say from now on whose store it is.
        if dot.sequence == 1 { try state.setProperty(.device, nil) }
        try state.advance(change.stamp.clock)
        let segment = KnownSegment(
            writer: dot.writer,
            sequence: dot.sequence,
            hash: hash,
            previous: header.previous,
            branch: dot.writer,
            state: .applied,
            isOwn: true,
            isPublished: false,
            clock: change.stamp.clock,
            device: header.device,
            heads: heads,
            minimumReader: 1,
            size: bytes.count
        )
        try state.insert(segment, bytes: bytes)
        try state.note(header.device, writer: dot.writer, clock: change.stamp.clock, heads: heads)
        return (summary, change)
    }

    /// Returns whether others can read a segment: a writer reads it back as they do.
    private func isReadable(_ bytes: [UInt8], _ plain: PlainLines?) -> Bool {
        bytes.count <= SyncDirectory.mostBytes && coder.isSound(bytes, returning: plain)
    }

    /// Returns a change that readers accept.
    ///
    /// Concurrent values that are too large together become their resolved value. A record that is still too large is
    /// left out.
    private func fitting(_ change: Change, _ tooLarge: TooLarge) throws -> Change {
        var decoder = LineDecoder()
        let records = try change.records.compactMap { record -> ChangedRecord? in
            do {
                try decoder.check(record.encodedLine())
                return record
            } catch let error as MergeDataError {
                if let decided = try deciding(record, &decoder) { return decided }
                let line = record.encodedLine()
                let most = MergeLimits().mostChangeBytes
                let reason =
                    line.count > most
                    ? "it takes \(line.count) bytes, and at most \(most) can sync"
                    : "no device could read it: \(error.message)"
                let name = try touched(record, change.stamp.dot).name
                let words = "\(record.key.collection) \(record.key.key.prefix(80))"
                guard tooLarge == .staysHere else {
                    let message = "\(words) cannot sync: \(reason)"
                    throw SyncError(.document, message, path: replica.storePath)
                }
                try state.setTooLarge(record.key, reason, title: name.title.map { String($0.prefix(80)) })
                return nil
            }
        }
        return Change(change.stamp, base: change.base, records: records)
    }

    /// Returns a record whose largest field paths with several values are decided, until a reader accepts it; nil where
    /// none does.
    private func deciding(_ record: ChangedRecord, _ decoder: inout LineDecoder) throws -> ChangedRecord? {
        guard let version = record.version else { return nil }
        let rules = info.schema.record(in: record.key.collection)
        var count = 1
        while let (decided, fields) = version.deciding(count, rules) {
            let changed = ChangedRecord(record.key, decided)
            if (try? decoder.check(changed.encodedLine())) != nil {
                let title = try touched(changed, version.stamp.dot).name.title ?? record.key.key
                state.notes.append(
                    "\(record.key.collection) \(title.prefix(80)): the concurrent values of "
                        + "\(fields.prefix(5).joined(separator: ", ")) were too large together; "
                        + "the resolved one is kept, the others are in the log"
                )
                return changed
            }
            count *= 2
        }
        return nil
    }

    private func apply(_ change: Change) throws {
        state.isOwnChange = true
        defer { state.isOwnChange = false }
        var storage = state
        try storage.apply(change)
    }

    private func previous(of dot: Dot) throws -> String? {
        try state.segments(
            "WHERE writer = ? AND sequence = ? AND is_own",
            [dot.writer.description, dot.sequence - 1]
        ).first?.hash
    }

    /// Returns a summary of a change with the titles of its records; called before the change is applied.
    ///
    /// - Parameter rewritten: Records that are not named or counted, unless there are no others.
    func summary(
        of change: Change,
        _ device: SyncDevice,
        with plain: PlainChange? = nil,
        leavingOut rewritten: Set<RecordKey> = []
    ) throws -> SyncedChange {
        var summary = ChangeSummary(self, change.stamp, device)
        let isLeftOut = plain != nil || rewritten.count < change.records.count
        var records = change.records.filter { !isLeftOut || !rewritten.contains($0.key) }[...]
        // Reports name the first ones, in order.
        try plain?.forEach { new, _ in
            while let record = records.first, record.key < new.key {
                try summary.add(record)
                records.removeFirst()
            }
            try summary.add(new, title: info.title(new.key, new.object))
        }
        for record in records { try summary.add(record) }
        return summary.change
    }

    /// Returns the records of which a change only writes facts again that stay what they are.
    ///
    /// The records alone do not tell: of a day with several flags, the domain works out the one that the store has.
    ///
    /// - Parameter staying: Records that are in the store what they were applied as.
    private func rewritten(_ staying: Set<RecordKey>, by change: Change) throws -> Set<RecordKey> {
        var found: Set<RecordKey> = []
        for record in change.records where staying.contains(record.key) {
            guard let version = record.version, let old = try state.record(record.key) else { continue }
            let states = [old, RecordState(version)]
            let isDecided = states.contains { !info.schema.resolved(record.key, $0).conflicts.isEmpty }
            if !isDecided { found.insert(record.key) }
        }
        return found
    }

    /// Returns a summary of a changed record with its title; called before the change is applied.
    fileprivate func touched(_ changed: ChangedRecord, _ dot: Dot) throws -> SyncedChange.RecordChange {
        let rules = info.schema.record(in: changed.key.collection)
        let old = try state.record(changed.key)
        let shown = (changed.version.map { RecordState($0) } ?? old)
            .map { ResolvedRecord(changed.key, $0, rules).object }
        let name = RecordName(changed.key, title: info.title(changed.key, shown))
        let action = ChangeSummary.action(changed, dot)
        let owner = try owner(of: changed.key, shown)
        guard action == .changed, let version = changed.version else {
            return SyncedChange.RecordChange(name: name, action: action, members: [], owner: owner)
        }
        let written = version.cells.filter { cell in cell.writes.contains { $0.stamp.dot == dot } }
        let removed = old.map(version.membersLosingElements) ?? []
        let members = removed.union(written.flatMap(\.members)).filter { !$0.isEmpty }.sorted()
        // A report names what differs in a list. The earlier list is known where the change follows all versions.
        let isLater = old?.versions.allSatisfy { $0.stamp.dot != dot && version.hasSeen($0.stamp.dot) } ?? false
        let hasLists = isLater && members.contains { shown?[$0]?.array != nil }
        let before = hasLists ? old.map { ResolvedRecord(changed.key, $0, rules).object } : nil
        let values = members.map { name in
            let (earlier, new) = (before?[name], shown?[name])
            let isKnown = earlier?.array != nil && new?.array != nil && earlier != new
            return SyncedChange.MemberChange(
                name: name,
                old: isKnown ? earlier : nil,
                new: new,
                isOldKnown: isKnown,
                isDetail: rules.isDetail(name)
            )
        }
        return SyncedChange.RecordChange(name: name, action: action, members: members, values: values, owner: owner)
    }

    /// Returns the title of what a record without one belongs to.
    ///
    /// - Parameter others: Records that may be that, and are not there now.
    func owner(
        of key: RecordKey,
        _ object: JSONObject?,
        among others: [RecordKey: JSONObject] = [:]
    ) throws -> String? {
        guard let object, info.ownTitle(key, object) == nil else { return nil }
        let titles = try info.domain.owners(key, object).compactMap { owner -> String? in
            guard let record = try state.record(owner) else { return info.title(owner, others[owner]) }
            return info.title(owner, info.schema.resolved(owner, record).object)
        }
        return titles.isEmpty ? nil : titles.joined(separator: ", ")
    }
}

extension RecordRules {
    /// Tells whether a member only goes along with others of its group.
    func isDetail(_ name: String) -> Bool {
        guard let member = self[name], member.group != nil else { return false }
        return member.rule == .max || member.rule == .min
    }
}

extension Cell {
    /// The members whose values it holds: those of a group change together.
    var members: [String] {
        path.kind == .group ? writes.flatMap { $0.value?.object?.names ?? [] } : [path.field]
    }
}

/// The result of making a change of a store's differences.
enum MadeChange {
    /// The change, nil where nothing differs, and the records that were noted; new ones always are.
    case made(SyncedChange?, noted: Set<RecordKey>)
    /// Nothing was made: these new records are not plain, or no reader would accept the change.
    case notPlain(Set<RecordKey>)
}

/// A record of the store that nobody else ever had.
struct NewRecord {
    let key: RecordKey
    /// Its members that are sent.
    let object: JSONObject
}

/// The plain records of a change: their objects and their lines.
struct PlainChange {
    let lines: PlainLines
    private let records: [NewRecord]
    /// The records that are not plain.
    let others: Set<RecordKey>

    /// Makes lines of records.
    init(_ records: [NewRecord], _ schema: MergeSchema, _ stamp: Stamp) {
        let lines = PlainLines(schema, stamp)
        others = Set(records.filter { !lines.append($0.key, $0.object) }.map(\.key))
        self.lines = lines
        self.records = records
    }

    var count: Int { records.count }

    /// Calls `body` with each record and its line of the change, in the order of the keys.
    func forEach(_ body: (NewRecord, UnsafeRawBufferPointer) throws -> Void) rethrows {
        try lines.forEach { try body(records[$0], $1) }
    }
}

/// The summary of a change, record by record.
struct ChangeSummary {
    private let maker: SegmentMaker
    private let stamp: Stamp
    private let device: SyncDevice
    private var named: [SyncedChange.RecordChange] = []
    private var counts: [String: [SyncedChange.Action: Int]] = [:]
    /// The last records, with what was done to all of them alike; `counts` lacks them.
    private var last: (collection: String, action: SyncedChange.Action, count: Int)?

    /// The most records of a change that reports name.
    private static let mostNamed = 200

    init(_ maker: SegmentMaker, _ stamp: Stamp, _ device: SyncDevice) {
        self.maker = maker
        self.stamp = stamp
        self.device = device
    }

    /// Adds a record, before it is applied.
    mutating func add(_ record: ChangedRecord) throws {
        if named.count < Self.mostNamed { named.append(try maker.touched(record, stamp.dot)) }
        count(record.key.collection, Self.action(record, stamp.dot))
    }

    /// Adds a record that the change created.
    mutating func add(_ new: NewRecord, title: @autoclosure () -> String?) throws {
        if named.count < Self.mostNamed {
            let name = RecordName(new.key, title: title())
            let owner = try maker.owner(of: new.key, new.object)
            named.append(SyncedChange.RecordChange(name: name, action: .added, members: [], owner: owner))
        }
        count(new.key.collection, .added)
    }

    /// True if the next record is named, so that it has to be decoded.
    var namesMore: Bool { named.count < Self.mostNamed }

    /// Adds a record that is not named.
    mutating func count(_ collection: String, _ action: SyncedChange.Action) {
        if last?.action == action, last?.collection.hasSameScalars(as: collection) == true {
            last?.count += 1
        } else {
            counts = allCounts
            last = (collection, action, 1)
        }
    }

    private var allCounts: [String: [SyncedChange.Action: Int]] {
        var counts = counts
        if let last { counts[last.collection, default: [:]][last.action, default: 0] += last.count }
        return counts
    }

    /// The summary.
    var change: SyncedChange {
        let counts = allCounts
        let ordered = counts.sorted { $0.key < $1.key }.flatMap { collection, actions in
            SyncedChange.Action.allCases.compactMap { action in
                actions[action].map { SyncedChange.Count(collection: collection, action: action, count: $0) }
            }
        }
        return SyncedChange(
            device: device,
            dot: stamp.dot,
            milliseconds: stamp.clock.milliseconds,
            records: named,
            counts: ordered
        )
    }

    fileprivate static func action(_ record: ChangedRecord, _ dot: Dot) -> SyncedChange.Action {
        guard let version = record.version else { return .deleted }
        return version.origins.contains { $0.dot == dot } ? .added : .changed
    }
}

extension LineDecoder {
    /// Throws if no reader accepts the line of a changed record.
    fileprivate mutating func check(_ line: [UInt8]) throws {
        _ = try line.withUnsafeBytes { try changedRecord($0) }
    }
}
