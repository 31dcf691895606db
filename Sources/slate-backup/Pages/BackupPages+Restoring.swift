internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Pages
internal import Slate

extension BackupPages {
    /// The records that a person wants to bring back.
    private enum Wish {
        case record(kind: String, id: String)
        case all(SlateImportMode)
    }

    /// The plan is not the one that the person saw.
    private struct Changed: Error {
        let plan: SlateImportPlan
    }

    /// The undo is not the one that the person saw.
    private struct UndoChanged: Error {
        let plan: SlateSafetyBackups.UndoPlan
    }

    // MARK: The plan

    /// Returns the plan of bringing records back, with the button that does it.
    func plan(_ shelf: BackupShelf, _ request: PageRequest) throws -> Page {
        let source = try source(shelf, request["file"])
        let wish = try Self.wish(request)
        switch wish {
        case .record:
            let restoration = try restoration(of: wish, source, request, now: request.now)
            let result = try restoration.dryRun()
            return try planPage(result.plan, restoration, source, wish, request, days: result)
        case .all(let mode):
            let content = try content(of: source)
            let result = try content.dryRun(into: database, options(mode, request, now: request.now))
            return try planPage(result.plan, nil, source, wish, request, days: result)
        }
    }

    /// Does what the plan says; where the database changed meanwhile, the new plan is shown instead.
    func restore(_ shelf: BackupShelf, _ request: PageRequest) throws -> PageResponse {
        let source = try source(shelf, request["file"])
        let wish = try Self.wish(request)
        // The moment of the plan: it goes into the records, and so into the plan.
        let now = request["moment"].flatMap { Timestamp($0) } ?? request.now
        func confirm(_ plan: SlateImportPlan) throws {
            guard Self.mark(plan) == request["plan"] else { throw Changed(plan: plan) }
        }
        var single: RecordRestoration?
        do {
            let result: SlateImportResult
            switch wish {
            case .record:
                let restoration = try restoration(of: wish, source, request, now: now)
                single = restoration
                result = try restoration.apply(confirm: confirm)
            case .all(let mode):
                let content = try content(of: source)
                let opened = try database.writing(mustExist: false).database
                result = try opened.importing(content, options(mode, request, now: now), confirm: confirm)
            }
            let what =
                single.map { "Brought back \($0.record.kind) \"\($0.record.title)\"." }
                ?? "Restored \(name(of: source))."
            return .done(
                result.isChange ? what : "Slate is as it was in \(name(of: source)) already.",
                then: request.path(Path.all),
                undo: result.safetyBackup.map { undoForm(request, $0) }
            )
        } catch let changed as Changed {
            var page = try planPage(changed.plan, single, source, wish, request)
            page.summary = "Slate changed since the plan was made, and nothing was done. This is the plan now."
            return .refused(page)
        }
    }

    /// Returns a form that leads to the plan of going back to a copy.
    private func undoForm(_ request: PageRequest, _ copy: SlateSafetyBackup) -> HTML {
        request.search(Path.undo, ["copy": copy.path], "<button>Undo…</button>")
    }

    private func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Returns the path of a backup or of a copy, if it is one.
    private func source(_ shelf: BackupShelf, _ path: String?) throws(CommandFailure) -> String {
        if let copy = shelf.copies.first(where: { $0.path == path }) { return copy.path }
        return try shelf.backup(path).path
    }

    private static func wish(_ request: PageRequest) throws(CommandFailure) -> Wish {
        if let kind = request["kind"], let id = request["id"] { return .record(kind: kind, id: id) }
        guard let mode = request["mode"].flatMap({ SlateImportMode(rawValue: $0) }) else {
            throw CommandFailure(.usage, "nothing says what to bring back: choose a record or a backup")
        }
        return .all(mode)
    }

    private func restoration(
        of wish: Wish,
        _ file: String,
        _ request: PageRequest,
        now: Timestamp
    ) throws -> RecordRestoration {
        try RecordRestoration(
            from: file,
            into: database,
            now: now,
            clock: request.clock,
            output: nil,
            asks: false
        ) { records, _ in
            guard case .record(let kind, let id) = wish,
                let record = records.first(where: { $0.kind == kind && $0.id == id })
            else { throw CommandFailure(.noInput, "\(file) has no such record any more") }
            return record
        }
    }

    private func content(of file: String) throws(CommandFailure) -> SlateContent {
        let (report, input) = SlateInput.read(file, asks: false)
        guard report.isUsable, let content = input?.reading.content else {
            throw CommandFailure(report.status, "\(file) cannot be used", diagnostics: report.diagnostics)
        }
        return content
    }

