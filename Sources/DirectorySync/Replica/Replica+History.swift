public import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

extension Replica {
    /// Returns the changes of all devices, the latest first, as far as the folder's files reach back.
    ///
    /// - Parameters:
    ///   - limit: The most changes to return.
    ///   - record: The record whose changes to return; nil for all.
    ///   - isAlone: Whether only that record of each change is summarized.
    /// - Throws: ``SyncError`` where the replica's own file cannot be used; `DirectoryError` where the folder cannot be
    ///   listed.
    public func log(
        limit: Int,
        record: (collection: String, key: String)? = nil,
        isAlone: Bool = false
    ) throws -> [SyncedChange] {
        try withState { state in
            let session = SyncSession(self, state)
            var sources = try SegmentSources(self, state)
            var found: [SyncedChange] = []
            let key = record.map { RecordKey($0.collection, $0.key) }
            var earlier = EarlierMembers(session.writer, info, asked: key)
            var extra = 0
            let all = try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC")
            let segments = try inOrder(all, &sources, state)
            earlier.expect(segments)
            for segment in segments {
                earlier.pass(segment.dot)
                // Read on behind the last returned change, for the earlier values of its members.
                if found.count >= limit { extra += 1 }
                guard found.count < limit || !earlier.isDone && extra <= EarlierMembers.most else { break }
                guard let bytes = try sources.bytes(of: segment) else { continue }
                let isListed = found.count < limit
                let change =
                    try isAlone
                    ? part(of: bytes, key)
                    : isListed
                        ? directory.coder.decode(bytes).change : outline(of: bytes, segment, nil, earlier.heads).change
                earlier.take(change, segment.dot, into: &found)
                guard isListed else { continue }
                if let key { guard change.records.contains(where: { $0.key == key }) else { continue } }
                found.append(try session.writer.summary(of: change, segment.device))
                earlier.wait(for: change, of: found, at: found.count - 1)
            }
            earlier.end(&found)
            var titles = KnownTitles()
            for index in found.indices { try addTitles(to: &found[index], state, &titles) }
            return found
        }
    }

    /// Returns changes in the order in which a log lists them: by their clocks, the latest first.
    ///
    /// Puts a change that is dated days after now right behind those that its author had seen: nobody knows its time.
    private func inOrder(
        _ segments: [KnownSegment],
        _ sources: inout SegmentSources,
        _ state: ReplicaState
    ) throws -> [KnownSegment] {
        let latest = ReplicaState.latest(environment.now())
        let ahead = segments.filter { $0.clock > latest }
        guard !ahead.isEmpty else { return segments }
        var clocks: [String: HybridClock] = [:]
        func clock(_ segment: KnownSegment) -> HybridClock { clocks[segment.hash] ?? segment.clock }
        let known = Dictionary(grouping: segments) { $0.sequence }
        for segment in ahead.sorted(by: { ($0.clock, $0.dot) < ($1.clock, $1.dot) }) {
            let header = try sources.bytes(of: segment).flatMap { try? directory.coder.header(of: $0) }
            let seen = (header?.heads ?? []).compactMap { head in
                known[head.dot.sequence]?.first { head.names($0.hash) }.map(clock)
            }
            let last = seen.filter { $0 <= latest }.max()?.bits ?? 0
            clocks[segment.hash] = HybridClock(bits: last + 1)
        }
        return segments.sorted {
            (clock($1), $0.writer, $1.sequence) < (clock($0), $1.writer, $0.sequence)
        }
    }

    /// Returns a change with one of its records, or with none where it lacks that.
    private func part(of bytes: [UInt8], _ key: RecordKey?) throws -> Change {
        let found = try directory.coder.records(Set([key].compactMap(\.self)), in: bytes)
        return Change(found.header.stamp, base: found.header.base, records: Array(found.records.values))
    }

