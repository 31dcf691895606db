internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// What synchronising a store did, or would do.
struct SyncReport {
    let outcome: SyncOutcome
    let isDryRun: Bool

    init(_ outcome: SyncOutcome, isDryRun: Bool = false) {
        self.outcome = outcome
        self.isDryRun = isDryRun
    }

    /// Lines for people, each with the app's name before it.
    ///
    /// - Parameter saysIdle: Whether it is said that there was nothing to do.
    func text(_ target: Target, saysIdle: Bool = true) -> String {
        var lines = published + received
        if outcome.written > 0, outcome.received.isEmpty {
            lines.append("\(isDryRun ? "would write" : "wrote") \(Words.count(outcome.written, "record")) to the store")
        }
        lines += outcome.notes
        if let (count, reason) = outcome.outbox {
            let kept = "kept until the folder takes \(count == 1 ? "it" : "them")"
            lines.append("\(Words.count(count, "change")) cannot be published, \(kept): \(reason)")
        }
        lines += outcome.hindrances.map(HindranceWords.line)
        let hasNews = !lines.isEmpty
        if outcome.conflicts > 0, hasNews || saysIdle {
            let verb = outcome.conflicts == 1 ? "stands" : "stand"
            lines.append("\(Words.count(outcome.conflicts, "conflict")) \(verb): foldersync conflicts lists them")
        }
        if lines.isEmpty, saysIdle { lines.append("in step, nothing to do") }
        return lines.map { "\(target.app.title): \(TerminalText.safe($0))\n" }.joined()
    }

    /// Whether anything was published, taken or written.
    var didSomething: Bool {
        !outcome.published.isEmpty || outcome.publishedBytes > 0 || !outcome.received.isEmpty || outcome.written > 0
    }

    /// What stays as it is until something changes, as lines.
    func lasting(_ target: Target) -> String {
        var idle = outcome
        (idle.published, idle.received, idle.written, idle.publishedBytes) = ([], [], 0, 0)
        return SyncReport(idle).text(target, saysIdle: false)
    }

    private var published: [String] {
        outcome.published.map { change in
            let count = Words.count(change.recordCount, "record")
            return "\(isDryRun ? "would publish" : "published") \(count): \(RecordWords.list(change))"
        }
    }

    private var received: [String] {
        outcome.received.map { change in
            let count = Words.count(change.recordCount, "record")
            let device = RecordWords.device(change.device)
            return "\(isDryRun ? "would take" : "took") \(count) from \(device): \(RecordWords.list(change))"
        }
    }

    /// How the command ends.
    var status: ExitStatus {
        if outcome.outbox != nil { return .unpublished }
        return outcome.conflicts > 0 || !outcome.hindrances.isEmpty ? .findings : .success
    }

    /// The members for programs.
    var json: JSONObject {
        var object: JSONObject = [
            "published": .array(outcome.published.map(Self.json)),
            "publishedBytes": .number(JSONNumber(outcome.publishedBytes)),
            "received": .array(outcome.received.map(Self.json)),
            "written": .number(JSONNumber(outcome.written)),
            "conflicts": .number(JSONNumber(outcome.conflicts)),
            "hindrances": .array(outcome.hindrances.map(HindranceWords.json)),
        ]
        object["outbox"] =
            outcome.outbox.map { ["changes": .number(JSONNumber($0.count)), "reason": .string($0.reason)] } ?? .null
        object["notes"] = .array(outcome.notes.map { .string($0) })
        return object
    }

    /// A change with the records that it touched.
    static func json(_ change: SyncedChange) -> JSONValue {
        [
            "device": .object(change.device.json),
            "writer": .string(change.dot.writer.description),
            "sequence": .number(JSONNumber(change.dot.sequence)),
            "time": RecordWords.json(moment: change.milliseconds),
            "counts": .array(
                change.counts.map { count in
                    [
                        "collection": .string(count.collection), "action": .string(count.action.rawValue),
                        "count": .number(JSONNumber(count.count)),
                    ]
                }
            ),
            "records": .array(
                change.records.map { touched in
                    var object = RecordWords.json(touched.name)
                    object["action"] = .string(touched.action.rawValue)
                    object["members"] = .array(touched.members.map { .string($0) })
                    return .object(object)
                }
            ),
        ]
    }
}

/// What in the folder cannot be used yet, in words.
enum HindranceWords {
    static func line(_ hindrance: SyncHindrance) -> String {
        let device = hindrance.device.map { " of \(RecordWords.device($0))" } ?? ""
        let file = hindrance.path.isEmpty ? "" : " (\(hindrance.path))"
        let what =
            switch hindrance.kind {
            case .missing: "a change\(device) waits"
            case .tooNew: "a change\(device) is held"
            case .damaged: "a file\(device) is damaged"
            case .notDownloaded: "a file\(device) is not downloaded"
            }
        return "\(what)\(file): \(hindrance.message)"
    }

    static func json(_ hindrance: SyncHindrance) -> JSONValue {
        [
            "kind": .string(hindrance.kind.rawValue),
            "path": .string(hindrance.path),
            "device": hindrance.device.map { .object($0.json) } ?? .null,
            "message": .string(hindrance.message),
        ]
    }
}