    private func options(_ mode: SlateImportMode, _ request: PageRequest, now: Timestamp) -> SlateImportOptions {
        SlateImportOptions(mode: mode, today: request.clock.day(of: now), moment: now)
    }

    /// Tells plans apart while the pages are served.
    private static func mark(_ plan: some Hashable) -> String { "\(plan.hashValue)" }

    // MARK: The page of a plan

    private func planPage(
        _ plan: SlateImportPlan,
        _ single: RecordRestoration?,
        _ file: String,
        _ wish: Wish,
        _ request: PageRequest,
        days: SlateImportResult? = nil
    ) throws -> Page {
        let title = single.map { "Bring back \"\($0.record.title)\"" } ?? "Restore \(name(of: file))"
        let back = request.link("Back to the backup", Path.file, ["file": file])
        guard !plan.isEmpty else {
            let body: HTML = "<p class=\"links\">\(back)</p>"
            return Page(title, summary: "Slate has all of it already. Nothing would change.", body: body)
        }
        var hidden: KeyValuePairs<String, String?> = [:]
        let (moment, mark) = (request.now.description, Self.mark(plan))
        switch wish {
        case .record(let kind, let id):
            hidden = ["file": file, "kind": kind, "id": id, "moment": moment, "plan": mark]
        case .all(let mode): hidden = ["file": file, "mode": mode.rawValue, "moment": moment, "plan": mark]
        }
        let button: HTML =
            single == nil
            ? "<button class=\"primary\">Restore it</button>" : "<button class=\"primary\">Bring it back</button>"
        let upgrade = try self.upgrade
        let body: HTML = """
            \(Self.warning(plan, single))
            \(Self.days(days))
            \(upgrade)
            \(Self.counts(plan))
            \(HTML(plan.parts.map { Self.actions($0, single) }))
            <div class="actions">\(request.form(Path.restore, hidden, button))<p>\(back)</p></div>
            """
        return Page(
            title,
            summary:
                "This is the plan. Nothing has been changed yet; a copy of Slate is kept, and undo goes back to it.",
            body: body
        )
    }

    private static func warning(_ plan: SlateImportPlan, _ single: RecordRestoration?) -> HTML {
        let removed = plan.count(.remove)
        let newer = plan.newer + (single?.overwritesNewer(plan) == true ? 1 : 0)
        guard removed > 0 || newer > 0 else { return HTML() }
        let removes = "removes \(Words.count(removed, "row")) that the backup does not have"
        let count = removed > 0 ? "\(newer)" : Words.count(newer, "row")
        let overwrites = "overwrites \(count) that \(newer == 1 ? "is" : "are") newer in Slate"
        let parts = (removed > 0 ? [removes] : []) + (newer > 0 ? [overwrites] : [])
        return """
            <p class="state attention"><strong>Mind:</strong> restoring \(parts.joined(separator: ", and ")).</p>
            """
    }

    /// Returns the days that become perfect, or are so no more.
    private static func days(_ result: SlateImportResult?) -> HTML {
        let words = result?.perfectDayWords(isDone: false, most: 5) ?? ""
        return words.isEmpty ? HTML() : "<p>\(words.dropFirst())</p>"
    }

    /// Says that the plan upgrades an older database.
    private var upgrade: HTML {
        get throws {
            let version = try database.readingIfPresent()?.version ?? SlateFormat.currentVersion
            return version < SlateFormat.currentVersion
                ? "<p>\(Messages.upgraded(SlateFormat.currentVersion))</p>" : HTML()
        }
    }

    private static func counts(_ plan: SlateImportPlan) -> HTML {
        let verbs = SlateImportPlan.Verb.allCases
        let rows = plan.parts.map { part -> HTML in
            let cells = verbs.map { verb -> HTML in "<td class=\"number\">\(part.count(verb))</td>" }
            let name = part.part.name.replacing("_", with: " ")
            return """
                <tr><th scope="row">\(name)</th>\(HTML(cells))<td class="number">\(part.unchanged)</td></tr>
                """
        }
        let headings = (verbs.map(\.rawValue) + ["same"]).map { verb -> HTML in
            "<th scope=\"col\" class=\"number\">\(verb)</th>"
        }
        return """
            <div class="table"><table>
            <caption>Rows of each table</caption>
            <thead><tr><th scope="col">Table</th>\(HTML(headings))</tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            """
    }

