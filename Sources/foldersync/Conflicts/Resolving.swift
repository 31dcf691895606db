internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// Decides conflicts of a store.
struct Resolving {
    /// The results for the conflicts.
    struct Result {
        /// Conflicts that were decided.
        var decided: [(conflict: ConflictReport, value: ConflictDecision.Value)] = []
        /// Conflicts that were meant and stand still, as they have no such choice or nobody chose.
        var left: [ConflictReport] = []
        /// Conflicts that an edit of the store decided since the last synchronisation.
        var overtaken: [ConflictReport] = []
        /// Conflicts in which other values stand by now than those that were chosen from.
        var changed: [ConflictReport] = []
        /// Conflicts that cannot be decided so, with the reasons.
        var refused: [(conflict: ConflictReport, reason: String)] = []
        /// The synchronisation in which that was published; nil where nothing was decided.
        var sync: SyncReport?
    }

    let replica: Replica
    let filter: ConflictFilter
    /// Reads the values that a person types.
    let typed: TypedValue
    /// The words for values.
    let words: ValueWords
    /// The identifier of this device.
    let this: String
    /// True if nothing is decided.
    let isDryRun: Bool
    /// The notes of decisions, for the page that lists them.
    let notes: DecisionNotes

    /// - Parameters:
    ///   - taking: What to take of each; nil where it is asked.
    ///   - isAll: Whether more than one may be decided without being named.
    func run(_ taking: Taking?, _ asker: ConflictAsker?, isAll: Bool) throws -> Result {
        let conflicts = try (filter.key.map(replica.conflicts(of:)) ?? replica.conflicts()).filter(filter.includes)
        if taking != nil, !isAll { try checkSingle(conflicts) }
        var result = Result()
        var decisions: [ConflictDecision] = []
        var removed: Set<RecordName> = []
        var skipped: [RecordConflict] = []
        for (index, conflict) in conflicts.enumerated() {
            // Of a record that goes there is nothing more to decide.
            guard !removed.contains(conflict.name) else {
                skipped.append(conflict)
                continue
            }
            // A person who answers one question after the other answers each once.
            guard asker == nil || !result.decided.contains(where: { Self.asksSame($0.conflict.conflict, conflict) })
            else { continue }
            let report = ConflictReport(conflict, words)
            var value = try taking.flatMap { try decision($0, conflict) }
            if let asker {
                guard asker.isOpen else {
                    result.left.append(report)
                    continue
                }
                value = try asker.ask(report, typed, number: index + 1, of: conflicts.count, this: this)
            }
            guard let value else {
                result.left.append(report)
                continue
            }
            if value == .removed, conflict.path.isEmpty { removed.insert(conflict.name) }
            let key = RecordKey(conflict.name.collection, conflict.name.key)
            decisions.append(ConflictDecision(key: key, path: conflict.path, value: value, seen: conflict.choices))
            result.decided.append((report, value))
        }
        // A page decides what it shows.
        if filter.fingerprint == nil, filter.fingerprints == nil {
            for (conflict, value) in try sameQuestions(result.decided) {
                let key = RecordKey(conflict.name.collection, conflict.name.key)
                decisions.append(ConflictDecision(key: key, path: conflict.path, value: value, seen: conflict.choices))
                result.decided.append((ConflictReport(conflict, words), value))
            }
        }
        if !decisions.isEmpty { try settle(decisions, &result) }
        // Where an edit overtook that it goes, the record stays, and so does what else is contested in it.
        let staying = Set((result.overtaken + result.changed + result.refused.map(\.conflict)).map(\.conflict.name))
        result.left += skipped.filter { staying.contains($0.name) }.map { ConflictReport($0, words) }
        return result
    }

