internal import AppFormats
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// Decides conflicts of a store.
struct Resolving {
    /// What became of them.
    struct Result {
        /// Conflicts that were decided.
        var decided: [(conflict: ConflictReport, value: ConflictDecision.Value)] = []
        /// Conflicts that were meant and stand still, as they have no such choice or nobody chose.
        var left: [ConflictReport] = []
        /// Conflicts that an edit of the store decided since the last synchronisation.
        var overtaken: [ConflictReport] = []
        /// Conflicts in which other values stand by now than those that were chosen from.
        var changed: [ConflictReport] = []
        /// The synchronisation in which that was published; nil where nothing was decided.
        var sync: SyncReport?
    }

    let replica: Replica
    let filter: ConflictFilter
    /// The identifier of this device.
    let this: String
    /// Whether nothing is decided.
    let isDryRun: Bool

    /// - Parameters:
    ///   - taking: What to take of each; nil where it is asked.
    ///   - isAll: Whether more than one may be decided without being named.
    func run(_ taking: Taking?, _ asker: ConflictAsker?, isAll: Bool) throws -> Result {
        let conflicts = try replica.conflicts().filter(filter.includes)
        if taking != nil, !isAll { try checkSingle(conflicts) }
        var result = Result()
        var decisions: [ConflictDecision] = []
        var removed: Set<RecordName> = []
        for (index, conflict) in conflicts.enumerated() {
            // Of a record that goes there is nothing more to decide.
            guard !removed.contains(conflict.name) else { continue }
            let report = ConflictReport(conflict)
            var value = taking?.decision(of: conflict, this: this)
            if let asker {
                guard asker.isOpen else {
                    result.left.append(report)
                    continue
                }
                value = try asker.ask(report, number: index + 1, of: conflicts.count, this: this)
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
        if !decisions.isEmpty { try settle(decisions, &result) }
        return result
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
    }

    /// A value is for one conflict: taken for several by mistake, it would be hard to take back.
    private func checkSingle(_ conflicts: [RecordConflict]) throws(CommandFailure) {
        guard conflicts.count > 1 else { return }
        let names = conflicts.prefix(5).map { conflict in
            ([RecordWords.name(conflict.name)] + conflict.path).joined(separator: " ")
        }
        throw CommandFailure(
            .usage,
            "that fits \(conflicts.count) conflicts: name the record and --member (\(names.joined(separator: "; ")))"
        )
    }
}

/// What resolving came to.
struct ResolveReport {
    let results: TargetResults<Resolving.Result>
    let filter: ConflictFilter
    let isDryRun: Bool

    /// Prints it.
    ///
    /// - Throws: 3 where conflicts are left that were meant, 66 where a name was given and nothing stands there; else
    ///   what the synchronisation comes to.
    func finish(_ output: FormatOption) throws {
        StandardError.write(results.errors)
        let verb = isDryRun ? "would decide" : "decided"
        let lines = results.values.flatMap { target, result in
            result.decided.map { "\(target.app.title): \(verb) \($0.conflict.decided($0.value))\n" }
                + result.overtaken.map {
                    "\(target.app.title): an edit in the store decides it: \($0.heading)\n"
                }
                + result.changed.map {
                    "\(target.app.title): left as it is, as other values stand there now: \($0.heading)\n"
                }
                + result.left.map { "\(target.app.title): left as it is: \($0.heading)\($0.way)\n" }
        }
        let isEmpty = lines.isEmpty && results.values.count == results.entries.count
        let isNamed = filter.record != nil || filter.member != nil
        try output.print(
            isEmpty ? "No conflicts\(isNamed ? " of that name" : "").\n" : lines.map(Self.safe).joined(),
            [
                "dryRun": .bool(isDryRun),
                "stores": results.json { result in
                    [
                        "decided": .array(result.decided.map(\.conflict.json)),
                        "overtaken": .array(result.overtaken.map(\.json)),
                        "left": .array((result.changed + result.left).map(\.json)),
                        "sync": result.sync.map { .object($0.json) } ?? .null,
                    ]
                },
            ]
        )
        let isOvertaken = results.values.allSatisfy {
            $0.value.decided.isEmpty && $0.value.left.isEmpty && $0.value.changed.isEmpty
        }
        if isEmpty || (isOvertaken && results.values.count == results.entries.count), isNamed {
            throw ExitStatus.noInput.exitCode
        }
        try results.status { result in
            guard result.left.isEmpty, result.changed.isEmpty else { return .findings }
            return result.sync?.outcome.outbox == nil ? .success : .unpublished
        }
        .finish()
    }

    private static func safe(_ line: String) -> String { TerminalText.safe(String(line.dropLast())) + "\n" }
}
