internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The result of synchronising a store, done or planned.
struct SyncReport {
    let outcome: SyncOutcome
    let isDryRun: Bool
    /// The tables and columns of the store that are not synchronised, where they are to be reported.
    let unsynced: [String]
    /// The lines on files that the report on another store of the folder has.
    var toldBefore: Set<String> = []

    init(_ outcome: SyncOutcome, isDryRun: Bool = false, unsynced: [String] = []) {
        self.outcome = outcome
        self.isDryRun = isDryRun
        self.unsynced = unsynced.isEmpty ? outcome.unsynced : unsynced
    }

    /// Lines for people, each with the app's name before it.
    ///
    /// - Parameter saysIdle: Whether it is said that there was nothing to do.
    func text(_ target: Target, saysIdle: Bool = true) -> String {
        lines(target, saysIdle: saysIdle).map { "\(target.app.title): \(TerminalText.safe($0))\n" }.joined()
    }

    /// Returns all in one line, with the app's name before it; nil where there is nothing to say.
    func line(_ target: Target) -> String? {
        let lines = lines(target, saysIdle: false)
        return lines.isEmpty ? nil : "\(target.app.title): \(TerminalText.safe(lines.joined(separator: "; ")))"
    }

    private func lines(_ target: Target, saysIdle: Bool) -> [String] {
        let list = ChangeList(target, outcome)
        let received = received(list)
        var lines = late(list) + published(list) + waiting(list) + received
        if outcome.written > 0, received.isEmpty {
            lines.append(Messages.wrote(Words.count(outcome.written, "record"), isDryRun: isDryRun))
        }
        if !outcome.keptBack.isEmpty { lines.append(keptBack) }
        if !outcome.dropped.isEmpty { lines.append(dropped) }
        lines += outcome.notes
        if !unsynced.isEmpty { lines.append(RecordWords.unsynced(unsynced, target.app)) }
        if let (count, reason) = outcome.outbox { lines.append(Messages.outbox(count, reason)) }
        lines += IssueWords.lines(outcome.issues.filter { !toldBefore.contains(IssueWords.line($0)) })
        let hasNews = !lines.isEmpty
        if outcome.conflicts > 0, hasNews || saysIdle { lines.append(Messages.conflicts(outcome.conflicts)) }
        if lines.isEmpty, saysIdle { lines.append(Messages.inStep) }
        return lines
    }

    /// True if anything was published, taken or written.
    var didSomething: Bool {
        let changes = outcome.published + outcome.late + outcome.waiting + outcome.received
        return !changes.isEmpty || outcome.publishedBytes > 0 || outcome.written > 0
    }

    /// Returns the state that stays until something changes, as lines.
    func lasting(_ target: Target) -> String {
        var idle = outcome
        (idle.published, idle.received, idle.written, idle.publishedBytes) = ([], [], 0, 0)
        (idle.late, idle.waiting, idle.keptBack, idle.unsynced) = ([], [], [], [])
        var report = SyncReport(idle)
        report.toldBefore = toldBefore
        return report.text(target, saysIdle: false)
    }

    private var keptBack: String {
        let names = outcome.keptBack
        let list = names.prefix(5).map(RecordWords.name).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        return Messages.keptBack(names.count, list, isDryRun: isDryRun)
    }

    /// The most dropped changes that a line names.
    ///
    /// The file has all. A dry run makes no file, and names them all.
    private static let mostDropped = 20

    private var dropped: String {
        let changes = outcome.dropped
        let named = changes.prefix(isDryRun ? changes.count : Self.mostDropped)
        let names = named.map { "\($0.action.rawValue) \(RecordWords.name($0.name))" }
        let more = changes.count > names.count ? " and \(changes.count - names.count) more" : ""
        return Messages.dropped(changes.count, names.joined(separator: ", ") + more, file: outcome.droppedFile)
    }

    private func published(_ list: ChangeList) -> [String] {
        outcome.published.map { change in
            list.line(Messages.published(change.recordCount, isDryRun: isDryRun), change)
        }
    }

    /// Returns lines for the changes that earlier syncs could not publish.
    private func late(_ list: ChangeList) -> [String] {
        outcome.late.map { change in
            list.line(Messages.published(change.recordCount, isLate: true, isDryRun: isDryRun), change)
        }
    }

