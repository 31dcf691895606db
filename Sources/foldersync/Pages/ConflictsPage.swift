internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import Pages
internal import RecordMerge
internal import StrictJSON

/// Conflicts side by side, and what decides them.
struct ConflictsPage: PageSource {
    let stores: PageStores

    var links: [PageLink] { [PageLink("Conflicts", "/conflicts")] }

    /// The most records with conflicts on a page.
    private static let size = 20

    func response(to request: PageRequest) throws -> PageResponse {
        guard let opened = try stores.open(for: request) else { return .page(PageStores.nothing("Conflicts")) }
        let decider = ConflictDecider(opened: opened, request: request)
        switch (request.method, request.path) {
        case (.get, "/conflicts"): return .page(try page(opened, request))
        case (.get, "/conflicts/all"): return try decider.plan()
        case (.post, "/conflicts/all"): return try decider.decideAll()
        case (.post, "/conflicts/decide"):
            do throws(CommandFailure) {
                return try decider.decide()
            } catch {
                // The person reads it above the conflicts, and chooses again.
                let fault: HTML = "<p class=\"fault\" role=\"alert\">\(ProgramNames.asCalled(error.description))</p>"
                var page = try page(opened, request)
                page.body = fault + page.body
                return .refused(page)
            }
        case (.post, "/conflicts/undo"): return try decider.undo()
        case (.post, "/conflicts/sync"): return try decider.sync()
        default: return .missing
        }
    }

    private func page(_ opened: PageStores.Opened, _ request: PageRequest) throws -> Page {
        let named = request["store"].flatMap { path in opened.targets.first { $0.store.path == path } }
        let counts = try TargetResults(opened.targets) { try opened.replica($0).conflicts(ofRecords: 0..<0).records }
        let total = counts.values.reduce(0) { $0 + $1.value }
        let first = counts.values.first { $0.value > 0 } ?? counts.values.first
        let chosen = named ?? first?.target ?? opened.targets[0]
        let replica = try opened.replica(chosen)
        let count = counts.values.first { $0.target.store.path == chosen.store.path }?.value ?? 0
        let paging = Paging(request, count: count, size: Self.size)
        let conflicts = try replica.conflicts(ofRecords: paging.rows).conflicts
        let values = ValueWords(chosen, request.clock)
        let panels = ConflictPanels(
            store: chosen.store.path,
            request: request,
            words: PageWords(values: values, clock: request.clock),
            typed: TypedValue(chosen.app, request.clock, now: request.now, store: chosen.store.path),
            this: opened.environment.device.id
        )
        let faults = Self.faults(counts, opened, request)
        let summary: HTML =
            total == 0
            ? (faults.isEmpty ? agreement(opened, request) : HTML())
            : """
            \(Words.count(total, "record")) changed on several devices that did not know of each other. All devices show \
            the same value until somebody decides.
            """
        let body: HTML = """
            \(faults)
            \(PageStores.switcher(opened, chosen, request, "/conflicts"))
            \(count > 1 || conflicts.count > 1 ? panels.all(conflicts) : HTML())
            \(panels.records(conflicts))
            \(paging.links { request.address("/conflicts", ["store": chosen.store.path, "page": "\($0)"]) })
            \(decided(opened, request))
            """
        return Page("Conflicts", summary: summary, body: body)
    }

    /// Returns the text for the case that no conflict is known, and all stores can be read.
    private func agreement(_ opened: PageStores.Opened, _ request: PageRequest) -> HTML {
        var folders: [String] = []
        for folder in opened.targets.map(\.folder.path) where !folders.contains(folder) {
            if (try? Replica.isSharedIfThere(folder)) != true { folders.append(folder) }
        }
        guard !folders.isEmpty else { return "No conflicts: all devices agree." }
        let list = folders.map { "the folder \($0) cannot be read now" }.joined(separator: ", ")
        return "No conflicts that this device knows of; \(request.sentence(list))."
    }

    private static func faults<Value>(
        _ results: TargetResults<Value>,
        _ opened: PageStores.Opened,
        _ request: PageRequest
    ) -> [HTML] {
        results.entries.compactMap { entry -> HTML? in
            guard case .failure(let failure) = entry.result else { return nil }
            return "<p class=\"fault\">\(opened.title(entry.target)): \(request.sentence(failure.description))</p>"
        }
    }

