import RecordMerge
import StrictJSON

/// What must come out, worked out by brute force from every write there ever was.
///
/// It knows no vectors, no dots and no joins: only sets of operations, each with the set of those that its author had
/// seen.
final class Oracle {
    /// What an operation did to a record.
    struct Touch {
        /// nil where the record was deleted.
        var cells: [String: [Int: JSONValue?]]?
        /// The operations on the record that its author had seen, through the versions that it replaced.
        var seen: Set<Int> = []
        /// The operations that the record was built up by, its own included, but for those that were deleted by somebody of
        /// whom its author knew.
        var lineage: Set<Int> = []
        /// What the person entered.
        var written: [String: JSONValue?] = [:]
        /// What was added to counters, and the operations whose sums it adds to.
        var added: [String: (number: Int, to: Set<Int>)] = [:]
        /// Elements of lists and sets that the person removed.
        var removed: Set<String> = []
    }

    struct Operation {
        let id: Int
        let past: Set<Int>
        let clock: HybridClock
        let writer: String
        var touches: [RecordKey: Touch] = [:]
    }

    private(set) var operations: [Operation] = []
    private var touching: [RecordKey: [Int]] = [:]
    let schema: MergeSchema

    init(_ schema: MergeSchema) { self.schema = schema }

    /// The operations that stand of a record: those that nobody has seen and replaced or deleted.
    func living(_ key: RecordKey, _ known: Set<Int>) -> [Int] {
        let all = (touching[key] ?? []).filter(known.contains)
        return all.filter { id in
            operations[id].touches[key]?.cells != nil && !all.contains { operations[$0].past.contains(id) }
        }
    }

    /// The values that stand at each place of a record, and the elements that stay though somebody removed them.
    func standing(_ key: RecordKey, _ known: Set<Int>) -> (cells: [String: [Int: JSONValue?]], revived: Set<String>) {
        let versions = living(key, known).compactMap { id in
            operations[id].touches[key].map { (touch: $0, cells: $0.cells ?? [:]) }
        }
        var all: [String: [Int: JSONValue?]] = [:]
        for version in versions {
            for (path, writes) in version.cells { all[path, default: [:]].merge(writes) { old, _ in old } }
        }
        func stays(_ path: String, _ id: Int, _ judges: [(touch: Touch, cells: [String: [Int: JSONValue?]])]) -> Bool {
            judges.allSatisfy { $0.cells[path]?.keys.contains(id) == true || !$0.touch.seen.contains(id) }
        }
        var living: Set<String> = []
        for (path, writes) in all {
            guard let item = Atoms.item(path) else { continue }
            if writes.keys.contains(where: { stays(path, $0, versions) }) { living.insert(item) }
        }
        var standing: [String: [Int: JSONValue?]] = [:]
        var revived: Set<String> = []
        for (path, writes) in all {
            var judges = versions
            if let item = Atoms.item(path) {
                guard living.contains(item) else { continue }
                judges = versions.filter { version in version.cells.keys.contains { Atoms.item($0) == item } }
                let others = versions.filter { version in !version.cells.keys.contains { Atoms.item($0) == item } }
                if writes.keys.contains(where: { id in others.contains { $0.touch.seen.contains(id) } }) {
                    revived.insert(item)
                }
            }
            let kept = writes.filter { stays(path, $0.key, judges) }
            if !kept.isEmpty { standing[path] = kept }
        }
        return (standing, revived)
    }

    /// The sum of a writer's operations on a counter; nil where a device cannot know what several have in common.
    func contribution(_ path: String, of key: RecordKey, _ ids: Set<Int>) -> Int? {
        var (sum, all): (Int, Set<Int>) = (0, [])
        var next = ids
        while let id = next.popFirst() {
            guard all.insert(id).inserted, let added = operations[id].touches[key]?.added[path] else { continue }
            sum += added.number
            next.formUnion(added.to)
        }
        return ids.count > 1 && all.count > 16 ? nil : sum
    }

