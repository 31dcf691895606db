internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

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
