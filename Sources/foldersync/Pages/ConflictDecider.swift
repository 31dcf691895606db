internal import CommandSupport
internal import Crypto
internal import DirectorySync
internal import Pages
internal import RecordMerge
internal import StrictJSON

/// Decides conflicts as a page asks for it, by what `resolve` does.
struct ConflictDecider {
    let opened: PageStores.Opened
    let request: PageRequest

    /// Decides one conflict that a person saw, or all of a record.
    ///
    /// - Throws: 64 where the value cannot be, or other values stand there by now; what `resolve` throws.
    func decide() throws(CommandFailure) -> PageResponse {
        guard let target = opened.target(request), let key = PageStores.key(request) else { return .missing }
        do {
            let replica = try opened.replica(target)
            var filter = ConflictFilter(key: key)
            let side = request["side"]
            guard let seen = request["seen"] else { return .missing }
            if side == nil {
                filter.fingerprint = seen
            } else {
                let conflicts = try replica.conflicts(of: key)
                guard Self.fingerprint(conflicts) == seen else { throw CommandFailure(.usage, Self.changed) }
                filter.fingerprints = Set(conflicts.map(ConflictReport.fingerprint))
            }
            guard let taking = try side.map({ Taking(all: $0) }) ?? self.taking(replica, filter) else {
                throw CommandFailure(.usage, "nothing was chosen; nothing was changed")
            }
            let result = try resolving(target, replica, filter, isDryRun: false).run(taking, nil, isAll: side != nil)
            guard !result.decided.isEmpty else {
                let lines = ResolveReport.lines(result, isDryRun: false).joined(separator: "; ")
                throw CommandFailure(.usage, lines.isEmpty ? Self.changed : lines)
            }
            return done(result, target)
        } catch {
            throw failure(error) ?? CommandFailure(.internalError, "\(error)")
        }
    }

    private static let changed =
        "other values stand there now than those on the page, or it was decided meanwhile: look again"

    /// Returns the fingerprint of a record's conflicts, which tells them from others.
    static func fingerprint(_ conflicts: [RecordConflict]) -> String {
        fingerprint(conflicts.map(ConflictReport.fingerprint).sorted())
    }

    private static func fingerprint(_ texts: [String]) -> String {
        var hash = SHA256()
        for text in texts { hash.update(data: Array("\(text)\n".utf8)) }
        return Hex.text(hash.finalize().prefix(16))
    }

    /// Returns the choice of the form for one conflict; nil where it has none.
    private func taking(_ replica: Replica, _ filter: ConflictFilter) throws -> Taking? {
        if let text = request["value"] {
            // Browsers send line ends as two characters.
            return .typed(text.replacing("\r\n", with: "\n"))
        }
        if request["both"] != nil {
            guard let key = filter.key else { return nil }
            return try replica.conflicts(of: key).first(where: filter.includes).flatMap(Self.both).map(Taking.value)
        }
        switch request["choice"] {
        case "shown": return .shown
        case "removed": return .removed
        case let text?: return Int(text).map(Taking.number)
        case nil: return nil
        }
    }

    /// Returns two texts as one; nil where a conflict is about anything else.
    static func both(_ conflict: RecordConflict) -> JSONValue? {
        guard conflict.kind == .value, conflict.members.isEmpty, conflict.choices.count == 2,
            let first = conflict.choices[0].value?.string, let second = conflict.choices[1].value?.string,
            !first.isEmpty, !second.isEmpty
        else { return nil }
        let isLong = first.contains("\n") || second.contains("\n")
        return .string(isLong ? "\(first)\n\n\(second)" : "\(first) / \(second)")
    }

    private func resolving(
        _ target: Target,
        _ replica: Replica,
        _ filter: ConflictFilter,
        isDryRun: Bool
    ) -> Resolving {
        Resolving(
            replica: replica,
            filter: filter,
            typed: TypedValue(target.app, request.clock, now: request.now, store: target.store.path),
            words: ValueWords(target, request.clock),
            this: opened.environment.device.id,
            isDryRun: isDryRun,
            notes: DecisionNotes(beside: opened.file)
        )
    }

    // MARK: All of a store

    /// Returns the page with the decisions of a side, before they are made.
    func plan() throws -> PageResponse {
        guard let target = opened.target(request), let side = request["side"] else { return .missing }
        return .page(planPage(target, side, try planned(opened.replica(target), target, side)))
    }

    private func planned(_ replica: Replica, _ target: Target, _ side: String) throws -> Resolving.Result {
        try resolving(target, replica, ConflictFilter(), isDryRun: true).run(Taking(all: side), nil, isAll: true)
    }

    /// Returns the fingerprint of a plan: of each conflict as it stands, and what it would become.
    private func fingerprint(_ result: Resolving.Result) -> String {
        Self.fingerprint(Self.conflicts(result) + ResolveReport.lines(result, isDryRun: true))
    }

    /// Returns the fingerprints of the conflicts of a plan, and of what each becomes.
    private static func conflicts(_ result: Resolving.Result) -> [String] {
        let decided = result.decided.map { decided in
            let seen = ConflictReport.fingerprint(decided.conflict.conflict)
            return "\(seen) \(decided.conflict.json(decided: decided.value).text(.compact))"
        }
        let others = result.overtaken + result.changed + result.refused.map(\.conflict) + result.left
        return decided + others.map { ConflictReport.fingerprint($0.conflict) }
    }