    /// Returns a part of the changes of all devices, the latest first, as far as the folder's files reach back.
    ///
    /// - Parameters:
    ///   - rows: The changes by their numbers, from 0 on, among those of ``moments(during:)``.
    ///   - time: The time of the changes, in milliseconds since 1970.
    ///   - most: After so many records that were decoded no further change is read.
    /// - Throws: ``SyncError`` where the replica's own file cannot be used; `DirectoryError` where the folder cannot be
    ///   listed.
    public func log(
        _ rows: Range<Int>,
        during time: ClosedRange<Int>,
        mostRecords most: Int = .max
    ) throws -> [SyncedChange] {
        try withState { state in
            let session = SyncSession(self, state)
            var sources = try SegmentSources(self, state)
            var found: [SyncedChange] = []
            var earlier = EarlierMembers(session.writer, info)
            // Behind the last returned change the earlier values of its members are looked for.
            let segments = try state.segments(
                """
                WHERE state = 1 AND clock <= ? ORDER BY clock DESC, writer, sequence DESC
                LIMIT \(rows.count + EarlierMembers.most) OFFSET \(max(0, rows.lowerBound))
                """,
                [Int64(clamping: HybridClock(milliseconds: time.upperBound).bits | 0xFFFF)]
            )
            var read = 0
            earlier.expect(segments)
            for (index, segment) in segments.enumerated() where read < most {
                earlier.pass(segment.dot)
                let isMeant = index < rows.count && segment.clock.milliseconds >= time.lowerBound
                guard isMeant || !earlier.isDone else { break }
                guard let bytes = try sources.bytes(of: segment) else { continue }
                let (change, summary) = try outline(of: bytes, segment, isMeant ? session.writer : nil, earlier.heads)
                read += change.records.count
                earlier.take(change, segment.dot, into: &found)
                guard let summary else { continue }
                found.append(summary)
                earlier.wait(for: change, of: found, at: found.count - 1)
            }
            earlier.end(&found)
            var titles = KnownTitles()
            for index in found.indices { try addTitles(to: &found[index], state, &titles) }
            return found
        }
    }

    /// Reads of a change what its summary names, and the records that later changes wait for; all others are counted.
    ///
    /// - Parameters:
    ///   - writer: Makes the summary; nil for none.
    ///   - heads: What the lines of the records begin with that are waited for.
    private func outline(
        of bytes: [UInt8],
        _ segment: KnownSegment,
        _ writer: SegmentMaker?,
        _ heads: Set<[UInt8]>
    ) throws -> (change: Change, summary: SyncedChange?) {
        var header: SegmentHeader?
        var summary: ChangeSummary?
        var records: [ChangedRecord] = []
        try directory.coder.read(bytes) { found in
            header = found
            summary = writer.map { ChangeSummary($0, found.stamp, segment.device) }
        } isMeant: { line in
            if summary?.namesMore == true { return true }
            if !heads.isEmpty, LineOutline.head(of: line).map(heads.contains) ?? true { return true }
            guard summary != nil else { return false }
            guard let author = header?.writer, let found = LineOutline.action(of: line, by: author) else { return true }
            summary?.count(found.collection, found.action)
            return false
        } record: { record in
            try summary?.add(record)
            records.append(record)
        }
        guard let header else { throw SegmentError.corrupt(1, "found no end of the line") }
        return (Change(header.stamp, base: header.base, records: records), summary?.change)
    }

    /// Returns the times of the changes of all devices, in milliseconds since 1970, the latest first.
    ///
    /// - Parameter time: The time of the changes; nil for all.
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func moments(during time: ClosedRange<Int>? = nil) throws -> [Int] {
        try withState { state in
            let moments = try state.moments()
            guard let time else { return moments }
            return moments.filter(time.contains)
        }
    }