    /// Returns the decision that the person asked for; nil if the conflict has no such choice.
    ///
    /// - Throws: 64 where the member cannot have the value that was typed.
    private func decision(
        _ taking: Taking,
        _ conflict: RecordConflict
    ) throws(CommandFailure) -> ConflictDecision.Value? {
        do throws(TypedValue.Fault) {
            if case .typed(let text) = taking {
                return conflict.kind == .value ? .value(try typed.read(text, for: conflict)) : nil
            }
            let decision = taking.decision(of: conflict, this: this)
            if case .value(let value) = decision { try typed.check(value, for: conflict) }
            return decision
        } catch {
            throw CommandFailure(.usage, "\(RecordWords.name(conflict)), \(error.message); nothing was changed")
        }
    }

    /// Returns the conflicts that ask once more what was decided, with the same answers: between the same values.
    private func sameQuestions(
        _ decided: [(conflict: ConflictReport, value: ConflictDecision.Value)]
    ) throws -> [(RecordConflict, ConflictDecision.Value)] {
        let all = decided.map(\.conflict.conflict)
        guard all.contains(where: { $0.question != nil }) else { return [] }
        let open = try replica.conflicts().filter { $0.question != nil && !all.contains($0) }
        return decided.flatMap { report, value -> [(RecordConflict, ConflictDecision.Value)] in
            guard let kept = report.value(value) else { return [] }
            return open.filter { Self.asksSame($0, report.conflict) }.map { other in
                let index = other.choices.firstIndex { $0.value == kept }
                return (other, index.map { .choice($0) } ?? .value(kept))
            }
        }
    }

    /// Returns whether two conflicts ask the same, between the same values.
    private static func asksSame(_ one: RecordConflict, _ other: RecordConflict) -> Bool {
        func values(_ conflict: RecordConflict) -> Set<String?> {
            Set(conflict.choices.map { $0.value?.text(.canonical) })
        }
        return one.question != nil && one.question == other.question && values(one) == values(other)
    }

    /// Decides what stands, and takes the rest out of what was decided.
    private func settle(_ decisions: [ConflictDecision], _ result: inout Result) throws {
        let passed: [Int: PassedOver]
        if isDryRun {
            passed = try replica.previewResolving(decisions)
        } else {
            let outcome: SyncOutcome
            (outcome, passed) = try replica.resolveStanding(decisions)
            result.sync = SyncReport(outcome)
        }
        let meant = result.decided
        result.decided = meant.indices.filter { passed[$0] == nil }.map { meant[$0] }
        result.overtaken = meant.indices.filter { passed[$0] == .decided }.map { meant[$0].conflict }
        result.changed = meant.indices.filter { passed[$0] == .changed }.map { meant[$0].conflict }
        for (index, passed) in passed.sorted(by: { $0.key < $1.key }) {
            if case .refused(let reason) = passed { result.refused.append((meant[index].conflict, reason)) }
        }
        note(result)
    }

    /// Notes what was decided, so that it can be taken back; a decision is none the less made where that fails.
    private func note(_ result: Result) {
        guard let outcome = result.sync?.outcome, let undo = outcome.undoMoment else { return }
        notes.add(
            result.decided.map { decided in
                DecisionNotes.Note(
                    store: replica.storePath,
                    collection: decided.conflict.conflict.name.collection,
                    key: decided.conflict.conflict.name.key,
                    words: ConflictReport(decided.conflict.conflict, words, isWhole: false).decided(decided.value),
                    milliseconds: outcome.published.last?.milliseconds ?? undo,
                    undoMoment: undo
                )
            }
        )
    }

    /// Checks that a value is for one conflict: for several by mistake, it would be hard to take back.
    private func checkSingle(_ conflicts: [RecordConflict]) throws(CommandFailure) {
        guard conflicts.count > 1 else { return }
        let names = conflicts.prefix(5).map { conflict in
            ([RecordWords.name(conflict)] + conflict.path).joined(separator: " ")
        }
        throw CommandFailure(
            .usage,
            Messages.severalConflicts(conflicts.count, names.joined(separator: "; "))
        )
    }
}