    private func waiting(_ list: ChangeList) -> [String] {
        outcome.waiting.map { change in
            list.line(Messages.toPublish(change.recordCount), change)
        }
    }

    private func received(_ list: ChangeList) -> [String] {
        outcome.received.flatMap { change in
            let device = RecordWords.device(change.device)
            let taken = change.without(.kept)
            let kept = change.records.filter { $0.action == .kept }
            var lines: [String] = []
            if taken.recordCount > 0 {
                lines.append(list.line(Messages.took(taken.recordCount, device, isDryRun: isDryRun), taken))
            }
            func names(_ records: [SyncedChange.RecordChange]) -> String {
                records.prefix(5).map { RecordWords.name($0.name) }.joined(separator: ", ")
                    + (records.count > 5 ? ", …" : "")
            }
            let (deleted, changed) = (kept.filter(\.isDeletedElsewhere), kept.filter { !$0.isDeletedElsewhere })
            if !deleted.isEmpty { lines.append(Messages.kept(names(deleted), device, isDryRun: isDryRun)) }
            if !changed.isEmpty {
                let members = changed.count == 1 ? list.members(of: changed[0]) : ""
                lines.append(Messages.kept(names(changed), device, changed: members, isDryRun: isDryRun))
            }
            return lines
        }
    }

    /// The exit status of the command.
    var status: ExitStatus {
        if outcome.outbox != nil { return .unpublished }
        return outcome.conflicts > 0 || !outcome.issues.isEmpty ? .findings : .success
    }

    /// The members for programs.
    var json: JSONObject {
        var object: JSONObject = [
            "published": .array((outcome.late + outcome.published).map(Self.json)),
            "publishedBytes": .number(outcome.publishedBytes),
            "received": .array(outcome.received.map(Self.json)),
            "written": .number(outcome.written),
            "keptBack": .array(outcome.keptBack.map { .object(RecordWords.json($0)) }),
            "dropped": .array(outcome.dropped.map(RecordWords.json)),
            "droppedFile": outcome.droppedFile.map { .string($0) } ?? .null,
            "conflicts": .number(outcome.conflicts),
            "issues": .array(outcome.issues.map(IssueWords.json)),
        ]
        object["outbox"] =
            outcome.outbox.map { ["changes": .number($0.count), "reason": .string($0.reason)] } ?? .null
        object["notes"] = .array(outcome.notes.map { .string($0) })
        object["unsynced"] = .array(unsynced.map { .string($0) })
        return object
    }

    /// Returns a change with the records that it touched.
    static func json(_ change: SyncedChange) -> JSONValue {
        [
            "device": .object(change.device.json),
            "writer": .string(change.dot.writer.description),
            "sequence": .number(change.dot.sequence),
            "time": RecordWords.json(moment: change.milliseconds),
            "counts": .array(
                change.counts.map { count in
                    [
                        "collection": .string(count.collection), "action": .string(count.action.rawValue),
                        "count": .number(count.count),
                    ]
                }
            ),
            "records": .array(
                change.records.map(RecordWords.json)
            ),
        ]
    }
}

/// The records of changes in one line: with the new values of members, and what differs in lists, where the line is short
/// enough or `--verbose` is given, else with the members' names.
private struct ChangeList {
    private let words: ValueWords?

    init(_ target: Target, _ outcome: SyncOutcome) {
        let changes = outcome.published + outcome.late + outcome.waiting + outcome.received
        // The app's schema is read only where there are values to show.
        let hasValues = changes.contains { $0.records.contains { !$0.values.isEmpty } }
        words = hasValues ? (try? TimeZoneOption.local()).map { ValueWords(target, $0) } : nil
    }

    /// Returns the members of a changed record, between brackets.
    func members(of touched: SyncedChange.RecordChange) -> String { RecordWords.members(of: touched, words) }

    /// The most columns of a line with values, where there is no terminal.
    private static let columns = 120

    func line(_ start: String, _ change: SyncedChange) -> String {
        let line = start + RecordWords.list(change, values: words)
        let fits = Printing.current.isVerbose || TerminalText.width(line) <= Terminal.columns ?? Self.columns
        return fits ? line : start + RecordWords.list(change, values: words, isShort: true)
    }
}