    /// Returns a part of the records that exist, by collection and key.
    ///
    /// - Parameters:
    ///   - rows: The records by their numbers, from 0 on, among those that are meant.
    ///   - words: ASCII words that the record has in this order, whatever its case and what is between them.
    ///   - isMeant: Returns whether a record with these words is meant.
    /// - Returns: The records, how many there are as far as was looked, and whether that is all of them.
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func records(
        _ rows: Range<Int>,
        having words: [String] = [],
        _ isMeant: ((RecordName) -> Bool)? = nil
    ) throws -> (names: [RecordName], count: Int, isAll: Bool) {
        try withState { state in
            if isMeant == nil, words.isEmpty {
                return (try state.keys(rows).map { try name($0, state) }, try state.recordCount(), true)
            }
            let keys = try state.keys(having: words)
            guard let isMeant else {
                return (try keys[rows.clamped(to: keys.indices)].map { try name($0, state) }, keys.count, true)
            }
            var names: [RecordName] = []
            var count = 0
            for key in keys {
                let name = try name(key, state)
                guard isMeant(name) else { continue }
                // One more than asked for tells that there are more.
                guard count < rows.upperBound else { return (names, count + 1, false) }
                if rows.contains(count) { names.append(name) }
                count += 1
            }
            return (names, count, true)
        }
    }

    /// Returns the name of a record that exists; nil for any other.
    ///
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func name(of key: RecordKey) throws -> RecordName? {
        try withState { state in try state.held(key)?.record == nil ? nil : name(key, state) }
    }

    func name(_ key: RecordKey, _ state: ReplicaState) throws -> RecordName {
        let rules = info.schema.record(in: key.collection)
        let object = try state.held(key)?.record.map { ResolvedRecord(key, $0, rules).object }
        return RecordName(key, title: info.title(key, object))
    }

    /// Returns whether a record of that name exists here, or on other devices only.
    ///
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func knows(collection: String, key: String) throws -> Bool {
        try withState { try $0.held(RecordKey(collection, key)) != nil }
    }

    /// Returns the app's document at a moment, by the clocks of the devices.
    ///
    /// - Throws: `sync.history` where the folder's files do not reach back that far.
    public func document(at milliseconds: Int) throws -> JSONValue {
        try withState { state in
            info.schema.document(of: try shown(at: milliseconds, state).records)
        }
    }

    /// Returns the resolved records at a moment.
    func shown(at milliseconds: Int, _ state: ReplicaState) throws -> ResolvedSet {
        try ResolvedSet(past(at: milliseconds, state), info.schema, info.domain, beside: state.keptHere())
    }