    /// Returns the latest decisions of this device, with the buttons that take them back.
    private func decided(_ opened: PageStores.Opened, _ request: PageRequest) -> HTML {
        let notes = DecisionNotes(beside: opened.file).read().filter { note in
            opened.targets.contains { $0.store.path == note.store }
        }
        guard !notes.isEmpty else { return HTML() }
        let items = notes.prefix(50).map { note -> HTML in
            let app = opened.targets.first { $0.store.path == note.store }?.app
            let words = PageWords(
                values: app.map { ValueWords($0, request.clock) } ?? ValueWords(schema: nil, request.clock),
                clock: request.clock
            )
            // The record may have been changed since: the plan says what goes back with the decision.
            let undo = request.link(
                "Undo<span class=\"visually-hidden\">: \(note.words)</span>",
                "/history/restore",
                [
                    "store": note.store, "collection": note.collection, "key": note.key,
                    "ms": "\(note.undoMoment)", "reopen": "yes",
                ]
            )
            let way: HTML = request.isExport ? "" : "<div class=\"actions\">\(undo)</div>"
            let state: HTML = note.isUndone ? "<span class=\"badge\">taken back</span>" : way
            return "<li>\(words.moment(note.milliseconds)): \(note.words)\(state)</li>"
        }
        let isAnyUndone = notes.prefix(50).contains(where: \.isUndone)
        let undone: HTML = """
            <p class="muted">Taken back: all devices show again what they showed before, and a conflict of values is open \
            again. What was decided is in the \(request.link("history", "/history")).</p>
            """
        return """
            <section aria-labelledby="decided"><h2 id="decided">Decided on this device</h2>
            \(isAnyUndone ? undone : HTML())<ul class="changes">
            \(items)
            </ul></section>
            """
    }
}

/// Conflicts of a store as parts of a page.
struct ConflictPanels {
    let store: String
    let request: PageRequest
    let words: PageWords
    let typed: TypedValue
    /// The identifier of this device.
    let this: String

    /// Returns the choice for all conflicts of the store; its plan comes before anything is decided.
    func all(_ conflicts: [RecordConflict]) -> HTML {
        guard !request.isExport else { return HTML() }
        let options = sides(conflicts).map { side -> HTML in
            "<option value=\"\(side.value)\">\(side.title)</option>"
        }
        let content: HTML = """
            <div class="fields"><div class="wide"><label for="side">Decide all of this store at once</label>
            <select id="side" name="side">\(options)</select></div>
            <div><button>See what that would do</button></div></div>
            """
        return request.search("/conflicts/all", ["store": store], content)
    }

    /// Returns the choices for several conflicts, as `resolve --all` has them.
    private func sides(_ conflicts: [RecordConflict]) -> [(value: String, title: String)] {
        var devices: [SyncDevice] = []
        for device in conflicts.flatMap({ $0.choices.compactMap(\.device) + $0.sides.compactMap(\.device) })
        where device.id != this && !devices.contains(where: { $0.id == device.id }) {
            devices.append(device)
        }
        var sides = [(value: "shown", title: "What all devices show now"), ("mine", "What this device wrote")]
        if devices.count != 1 { sides.append(("theirs", "What another device wrote last")) }
        return sides + devices.map { ($0.id, "What \(RecordWords.device($0)) wrote") }
    }

    /// Returns a panel for each record.
    func records(_ conflicts: [RecordConflict]) -> [HTML] {
        var records: [(name: RecordName, conflicts: [RecordConflict])] = []
        for conflict in conflicts {
            if records.last?.name == conflict.name {
                records[records.count - 1].conflicts.append(conflict)
            } else {
                records.append((conflict.name, [conflict]))
            }
        }
        var number = 0
        return records.map { record in
            let parts = record.conflicts.map { conflict -> HTML in
                number += 1
                return part(conflict, number)
            }
            return """
                <section class="panel" aria-labelledby="record\(number)">
                <h2 id="record\(number)">\(record.conflicts.first.map { RecordWords.name($0) } ?? "")</h2>
                \(record.conflicts.count > 1 ? whole(record.name, record.conflicts) : HTML())
                \(parts)
                </section>
                """
        }
    }

    /// Returns the buttons that decide all conflicts of a record.
    private func whole(_ name: RecordName, _ conflicts: [RecordConflict]) -> HTML {
        guard !request.isExport else { return HTML() }
        let seen = ConflictDecider.fingerprint(conflicts)
        let buttons = sides(conflicts).filter { $0.value != "theirs" }.map { side in
            request.form(
                "/conflicts/decide",
                [
                    "store": store, "collection": name.collection, "key": name.key, "side": side.value, "seen": seen,
                ],
                "<button>\(side.title)</button>"
            )
        }
        return "<p>For all \(conflicts.count) fields:</p><div class=\"actions\">\(buttons)</div>"
    }

    private func part(_ conflict: RecordConflict, _ number: Int) -> HTML {
        let report = ConflictReport(conflict, words.values)
        let title: HTML = conflict.path.isEmpty ? HTML() : "<h3>\(report.place)</h3>"
        guard conflict.kind == .value else { return title + other(conflict, report) }
        let before: HTML =
            conflict.old.map { found in
                """
                <div class="side"><h4>Before</h4><p class="who">\(words.author(found.device, found.milliseconds))</p>
                <p class="value">\(lines: found.value.map { report.whole($0) } ?? "(none)")</p></div>
                """
            } ?? HTML()
        let choices = conflict.choices.enumerated().map { choice($0.offset, $0.element, conflict, report) }
        return """
            \(title)<div class="sides">
            \(before)
            \(choices)
            </div>
            <div class="actions">\(both(conflict, report))</div>
            \(edit(conflict, report, number))
            """
    }