    private static func actions(_ part: SlateImportPlan.Part, _ single: RecordRestoration?) -> HTML {
        let actions = SlateImportPlan.Verb.allCases.flatMap { part.actions($0, all: false) }
        guard !actions.isEmpty else { return HTML() }
        let items = actions.map { action -> HTML in
            """
            <li><span class="badge">\(action.verb.rawValue)</span> \(action.title ?? action.key): \
            \(single?.reason(of: action, in: part) ?? action.reason)</li>
            """
        }
        let all = SlateImportPlan.Verb.allCases.reduce(0) { $0 + part.count($1) }
        let more: HTML? = all > items.count ? "<li>and \(all - items.count) more</li>" : nil
        return """
            <h2>\(part.part.name.replacing("_", with: " "))</h2>
            <ul class="changes">\(items)\(more)</ul>
            """
    }

    // MARK: Undo

    /// Returns the copies to go back to, or the plan of going back to one.
    func undoPage(_ shelf: BackupShelf, _ request: PageRequest) throws -> Page {
        guard let path = request["copy"] else { return Self.copiesPage(shelf, request) }
        let copy = try shelf.copy(path)
        do {
            _ = try SlateSafetyBackups.undo(shelf.store, to: copy, moment: request.now) { throw UndoChanged(plan: $0) }
        } catch let planned as UndoChanged {
            return undoPlanPage(planned.plan, request)
        }
        return Self.copiesPage(shelf, request)
    }

    /// Goes back to a copy, if the plan is still the one that was shown.
    func undo(_ shelf: BackupShelf, _ request: PageRequest) throws -> PageResponse {
        let copy = try shelf.copy(request["copy"] ?? "")
        do {
            let result = try SlateSafetyBackups.undo(shelf.store, to: copy, moment: request.now) { plan in
                guard Self.mark(plan) == request["plan"] else { throw UndoChanged(plan: plan) }
            }
            return .done(
                "Slate is what it was on \(request.clock.words(of: copy.moment)).",
                then: request.path(Path.all),
                undo: result.safetyBackup.map { undoForm(request, $0) }
            )
        } catch let changed as UndoChanged {
            var page = undoPlanPage(changed.plan, request)
            page.summary = "Slate changed since the plan was made, and nothing was done. This is the plan now."
            return .refused(page)
        }
    }

    /// Returns the cell with the link to the plan; empty in an export.
    private static func way(_ copy: SlateSafetyBackup, _ moment: String, _ request: PageRequest) -> HTML {
        guard !request.isExport else { return HTML() }
        let text: HTML = "Go back…<span class=\"visually-hidden\"> to \(moment)</span>"
        return "<td>\(request.link(text, Path.undo, ["copy": copy.path]))</td>"
    }

    private static func copiesPage(_ shelf: BackupShelf, _ request: PageRequest) -> Page {
        let rows = shelf.copies.map { copy -> HTML in
            let moment = request.clock.words(of: copy.moment)
            return """
                <tr><th scope="row">\(moment)</th><td>\(copy.reason.words)</td><td>\(copy.state.words)</td>\
                \(way(copy, moment, request))</tr>
                """
        }
        return Page(
            "Undo",
            summary: "Slate keeps a copy of itself before each change; ten stay, and ten from before an undo.",
            body: table(["Made", "Reason", "State"] + (request.isExport ? [] : ["Undo"]), rows, rows.count, "copy")
        )
    }

    private func undoPlanPage(_ plan: SlateSafetyBackups.UndoPlan, _ request: PageRequest) -> Page {
        let rows = SlateTable.allCases.map { table -> HTML in
            let changes = plan.changes?[table]
            let numbers =
                [plan.now[table] ?? 0, plan.then[table] ?? 0].map { "\($0)" }
                + [changes?.added, changes?.removed, changes?.changed, changes?.newer].map { $0.map { "\($0)" } ?? "?" }
            let cells = numbers.map { number -> HTML in "<td class=\"number\">\(number)</td>" }
            return "<tr><th scope=\"row\">\(table.name.replacing("_", with: " "))</th>\(HTML(cells))</tr>"
        }
        let headings = ["Now", "Then", "Come back", "Go away", "Change", "Newer now"].map { heading -> HTML in
            "<th scope=\"col\" class=\"number\">\(heading)</th>"
        }
        let button: HTML = "<button class=\"primary\">Go back</button>"
        let hidden: KeyValuePairs<String, String?> = ["copy": plan.copy.path, "plan": Self.mark(plan)]
        let body: HTML = """
            <div class="table"><table>
            <caption>Rows of each table</caption>
            <thead><tr><th scope="col">Table</th>\(HTML(headings))</tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            <div class="actions">\(request.form(Path.undo, hidden, button))\
            <p>\(request.link("All copies", Path.undo))</p></div>
            """
        return Page(
            "Go back to \(request.clock.words(of: plan.copy.moment))",
            summary: "This is the plan; the copy was made \(plan.copy.reason.words). Nothing has been changed yet.",
            body: body
        )
    }
}