    /// Returns the state at a moment.
    func past(
        at milliseconds: Int,
        _ state: ReplicaState,
        schema note: (Int) -> Void = { _ in }
    ) throws -> MergeState {
        var past = MergeState()
        var sources = try SegmentSources(self, state)
        let listing = sources.listing
        var headers: [(ListedFile, CheckpointHeader)] = []
        for file in listing.checkpoints {
            guard let header = try? directory.checkpointHeader(of: file), header.segment.app == store.app,
                header.segment.space == space, header.segment.clock.milliseconds <= milliseconds
            else { continue }
            headers.append((file, header))
        }
        for (file, header) in headers.sorted(by: { $0.1.segment.clock > $1.1.segment.clock }) {
            // An unusable checkpoint counts as missing.
            guard let found = try? read(file, header) else { continue }
            past = found
            note(header.segment.schema)
            break
        }
        let session = SyncSession(self, state)
        let applied = try state.segments("WHERE state = 1 ORDER BY clock, writer, sequence")
        var waiting = applied.filter { $0.clock.milliseconds <= milliseconds && !past.seen.covers($0.dot) }
        waiting += try datedAhead(of: milliseconds, among: applied, &sources, session)
            .filter { !past.seen.covers($0.dot) }
        var taken = Set(waiting.map(\.hash))
        var asked: [WriterID: Int] = [:]
        var hasProgress = true
        while hasProgress {
            hasProgress = false
            var left: [KnownSegment] = []
            for segment in waiting {
                guard let bytes = try sources.bytes(of: segment) else {
                    left.append(segment)
                    continue
                }
                let read = try directory.coder.decode(bytes)
                var whole = segment
                whole.heads = read.header.heads
                let change = try session.renames(for: whole)?.reduce(read.change) { $0.renamed($1) }
                let missing = change?.missing(in: past.seen)
                guard let change, missing == nil else {
                    left.append(segment)
                    // Take what the change builds on: its author knew it, and only a wrong clock dates it later.
                    guard let missing, let last = change?.base[missing.writer],
                        missing.sequence > asked[missing.writer] ?? 0
                    else { continue }
                    asked[missing.writer] = last
                    let before = try state.segments(
                        "WHERE branch = ? AND sequence BETWEEN ? AND ? AND state = 1 ORDER BY sequence",
                        [missing.writer.description, missing.sequence, last]
                    ).filter { $0.clock.milliseconds > milliseconds && taken.insert($0.hash).inserted }
                    left += before
                    hasProgress = hasProgress || !before.isEmpty
                    continue
                }
                try past.apply(change)
                note(read.header.schema)
                hasProgress = true
            }
            waiting = left
        }
        guard waiting.isEmpty else {
            let first = waiting[0]
            let message =
                "the folder's files do not reach back to \(Moments.text(milliseconds)): the change \(first.sequence) of "
                + "\(first.device.name) is only in later checkpoints"
            throw history(message, start: try historyStart(after: milliseconds, listing, state, readsChanges: false))
        }
        guard !past.seen.isEmpty else {
            let message = "nothing is known of \(Moments.text(milliseconds)): it is before the first change"
            throw history(message, start: try historyStart(after: milliseconds, listing, state, readsChanges: true))
        }
        return past
    }

    /// Returns the changes dated after a moment that the author of a change right behind it had seen.
    ///
    /// A restore and a decision name the moment before them, by which they are taken back.
    private func datedAhead(
        of milliseconds: Int,
        among applied: [KnownSegment],
        _ sources: inout SegmentSources,
        _ session: SyncSession
    ) throws -> [KnownSegment] {
        let (end, isOverflow) = milliseconds.addingReportingOverflow(SyncSession.undoRoom)
        let later = applied.filter { $0.clock.milliseconds > end }
        guard !isOverflow, !later.isEmpty else { return [] }
        var base = VersionVector()
        for var segment in applied
        where segment.clock.milliseconds > milliseconds && segment.clock.milliseconds <= end {
            guard let bytes = try sources.bytes(of: segment) else { continue }
            let header = try directory.coder.header(of: bytes)
            segment.heads = header.heads
            let change = Change(header.stamp, base: header.base, records: [])
            guard let renamed = try session.renames(for: segment)?.reduce(change, { $0.renamed($1) }) else { continue }
            base.formUnion(renamed.base)
        }
        return later.filter { base.covers($0.dot) }
    }

    private func history(_ message: String, start: Int?) -> SyncError {
        var error = SyncError(.history, message, path: folder)
        error.historyStart = start
        return error
    }

    /// Returns the time of the first checkpoint after a moment, or of the first change; nil where there is none.
    private func historyStart(
        after milliseconds: Int,
        _ listing: DirectoryListing,
        _ state: ReplicaState,
        readsChanges: Bool
    ) throws -> Int? {
        var moments: [Int] = []
        for file in listing.checkpoints {
            guard let header = try? directory.checkpointHeader(of: file), header.segment.app == store.app,
                header.segment.space == space
            else { continue }
            moments.append(header.segment.clock.milliseconds)
        }
        if readsChanges {
            let first = try state.segments("WHERE state = 1 ORDER BY clock LIMIT 1").first
            moments += [first?.clock.milliseconds].compactMap(\.self)
        }
        return moments.filter { $0 > milliseconds }.min()
    }

    private func read(_ file: ListedFile, _ header: CheckpointHeader) throws -> MergeState {
        var state = MergeState()
        try directory.readState(of: file) { key, record, _ in state.setRecord(key, record) }
        state.seen = header.segment.base
        return state
    }
}