    private func choice(
        _ index: Int,
        _ choice: RecordConflict.Choice,
        _ conflict: RecordConflict,
        _ report: ConflictReport
    ) -> HTML {
        let text = report.whole(choice.value)
        let other = conflict.choices.first { $0 != choice }.map { report.whole($0.value) } ?? text
        let device = RecordWords.device(choice.device)
        let button: HTML = """
            <button aria-label="Keep the value of \(device) for \(report.place) of \(RecordWords.name(conflict))">\
            Keep this</button>
            """
        return """
            <div class="side\(choice.isShown ? " shown" : "")"><h4>\(device)</h4>
            <p class="who">\(words.moment(choice.milliseconds))\(choice.isShown ? " – all devices show this now" : "")</p>
            <p class="value">\(MarkedText.marked(text, against: other))</p>
            \(decision(conflict, ["choice": "\(index + 1)"], button))</div>
            """
    }

    /// Returns the form of a decision on one conflict.
    private func decision(
        _ conflict: RecordConflict,
        _ fields: KeyValuePairs<String, String?>,
        _ content: HTML
    ) -> HTML {
        let named: [(String, String?)] = [
            ("store", store), ("collection", conflict.name.collection), ("key", conflict.name.key),
            ("seen", ConflictReport.fingerprint(conflict)),
        ]
        return request.form("/conflicts/decide", named + fields.map { ($0.key, $0.value) }, content)
    }

    /// Returns the button that keeps two texts, one behind the other.
    private func both(_ conflict: RecordConflict, _ report: ConflictReport) -> HTML {
        guard let value = ConflictDecider.both(conflict), (try? typed.check(value, for: conflict)) != nil else {
            return HTML()
        }
        let text: HTML = """
            <button aria-label="Keep both texts for \(report.place) of \(RecordWords.name(conflict))">\
            Keep both</button>
            """
        return decision(conflict, ["both": "yes"], text)
    }

    /// Returns the form for another value.
    private func edit(_ conflict: RecordConflict, _ report: ConflictReport, _ number: Int) -> HTML {
        guard !request.isExport, conflict.members.isEmpty else { return HTML() }
        let shown = conflict.choices.first { $0.isShown }?.value
        let title = words.values.title(shown, conflict.name.collection, conflict.path)
        let text = title ?? shown?.string ?? shown?.text(.compact) ?? ""
        let label: HTML = "<label for=\"value\(number)\">Another value: \(typed.expectation(conflict))</label>"
        let field: HTML =
            text.utf8.count > 60 || text.contains("\n")
            ? "<textarea id=\"value\(number)\" name=\"value\" required>\n\(verbatim: text)</textarea>"
            : "<input id=\"value\(number)\" name=\"value\" value=\"\(verbatim: text)\" required autocomplete=\"off\">"
        let content: HTML = """
            <div class="fields"><div class="wide">\(label)
            \(field)</div><div><button>Take this value</button></div></div>
            """
        return "<details><summary>Edit</summary>\(decision(conflict, [:], content))</details>"
    }

    /// Returns the markup of a conflict without values to choose from.
    private func other(_ conflict: RecordConflict, _ report: ConflictReport) -> HTML {
        let sides = conflict.sides.map { side -> HTML in
            let verb = side.isRemoval ? "deleted it" : "changed it"
            return "<li>\(RecordWords.device(side.device)) \(verb), \(words.moment(side.milliseconds))</li>"
        }
        let values = conflict.values.map { "<li>\(words.change($0, conflict.name.collection))</li>" as HTML }
        let name = RecordWords.name(conflict)
        let isDeletion = conflict.kind == .deletedRecord || conflict.kind == .removedElement
        let keep: HTML =
            isDeletion
            ? "<button aria-label=\"Keep \(name)\">Keep it</button>"
            : "<button aria-label=\"Keep \(name) as it is shown\">Keep as it is shown</button>"
        let delete: HTML = "<button aria-label=\"Delete \(name)\">Delete it</button>"
        let remove = decision(conflict, ["choice": "removed"], delete)
        return """
            <p>\(report.heading)</p>
            \(sides.isEmpty ? HTML() : "<ul>\(sides)</ul>")
            \(values.isEmpty ? HTML() : "<p>What was changed:</p><ul>\(values)</ul>")
            <div class="actions">\(decision(conflict, ["choice": "shown"], keep))\(isDeletion ? remove : HTML())</div>
            """
    }
}
