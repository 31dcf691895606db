internal import CivilTime
internal import CommandSupport
internal import Crypto
internal import DirectorySync
internal import Pages
internal import RecordMerge
internal import StrictJSON

/// The plan of a restore, shown before the restore is done.
struct RestorePlan {
    let opened: PageStores.Opened
    let target: Target
    let request: PageRequest

    /// The most records of a plan on a page.
    private static let size = 100

    private var key: RecordKey? { PageStores.key(request) }

    private func moment(_ milliseconds: Int) -> PastMoment {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return PastMoment(moment: Timestamp(seconds: seconds, nanoseconds: rest * 1_000_000), clock: request.clock)
    }

    /// The records that come back, with notes for the person.
    private struct Content {
        let differences: [SyncedChange.RecordChange]
        /// The sentences about what does not come back, what is decided, and what stays.
        let notes: [String]
        /// The number of conflicts that come back.
        let reopened: Int
    }

    private func content(_ replica: Replica, _ milliseconds: Int) throws -> Content {
        let differences = try replica.differences(toMoment: milliseconds, of: key)
        if let reopenedKey {
            let reopened = try replica.reopenable(at: milliseconds, of: reopenedKey)
            return Content(differences: differences, notes: [], reopened: reopened)
        }
        let report = DifferenceReport(
            differences: differences,
            target: target,
            moment: moment(milliseconds),
            lost: try key.map { try replica.lostReferences(toMoment: milliseconds, of: $0) } ?? [],
            staying: try replica.staying(toMoment: milliseconds, of: key),
            decided: DifferenceReport.decided(try replica.conflicts(), by: differences)
        )
        let words = ValueWords(target, request.clock)
        return Content(differences: differences, notes: report.notes(words), reopened: 0)
    }

    /// Returns the fingerprint of a plan.
    private func fingerprint(_ content: Content) -> String {
        var hash = SHA256()
        hash.update(data: Array("\(content.reopened)\n\(content.notes)\n".utf8))
        let differences = content.differences
        for difference in differences {
            hash.update(data: RecordWords.json(difference).encoded(.compact))
        }
        return Hex.text(hash.finalize().prefix(16))
    }

    /// Returns the page with the plan, and the button that does it.
    func plan() throws -> PageResponse {
        guard let milliseconds = request.number("ms"), milliseconds >= 0 else { return .missing }
        let replica = try opened.replica(target)
        return .page(page(try content(replica, milliseconds), milliseconds))
    }

    /// The record whose conflicts come back as well, as a decision on them is taken back.
    private var reopenedKey: RecordKey? { request["reopen"] == nil ? nil : key }

    private func page(_ content: Content, _ milliseconds: Int, _ note: HTML = HTML()) -> Page {
        let (differences, reopened) = (content.differences, content.reopened)
        let words = PageWords(values: ValueWords(target, request.clock), clock: request.clock)
        let named = differences.filter { key == RecordKey($0.name.collection, $0.name.key) }
        let ordered = named + differences.filter { key != RecordKey($0.name.collection, $0.name.key) }
        let paging = Paging(request, count: ordered.count, size: Self.size)
        let store = target.store.path
        let back = request.link("Back to the history", "/history", ["store": store])
        let subject = named.first.map { RecordWords.name($0.name) } ?? opened.title(target)
        let notes: HTML =
            content.notes.isEmpty ? HTML() : "<ul>\(content.notes.map { line -> HTML in "<li>\(line)</li>" })</ul>"
        guard !differences.isEmpty || reopened > 0 else {
            let body: HTML = "\(note)<p>Nothing is different from then.</p>\(notes)<p>\(back)</p>"
            return Page("Bring back", summary: "As of \(words.moment(milliseconds)).", body: body)
        }
        let items = ordered[paging.rows].map { item($0, words) }
        let form = request.form(
            "/history/restore",
            [
                "store": store, "ms": "\(milliseconds)", "collection": key?.collection, "key": key?.key,
                "plan": fingerprint(content), "reopen": request["reopen"],
            ],
            """
            <button class="primary">Bring back \(Words.count(max(differences.count, 1), "record")) on all devices</button>
            """
        )
        let conflicts: HTML? =
            reopened > 0
            ? "<p>\(Words.count(reopened, "conflict")) of it \(reopened == 1 ? "is" : "are") open again, to be decided anew.</p>"
            : nil
        let links = paging.links { page in
            request.address(
                "/history/restore",
                [
                    "store": store, "ms": "\(milliseconds)", "collection": key?.collection, "key": key?.key,
                    "page": "\(page)", "reopen": request["reopen"],
                ]
            )
        }
        let body: HTML = """
            \(note)
            \(differences.isEmpty ? HTML() : "<p>\(counts(differences))</p>")
            \(conflicts)
            <ul class="changes">
            \(items)
            </ul>
            \(notes)
            \(links)
            <div class="actions">\(form)\(back)</div>
            """
        return Page(
            "Bring back \(subject)",
            summary: "As of \(words.moment(milliseconds)). Nothing is changed yet; afterwards it can be undone.",
            body: body
        )
    }