extension SyncedChange {
    /// Replaces a record by one with another action, and counts it so.
    fileprivate mutating func replace(_ index: Int, with record: RecordChange) {
        let old = records[index].action
        var numbers = Dictionary(
            uniqueKeysWithValues: Action.allCases.map { action in
                (action, counts.first { $0.collection == record.name.collection && $0.action == action }?.count ?? 0)
            }
        )
        numbers[old, default: 1] -= 1
        numbers[record.action, default: 0] += 1
        let own = Action.allCases.compactMap { action in
            numbers[action].flatMap { count in
                count > 0 ? Count(collection: record.name.collection, action: action, count: count) : nil
            }
        }
        let place = counts.firstIndex { $0.collection == record.name.collection } ?? 0
        var all = counts.filter { $0.collection != record.name.collection }
        all.insert(contentsOf: own, at: min(place, all.count))
        var records = records
        records[index] = record
        self = SyncedChange(device: device, dot: dot, milliseconds: milliseconds, records: records, counts: all)
    }

    /// Leaves out changed records and no longer counts them, unless there are no others, or others that are not named.
    fileprivate mutating func leaveOut(_ indices: Set<Int>) {
        guard indices.count < recordCount, records.count == recordCount else { return }
        let collections = indices.map { records[$0].name.collection }
        let counts = counts.compactMap { count -> Count? in
            let left = count.action == .changed ? collections.count { $0 == count.collection } : 0
            let number = count.count - left
            return number > 0 ? Count(collection: count.collection, action: count.action, count: number) : nil
        }
        let rest = records.indices.filter { !indices.contains($0) }.map { records[$0] }
        self = SyncedChange(device: device, dot: dot, milliseconds: milliseconds, records: rest, counts: counts)
    }
}

extension SyncedChange.RecordChange {
    /// The same record as one of which nothing was written but that it stays.
    fileprivate var kept: Self { Self(name: name, action: .kept, members: [], owner: owner) }

    /// True if a change deletes a record and names only its key.
    var isNameless: Bool { action == .deleted && name.title == nil }

    /// Adds members that the change did not write, with their values.
    fileprivate mutating func add(_ names: Set<String>, of object: JSONObject, _ rules: RecordRules) {
        values += names.subtracting(members).map { name in
            let isDetail = rules.isDetail(name)
            return SyncedChange.MemberChange(
                name: name,
                old: nil,
                new: object[name],
                isOldKnown: false,
                isDetail: isDetail
            )
        }
        values.sort { $0.name < $1.name }
        members = values.map(\.name)
    }

    /// Sets what the members were, and the values against which the change decided.
    ///
    /// The old value of a fact with several values stays unknown: the domain computed it from other records.
    ///
    /// - Parameter isWhole: Whether all versions that the change replaced are in `shown`.
    fileprivate mutating func setOld(_ shown: ResolvedRecord, _ rules: RecordRules, isWhole: Bool) {
        for index in values.indices {
            let (name, new) = (values[index].name, values[index].new)
            let isOpen = rules[name]?.rule == .fact && (!isWhole || !shown.authoredValues(name).isEmpty)
            values[index].old = isOpen ? nil : shown.object[name]
            values[index].isOldKnown = !isOpen
            let others = shown.conflicts.flatMap { conflict -> [JSONValue?] in
                guard conflict.kind == .value, let cell = conflict.cell, conflict.path.count == 1 else { return [] }
                guard cell.kind == .group else { return cell.field == name ? conflict.others.map(\.value) : [] }
                let groups = [conflict.shown?.object] + conflict.others.map { $0.value?.object }
                let isMember = rules[name]?.group == cell.field || groups.contains { $0?[name] != nil }
                return !isMember ? [] : groups.dropFirst().map { $0?[name] }
            }
            var losing: [JSONValue] = []
            for value in others where value != new && value != values[index].old && !losing.contains(value ?? .null) {
                losing.append(value ?? .null)
            }
            values[index].losing = losing
        }
    }

