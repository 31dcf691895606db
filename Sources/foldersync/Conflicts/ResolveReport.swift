internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The result of resolving conflicts.
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
        let lines = results.values.flatMap { target, result in
            Self.lines(result, isDryRun: isDryRun).map { "\(target.app.title): \($0)\n" }
        }
        let isEmpty = lines.isEmpty && results.values.count == results.entries.count
        let isNamed = filter.record != nil || filter.member != nil
        try output.print(
            isEmpty ? (isNamed ? Messages.noConflictsNamed : Messages.noConflicts) : lines.map(Self.safe).joined(),
            [
                "dryRun": .bool(isDryRun),
                "stores": results.json { result in
                    [
                        "decided": .array(result.decided.map { $0.conflict.json(decided: $0.value) }),
                        "overtaken": .array(result.overtaken.map(\.json)),
                        "left": .array((result.changed + result.left).map(\.json)),
                        "refused": .array(
                            result.refused.map { ["conflict": $0.conflict.json, "reason": .string($0.reason)] }
                        ),
                        "sync": result.sync.map { .object($0.json) } ?? .null,
                    ]
                },
            ]
        )
        let isOvertaken = results.values.allSatisfy {
            $0.value.decided.isEmpty && $0.value.left.isEmpty && $0.value.changed.isEmpty
                && $0.value.refused.isEmpty
        }
        if isEmpty || (isOvertaken && results.values.count == results.entries.count), isNamed {
            throw ExitStatus.noInput.exitCode
        }
        try results.status { result in
            guard result.left.isEmpty, result.changed.isEmpty, result.refused.isEmpty else { return .findings }
            return result.sync?.outcome.outbox == nil ? .success : .unpublished
        }
        .finish()
    }

    /// Returns a line with the result for each conflict.
    static func lines(_ result: Resolving.Result, isDryRun: Bool) -> [String] {
        var lines = result.decided.map { Messages.decided($0.conflict.decided($0.value), isDryRun: isDryRun) }
        lines += result.overtaken.map { Messages.overtaken($0.heading) }
        lines += result.changed.map { Messages.changedMeanwhile($0.heading) }
        lines += result.refused.map { Messages.refused($0.conflict.heading, $0.reason) }
        lines += result.left.map { Messages.leftAsItIs($0.heading, $0.way) }
        return lines
    }

    private static func safe(_ line: String) -> String { TerminalText.safe(String(line.dropLast())) + "\n" }
}