    private func counts(_ differences: [SyncedChange.RecordChange]) -> String {
        func count(_ action: SyncedChange.Action, _ verb: String, _ verbs: String) -> String? {
            let count = differences.count { $0.action == action }
            return count == 0 ? nil : "\(Words.count(count, "record")) \(count == 1 ? verb : verbs)"
        }
        let parts = [
            count(.added, "comes back", "come back"), count(.changed, "goes back", "go back"),
            count(.deleted, "goes away", "go away"),
        ]
        return parts.compactMap(\.self).joined(separator: ", ") + "."
    }

    private func item(_ touched: SyncedChange.RecordChange, _ words: PageWords) -> HTML {
        let (verb, edit): (String, String) =
            switch touched.action {
            case .added: ("comes back", "deleted")
            case .changed, .kept: ("goes back", "changed")
            case .deleted: ("goes away", "edited")
            }
        let author = touched.edit.map { found -> HTML in
            "<p class=\"muted\">\(edit) by \(words.author(found.device, found.milliseconds))</p>"
        }
        // Of a record that comes or goes its name says enough.
        let values = touched.action == .changed ? words.changes(touched) : HTML()
        return "<li><strong>\(RecordWords.name(touched))</strong> \(verb)\(author)\(values)</li>"
    }

    /// Does what the plan on the page says, unless another one would follow by now.
    func restore() throws -> PageResponse {
        guard let milliseconds = request.number("ms"), milliseconds >= 0, let seen = request["plan"] else {
            return .missing
        }
        let replica = try opened.replica(target)
        let content = try content(replica, milliseconds)
        guard fingerprint(content) == seen else {
            let note: HTML = """
                <p class="fault" role="alert">Something changed meanwhile, so nothing was done: this is the plan now.</p>
                """
            return .refused(page(content, milliseconds, note))
        }
        let count = max(content.differences.count, 1)
        return try done(replica, milliseconds, "\(Words.count(count, "record")) brought back")
    }

    /// Takes back what a restore did.
    func undo() throws -> PageResponse {
        guard let milliseconds = request.number("ms"), milliseconds >= 0 else { return .missing }
        return try done(opened.replica(target), milliseconds, "Taken back")
    }

    private func done(_ replica: Replica, _ milliseconds: Int, _ words: String) throws -> PageResponse {
        let outcome =
            try reopenedKey.map { try replica.reopen(at: milliseconds, of: $0) }
            ?? replica.restore(at: milliseconds, of: key)
        let store = target.store.path
        if outcome.undoMoment != nil {
            DecisionNotes(beside: opened.file).markUndone(key, of: store, since: milliseconds)
        }
        let kept = outcome.outbox.map { "; the folder takes nothing now, so it is kept: \($0.reason)" } ?? ""
        let undo = outcome.undoMoment.map { moment in
            request.form(
                "/history/undo",
                ["store": store, "ms": "\(moment)", "collection": key?.collection, "key": key?.key],
                "<button>Undo</button>"
            )
        }
        return .done(
            outcome.undoMoment == nil ? "Nothing is different." : "\(words), on all devices\(kept).",
            then: request.path("/history", ["store": store]),
            undo: undo
        )
    }
}