    /// Leaves out the members of a group that stayed what they were.
    fileprivate mutating func leaveOutUnchanged() {
        let changed = values.filter { !$0.isUnchanged }
        guard !changed.isEmpty, changed.count < values.count else { return }
        values = changed
        members = changed.map(\.name)
    }
}

extension SyncedChange.MemberChange {
    /// True if the member is known to have stayed what it was, and there was nothing to decide.
    fileprivate var isUnchanged: Bool { isOldKnown && old == new && losing.isEmpty }
}

/// Finds the earlier values of members and the titles of deleted records, while it reads the past backwards.
private struct EarlierMembers {
    /// The most changes to read only for that.
    static let most = 1_000

    /// A record of a change, and the changes that its author had seen.
    private struct Wait {
        let change: Int
        let record: Int
        /// With those that the deletions had seen which were found since, of an added record.
        var base: VersionVector
        /// The record as a change that knew of no other one added it; nil for any other.
        var added: JSONObject?
        /// The record as the change left it; nil for one that it added or deleted.
        var version: RecordVersion?
        /// The changes of the record that its author had seen; none for a deleted one.
        var seen = VersionVector()
        /// The versions that the change replaced, as far as they are found; several where it decided a conflict.
        var versions: [RecordVersion] = []

        /// Tells whether an older change of the record is what it was before, or one of several.
        ///
        /// A version that another device deleted meanwhile is none of them.
        func follows(_ dot: Dot) -> Bool {
            // An author who had seen a former record of that key added another one.
            if added != nil { return !base.covers(dot) }
            let isSeen = seen.isEmpty ? base.covers(dot) : seen.covers(dot)
            return isSeen && !versions.contains { $0.hasSeen(dot) }
        }

        /// True if a change that wrote nothing only kept what somebody had deleted without having seen it, and took
        /// nothing away.
        ///
        /// A version that was kept so becomes an origin.
        var isKept: Bool {
            guard let version, isWhole, RecordState(versions)?.remainingCells == version.cells else { return false }
            return versions.contains { old in
                let dot = old.stamp.dot
                return version.origins.contains { $0.dot == dot } && !old.origins.contains { $0.dot == dot }
            }
        }

        /// True if all versions are found.
        var isWhole: Bool { seen.entries.allSatisfy { dot in versions.contains { $0.hasSeen(dot) } } }
    }

    let info: ReplicaApp
    private let writer: SegmentMaker
    /// The record whose changes are asked for, which is never left out; nil for all.
    private let asked: RecordKey?
    private var waiting: [RecordKey: [Wait]] = [:]
    /// The beginnings of the lines of the records that are waited for.
    private(set) var heads: Set<[UInt8]> = []
    /// The changes that are not read yet: their numbers by writer, the latest last.
    private var unread: [WriterID: [Int]] = [:]
    /// How many of them the author of a change had not seen that added records, by the change's number.
    private var unseen: [Int: (base: VersionVector, count: Int, keys: [RecordKey])] = [:]
    /// The records by the numbers of their changes that were written again and stayed what they were.
    private var unchanged: [Int: Set<Int>] = [:]

    init(_ writer: SegmentMaker, _ info: ReplicaApp, asked: RecordKey? = nil) {
        (self.writer, self.info, self.asked) = (writer, info, asked)
    }

    var isDone: Bool { waiting.isEmpty }

    /// Notes the changes that are read next, the latest first.
    mutating func expect(_ segments: [KnownSegment]) {
        for segment in segments.reversed() { unread[segment.dot.writer, default: []].append(segment.dot.sequence) }
    }