    /// Whether a record was deleted by somebody who had not seen all of it.
    func isContested(_ key: RecordKey, _ known: Set<Int>) -> Bool {
        living(key, known).contains { id in
            let past = operations[id].past
            let lineage = operations[id].touches[key]?.lineage ?? []
            return deletions(key, known).contains { deletion in
                !past.contains(deletion) && !lineage.isDisjoint(with: operations[deletion].past)
            }
        }
    }

    /// The operations that deleted a record.
    private func deletions(_ key: RecordKey, _ known: Set<Int>) -> [Int] {
        (touching[key] ?? []).filter { known.contains($0) && operations[$0].touches[key]?.cells == nil }
    }

    /// Notes what a device did between two synchronisations.
    ///
    /// - Parameters:
    ///   - base: What the device was shown, all of it.
    ///   - ours: What its store holds.
    ///   - rules: The rules as the device knows them.
    /// - Returns: The operation's number, nil where it did nothing.
    func note(
        from base: RecordSet,
        to ours: RecordSet,
        past: Set<Int>,
        clock: HybridClock,
        writer: String,
        rules: MergeSchema
    ) -> Int? {
        var operation = Operation(id: operations.count, past: past, clock: clock, writer: writer)
        for (key, object) in ours.objects {
            let known = rules.record(in: key.collection)
            let full = schema.record(in: key.collection)
            if let touch = touch(key, base.objects[key], object, operation, known, full) {
                operation.touches[key] = touch
            }
        }
        for key in base.objects.keys where ours.objects[key] == nil && key != .document {
            operation.touches[key] = Touch(cells: nil)
        }
        guard !operation.touches.isEmpty else { return nil }
        append(operation)
        return operation.id
    }

    private func append(_ operation: Operation) {
        operations.append(operation)
        for key in operation.touches.keys { touching[key, default: []].append(operation.id) }
    }

    /// Adds records that were only moved, which a naive comparison cannot tell from those that made room.
    func noteMoves(_ id: Int?, past: Set<Int>, clock: HybridClock, writer: String, moved: [RecordKey]) -> Int? {
        var operation: Operation
        if let id {
            operation = operations[id]
        } else {
            operation = Operation(id: operations.count, past: past, clock: clock, writer: writer)
        }
        for key in moved where operation.touches[key] == nil {
            operation.touches[key] = version(key, operation, standing(key, past).cells)
        }
        guard !operation.touches.isEmpty else { return nil }
        if id == nil {
            append(operation)
        } else {
            for key in operation.touches.keys where operations[operation.id].touches[key] == nil {
                touching[key, default: []].append(operation.id)
            }
            operations[operation.id] = operation
        }
        return operation.id
    }

    private func version(_ key: RecordKey, _ operation: Operation, _ cells: [String: [Int: JSONValue?]]) -> Touch {
        var touch = Touch(cells: cells)
        (touch.seen, touch.lineage) = ancestry(key, operation)
        return touch
    }

    /// What the author of an operation had seen of a record, and what it builds on that nobody had deleted.
    func ancestry(_ key: RecordKey, _ operation: Operation) -> (seen: Set<Int>, lineage: Set<Int>) {
        var seen: Set<Int> = [operation.id]
        var lineage: Set<Int> = [operation.id]
        for id in living(key, operation.past) {
            guard let other = operations[id].touches[key] else { continue }
            seen.formUnion(other.seen)
            lineage.formUnion(other.lineage)
        }
        for deletion in deletions(key, operation.past) { lineage.subtract(operations[deletion].past) }
        // Each writer has seen all of its own, in an earlier life of the record too.
        for id in (touching[key] ?? []) where !seen.contains(id) {
            let isOwn = seen.contains { other in
                let (writer, past) =
                    other == operation.id
                    ? (operation.writer, operation.past) : (operations[other].writer, operations[other].past)
                return writer == operations[id].writer && past.contains(id)
            }
            if isOwn { seen.insert(id) }
        }
        return (seen, lineage)
    }
}