    private func planPage(_ target: Target, _ side: String, _ result: Resolving.Result, _ note: HTML = HTML()) -> Page {
        let lines = ResolveReport.lines(result, isDryRun: true)
        let form = request.form(
            "/conflicts/all",
            ["store": target.store.path, "side": side, "plan": fingerprint(result)],
            "<button class=\"primary\">Decide \(Words.count(result.decided.count, "conflict"))</button>"
        )
        let more = lines.count > 200 ? "<p>… and \(lines.count - 200) more.</p>" : HTML()
        let body: HTML = """
            \(note)
            <ul>\(lines.prefix(200).map { "<li>\($0)</li>" as HTML })</ul>\(more)
            <div class="actions">\(result.decided.isEmpty ? HTML() : form)
            \(request.link("Back to the conflicts", "/conflicts", ["store": target.store.path]))</div>
            """
        return Page("Decide all conflicts of \(target.app.title)", summary: "Nothing is decided yet.", body: body)
    }

    /// Decides the conflicts that the plan on the page listed, unless another plan would follow by now.
    func decideAll() throws -> PageResponse {
        guard let target = opened.target(request), let side = request["side"], let seen = request["plan"] else {
            return .missing
        }
        let replica = try opened.replica(target)
        let plan = try planned(replica, target, side)
        let note: HTML = "<p class=\"fault\" role=\"alert\">Other values stand there now; look again.</p>"
        guard fingerprint(plan) == seen else { return .refused(planPage(target, side, plan, note)) }
        // A conflict that comes after the plan was compared is none of those that it lists.
        let listed = plan.decided.map { ConflictReport.fingerprint($0.conflict.conflict) }
        let filter = ConflictFilter(fingerprints: Set(listed))
        let result = try resolving(target, replica, filter, isDryRun: false).run(Taking(all: side), nil, isAll: true)
        guard !result.decided.isEmpty else {
            return .refused(planPage(target, side, try planned(replica, target, side), note))
        }
        return done(result, target)
    }

    // MARK: Afterwards

    private func done(_ result: Resolving.Result, _ target: Target) -> PageResponse {
        let lines = ResolveReport.lines(result, isDryRun: false)
        var text = lines.prefix(3).joined(separator: "; ")
        if lines.count > 3 { text += "; and \(lines.count - 3) more" }
        if let outbox = result.sync?.outcome.outbox {
            text += "; the folder takes nothing now, so it is kept: \(outbox.reason)"
        }
        let records = Set(result.decided.map { name($0.conflict.conflict.name) }).sorted()
        let undo = result.sync?.outcome.undoMoment.map { moment in
            undoForm(records, target.store.path, moment)
        }
        let path = request.path("/conflicts", ["store": target.store.path])
        return .done(text.prefix(1).uppercased() + text.dropFirst() + ".", then: path, undo: undo)
    }

    private func name(_ name: RecordName) -> RecordKey { RecordKey(name.collection, name.key) }

    /// The most records that one button takes back.
    private static let mostUndone = 50

    /// Returns the button that takes decisions back right after them.
    ///
    /// It is empty for very many records, which the list has one by one.
    private func undoForm(_ records: [RecordKey], _ store: String, _ moment: Int) -> HTML {
        guard !records.isEmpty, records.count <= Self.mostUndone else { return HTML() }
        var fields: [(String, String?)] = [("store", store), ("ms", "\(moment)")]
        for record in records { fields += [("collection", record.collection), ("key", record.key)] }
        return request.form("/conflicts/undo", fields, "<button>Undo</button>")
    }

    /// Makes records what they were right before a decision.
    func undo() throws -> PageResponse {
        guard let target = opened.target(request), let moment = request.number("ms") else { return .missing }
        let records = zip(request.values("collection"), request.values("key")).map { RecordKey($0, $1) }
        guard !records.isEmpty, records.count <= Self.mostUndone else { return .missing }
        let replica = try opened.replica(target)
        var isChanged = false
        for record in records {
            if try replica.reopen(at: moment, of: record).undoMoment != nil { isChanged = true }
        }
        let notes = DecisionNotes(beside: opened.file)
        for record in records { notes.markUndone(record, of: target.store.path, since: moment) }
        let path = request.path("/conflicts", ["store": target.store.path])
        let words =
            isChanged
            ? "Taken back: all devices show again what they showed before, and the conflict is open again."
            : "Nothing is different."
        return .done(words, then: path)
    }

    /// Syncs all stores once.
    func sync() throws -> PageResponse {
        let report = try SyncPass(environment: opened.environment, file: opened.file).run(opened.targets)
        let failures = report.results.entries.compactMap { entry -> String? in
            guard case .failure(let failure) = entry.result else { return nil }
            return "\(opened.title(entry.target)): \(failure.description)"
        }
        let lines = report.text(saysIdle: true).split(separator: "\n").map(String.init) + failures
        let text = lines.prefix(6).joined(separator: "; ") + (lines.count > 6 ? "; and \(lines.count - 6) more" : "")
        return .done(ProgramNames.asCalled(text), then: "/")
    }
}