    /// Notes that a change is read now, or has no file; records that were added wait no longer than others may come.
    mutating func pass(_ dot: Dot) {
        if let index = unread[dot.writer]?.lastIndex(of: dot.sequence) { unread[dot.writer]?.remove(at: index) }
        for (change, (base, count, keys)) in unseen where count == 0 || !base.covers(dot) {
            unseen[change] = count == 0 ? nil : (base, count - 1, keys)
            guard count == 0 else { continue }
            for key in keys { keep((waiting[key] ?? []).filter { $0.change != change || $0.added == nil }, for: key) }
        }
    }

    /// Returns the number of the changes not read yet that an author had not seen.
    private func unseenCount(_ base: VersionVector) -> Int {
        unread.reduce(0) { count, changes in
            let seen = changes.value.lastIndex { base.covers(Dot(changes.key, $0)) }.map { $0 + 1 } ?? 0
            return count + changes.value.count - seen
        }
    }

    private mutating func keep(_ waits: [Wait], for key: RecordKey) {
        waiting[key] = waits.isEmpty ? nil : waits
        if waits.isEmpty, let head = LineOutline.head(of: key) { heads.remove(head) }
    }

    /// Waits for the earlier version of each record of a change.
    mutating func wait(for change: Change, of found: [SyncedChange], at index: Int) {
        let named = Set(found[index].records.map { RecordKey($0.name.collection, $0.name.key) })
        let versions = Dictionary(
            change.records.filter { named.contains($0.key) }.map { ($0.key, $0.version) },
            uniquingKeysWith: { first, _ in first }
        )
        let others = found[index].records.contains { $0.action == .added } ? unseenCount(change.base) : 0
        var added: [RecordKey] = []
        for (number, touched) in found[index].records.enumerated() {
            let key = RecordKey(touched.name.collection, touched.name.key)
            let version = versions[key] ?? nil
            var wait = Wait(change: index, record: number, base: change.base)
            if touched.action == .added {
                // Another device may have had it: that of a phone's first export may be such a one.
                guard others > 0, let version else { continue }
                wait.added = info.schema.resolved(key, RecordState(version)).object
                added.append(key)
            } else if let version {
                (wait.seen, wait.version) = (version.seen, version)
            } else if !touched.isNameless {
                continue
            }
            waiting[key, default: []].append(wait)
            if let head = LineOutline.head(of: key) { heads.insert(head) }
        }
        if !added.isEmpty { unseen[index] = (change.base, others, added) }
    }

    /// Returns what a record that was known became by a change that added it anew; nil where nothing is different.
    private func changed(
        _ touched: SyncedChange.RecordChange,
        from old: JSONObject,
        to new: JSONObject
    ) -> SyncedChange.RecordChange? {
        let rules = info.schema.record(in: touched.name.collection)
        let names = Set(old.names + new.names).filter { old[$0] != new[$0] }.sorted()
        guard !names.isEmpty else { return nil }
        let values = names.map { name in
            SyncedChange.MemberChange(
                name: name,
                old: old[name],
                new: new[name],
                isOldKnown: true,
                isDetail: rules.isDetail(name)
            )
        }
        return SyncedChange.RecordChange(
            name: touched.name,
            action: .changed,
            members: names,
            values: values,
            owner: touched.owner
        )
    }

    /// Reads the records of an older change, which are the earlier values of later changes that had seen them.
    mutating func take(_ change: Change, _ dot: Dot, into found: inout [SyncedChange]) {
        guard !waiting.isEmpty else { return }
        for record in change.records {
            guard let waits = waiting[record.key] else { continue }
            guard let version = record.version else {
                // The deletion ended all versions that its author had seen. Another device may have kept others.
                let left = waits.compactMap { wait -> Wait? in
                    guard wait.added != nil, wait.follows(dot) else { return wait }
                    var wait = wait
                    wait.base.formUnion(change.base)
                    return unseenCount(wait.base) == 0 ? nil : wait
                }
                keep(left, for: record.key)
                continue
            }
            var (met, left) = (waits.filter { $0.follows(dot) }, waits.filter { !$0.follows(dot) })
            guard !met.isEmpty else { continue }
            let rules = info.schema.record(in: record.key.collection)
            let object = ResolvedRecord(record.key, RecordState(version), rules).object
            for index in met.indices {
                met[index].versions.append(version)
                let wait = met[index]
                let touched = found[wait.change].records[wait.record]
                if let added = wait.added {
                    guard let record = changed(touched, from: object, to: added) else { continue }
                    found[wait.change].replace(wait.record, with: record)
                    continue
                }
                // Only all versions before tell what the change took out of a list.
                if let version = wait.version, wait.isWhole, let before = RecordState(wait.versions) {
                    let names = version.membersLosingElements(of: before)
                    if !names.isSubset(of: touched.members) {
                        let now = ResolvedRecord(record.key, RecordState(version), rules).object
                        found[wait.change].records[wait.record].add(names, of: now, rules)
                    }
                }
                if wait.version != nil, found[wait.change].records[wait.record].values.isEmpty {
                    if wait.isKept { found[wait.change].replace(wait.record, with: touched.kept) }
                    if !wait.isWhole { left.append(wait) }
                    continue
                }
                if touched.isNameless {
                    let name = RecordName(record.key, title: info.title(record.key, object))
                    let owner = try? writer.owner(of: record.key, object)
                    found[wait.change].records[wait.record] =
                        SyncedChange.RecordChange(name: name, action: .deleted, members: [], owner: owner)
                }
                if !wait.isWhole { left.append(wait) }
                // The first version that is found stands for all until the last is found.
                guard wait.isWhole || wait.versions.count == 1, let before = RecordState(wait.versions)
                else { continue }
                let shown = ResolvedRecord(record.key, before, rules)
                found[wait.change].records[wait.record].setOld(shown, rules, isWhole: wait.isWhole)
                guard wait.isWhole else { continue }
                found[wait.change].records[wait.record].leaveOutUnchanged()
                let values = found[wait.change].records[wait.record].values
                if touched.action == .changed, record.key != asked, shown.conflicts.isEmpty,
                    values.allSatisfy(\.isUnchanged)
                {
                    unchanged[wait.change, default: []].insert(wait.record)
                }
            }
            keep(left, for: record.key)
        }
    }

    /// Leaves out of the changes what stayed what it was, such as facts that were written again.
    func end(_ found: inout [SyncedChange]) {
        for wait in waiting.values.joined() where !wait.versions.isEmpty {
            found[wait.change].records[wait.record].leaveOutUnchanged()
        }
        for (change, records) in unchanged { found[change].leaveOut(records) }
    }
}

/// Finds the bytes of applied segments: in the outbox, as files, or in packs.
struct SegmentSources {
    let listing: DirectoryListing
    private let replica: Replica
    private let state: ReplicaState
    private var files: [String: ListedFile] = [:]
    private var packed: [String: [UInt8]] = [:]
    private var unread: [ListedFile]

    init(_ replica: Replica, _ state: ReplicaState) throws {
        self.init(replica, state, try replica.directory.listing())
    }

    init(_ replica: Replica, _ state: ReplicaState, _ listing: DirectoryListing) {
        self.replica = replica
        self.state = state
        self.listing = listing
        unread = listing.packs
        for file in listing.segments { files[file.hash] = file }
    }

    /// Returns the bytes of a segment; nil where they are gone.
    mutating func bytes(of segment: KnownSegment) throws -> [UInt8]? {
        if let bytes = try state.bytes(of: segment) { return bytes }
        if let file = files[segment.hash], let bytes = try? replica.directory.read(file) { return bytes }
        if let bytes = packed[segment.hash] { return bytes }
        for pack in unread where pack.writer == segment.writer && (pack.sequence...pack.last).contains(segment.sequence)
        {
            unread.removeAll { $0 == pack }
            for one in (try? replica.directory.segments(of: pack)) ?? [] { packed[one.hash] = one.bytes }
        }
        return packed[segment.hash]
    }
}
