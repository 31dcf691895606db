internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Pages
internal import Slate
internal import StrictJSON

/// The pages of a Slate database's backups: a calendar, search, comparison, and restoration with its plan.
struct BackupPages: PageSource {
    let database: SlateDatabasePath
    /// The folder of the backups; nil for that of the schedule, else the usual one.
    let folder: String?
    /// The only backups to show; none for those of the folder and the notes.
    let files: [String]

    /// - Parameters:
    ///   - store: The path of the database; nil for the usual one.
    ///   - folder: The folder of the backups; nil for that of the schedule, else the usual one.
    ///   - files: The only backups to show; none for those of the folder and the notes.
    init(store: String?, folder: String? = nil, files: [String] = []) {
        database = SlateDatabasePath(store)
        (self.folder, self.files) = (folder, files)
    }

    /// The paths of the pages.
    enum Path {
        static let all = "/backups"
        static let file = "/backups/file"
        static let search = "/backups/search"
        static let compare = "/backups/compare"
        static let plan = "/backups/plan"
        static let restore = "/backups/restore"
        static let check = "/backups/check"
        static let undo = "/backups/undo"
    }

    let links = [PageLink("Backups", Path.all)]

    var places: LocalPlaces {
        let store = try? database.resolvedPath()
        var place = BackupPlace()
        place.to = folder
        let notes = store.flatMap { try? BackupNotes()?.backups(of: $0) }
        let noted = notes?.backups.map(\.file) ?? []
        return LocalPlaces(
            files: files + files.map { ResolvedPath($0).text } + noted + [store, database.path].compactMap(\.self),
            folders: [folder, store.flatMap { try? place.folder(of: $0) }].compactMap(\.self)
                .flatMap { [$0, ResolvedPath($0).text] }
        )
    }

    func response(to request: PageRequest) throws -> PageResponse {
        let shelf = try shelf(request)
        switch (request.method, request.path) {
        case (.get, Path.all):
            return .page(BackupOverviewPage(shelf: shelf, request: request, isChosen: !files.isEmpty).page)
        case (.get, Path.file): return .page(try file(shelf, request))
        case (.get, Path.search): return .page(try search(shelf, request))
        case (.get, Path.compare): return .page(try compare(shelf, request))
        case (.get, Path.plan): return .page(try plan(shelf, request))
        case (.get, Path.undo): return .page(try undoPage(shelf, request))
        case (.post, Path.restore): return try restore(shelf, request)
        case (.post, Path.check): return try check(shelf, request)
        case (.post, Path.undo): return try undo(shelf, request)
        default: return .missing
        }
    }

    private func shelf(_ request: PageRequest) throws -> BackupShelf {
        try BackupShelf(of: database, in: folder, files: files, now: request.now, clock: request.clock)
    }

    // MARK: One backup

    /// Returns a backup with its tasks and habits, or those that have a text in them.
    private func file(_ shelf: BackupShelf, _ request: PageRequest) throws -> Page {
        let backup = try shelf.backup(request["file"])
        let (records, asOf) = try RecordSource.open(backup.path, excluding: database.excluded, nil, asks: false) {
            (try $0.found(), $0.asOf)
        }
        let text = request["text"]
        let found = records.filter { record in text.map { record.has($0) } ?? true }
        let paging = Paging(request, count: found.count)
        let rows = found[paging.rows].map { record -> HTML in
            """
            <tr><th scope="row">\(record.title)</th><td>\(record.kind)</td><td>\(record.state)</td>\
            \(way(record, backup, request))</tr>
            """
        }
        let body: HTML = """
            \(actions(backup, request))
            \(Self.searchForm(request, in: backup.path, text))
            <h2>\(text.map { "Records with \"\($0)\" in them" } ?? "Records")</h2>
            \(Self.table(["Name", "Kind", "State"] + (request.isExport ? [] : ["Bring back"]), rows, found.count))
            \(paging.links { page in
                request.address(Path.file, ["file": backup.path, "text": text, "page": "\(page)"])
            })
            """
        let of = asOf.flatMap { Timestamp($0) }.map { "As of \(request.clock.words(of: $0)). " } ?? ""
        return Page(
            backup.name,
            summary:
                "\(of)\(Words.count(backup.size, "byte")), \(request.sentence(BackupOverviewPage.words(backup.state))).",
            body: body
        )
    }

    /// Returns the cell with the link to the plan; empty in an export, in which each link makes a page.
    private func way(_ record: FoundRecord, _ backup: ShelvedBackup, _ request: PageRequest) -> HTML {
        guard !request.isExport else { return HTML() }
        let link = request.link(
            "Bring back<span class=\"visually-hidden\"> \(record.title)</span>",
            Path.plan,
            ["file": backup.path, "kind": record.kind, "id": record.id]
        )
        return "<td>\(link)</td>"
    }

    private func actions(_ backup: ShelvedBackup, _ request: PageRequest) -> HTML {
        guard !request.isExport else { return request.link("All backups", Path.all) }
        let all = request.link("Restore all of it…", Path.plan, ["file": backup.path, "mode": "replace"])
        let merge = request.link("Add what is missing…", Path.plan, ["file": backup.path, "mode": "merge"])
        return """
            <div class="actions"><p class="links">\(request.link("All backups", Path.all)) \(all) \(merge)</p>
            \(request.form(Path.check, ["file": backup.path], "<button>Check this backup</button>"))</div>
            """
    }

    static func searchForm(_ request: PageRequest, in file: String?, _ text: String?) -> HTML {
        let path = file == nil ? Path.search : Path.file
        let label: HTML = file == nil ? "Search all backups and Slate itself" : "Search this backup"
        return request.search(
            path,
            ["file": file],
            """
            <div class="fields"><div class="wide"><label for="text">\(label)</label>\
            <input id="text" name="text" type="search" value="\(text ?? "")" required></div>\
            <p><button>Search</button></p></div>
            """
        )
    }

    static func table(_ headings: [String], _ rows: [HTML], _ count: Int, _ noun: String = "record") -> HTML {
        guard !rows.isEmpty else { return "<p>Nothing was found.</p>" }
        return """
            <div class="table"><table class="stack">
            <caption>\(Words.count(count, noun))</caption>
            <thead><tr>\(HTML(headings.map { "<th scope=\"col\">\($0)</th>" }))</tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            """
    }

    // MARK: Search

    private func search(_ shelf: BackupShelf, _ request: PageRequest) throws -> Page {
        guard let text = request["text"] else {
            return Page("Search in backups", body: Self.searchForm(request, in: nil, nil))
        }
        guard !NameText.folded(text).isEmpty else {
            throw CommandFailure(.usage, "there is nothing to search for")
        }
        var search = RecordSearch<FoundRecord>(text: text, way: "")
        let files = SearchedFiles(files: shelf.backups.map(\.path), chosen: [])
        if try database.readingIfPresent() != nil {
            try RecordSource.open(shelf.store, excluding: database.excluded, nil) {
                search.add(try $0.found(), of: shelf.store, asOf: nil, isStore: true)
            }
        }
        let skipped = try files.forEach(
            besides: shelf.store,
            code: "slate.unusable-backup",
            app: "Slate's"
        ) { file, _ in
            try RecordSource.open(file, excluding: database.excluded, nil, asks: false) {
                search.add(try $0.found(), of: file, asOf: $0.asOf, isStore: false)
            }
        }
        let results = search.results
        let paging = Paging(request, count: results.count, size: 25)
        let parts = results[paging.rows].map { result($0, shelf, request) }
        let passed = skipped.map { warning -> HTML in "<li>\(warning.file ?? ""): \(warning.message)</li>" }
        let body: HTML = """
            \(Self.searchForm(request, in: nil, text))
            \(passed.isEmpty ? HTML() : "<div class=\"fault\"><ul>\(passed)</ul></div>")
            \(parts.isEmpty ? "<p>Nothing has this text in it.</p>" : HTML(parts, separator: "\n"))
            \(paging.links { request.address(Path.search, ["text": text, "page": "\($0)"]) })
            """
        let count = Words.count(results.count, "record")
        return Page("Search in backups", summary: "\(count) with \"\(text)\" in them.", body: body)
    }

    private func result(
        _ result: RecordSearch<FoundRecord>.Result,
        _ shelf: BackupShelf,
        _ request: PageRequest
    ) -> HTML {
        let record = result.record
        let rows = result.versions.compactMap { version -> HTML? in
            guard let file = version.files.first else { return nil }
            let isStore = file.file == shelf.store
            let moment = file.asOf.flatMap { Timestamp($0) }.map { request.clock.words(of: $0) }
            let more = version.files.count - 1
            let also = more > 0 ? " and \(Words.count(more, "other file"))" : ""
            let name = file.file.split(separator: "/").last.map(String.init) ?? file.file
            let way = request.link(
                "Bring back<span class=\"visually-hidden\"> \(record.title) of \(name)</span>",
                Path.plan,
                ["file": file.file, "kind": version.record.kind, "id": version.record.id]
            )
            return """
                <tr><th scope="row">\(moment ?? "now")</th><td>\(version.record.state)</td>\
                <td>\(isStore ? "Slate itself" : name)\(also)</td><td>\(isStore ? HTML() : way)</td></tr>
                """
        }
        let missing: HTML = result.isCurrent ? "" : " <span class=\"badge attention\">not in Slate now</span>"
        return """
            <section class="panel"><h2>\(record.title) <small class="muted">\(record.kind)</small>\(missing)</h2>
            \(Self.table(["As of", "State", "File", "Bring back"], rows, rows.count, "version"))</section>
            """
    }

    // MARK: Comparison

    private func compare(_ shelf: BackupShelf, _ request: PageRequest) throws -> Page {
        guard request["old"] != nil, request["new"] != nil else {
            return Page("Compare two backups", body: Self.compareForm(shelf, request))
        }
        let (old, new) = (try shelf.backup(request["old"]), try shelf.backup(request["new"]))
        func content(_ backup: ShelvedBackup) throws -> SlateContent {
            let (report, input) = SlateInput.read(backup.path, asks: false)
            guard report.isUsable, let content = input?.reading.content else {
                throw CommandFailure(report.status, "\(backup.path) cannot be used", diagnostics: report.diagnostics)
            }
            return content
        }
        var records: [SlateDiff.Record] = []
        var counts: [SlateDiff.Kind: Int] = [:]
        try SlateDiff(try content(old), try content(new)).forEach {
            records.append($0)
            counts[$0.kind, default: 0] += 1
        }
        let paging = Paging(request, count: records.count)
        let items = records[paging.rows].map { Self.difference($0) }
        let list: HTML = items.isEmpty ? "<p>No differences.</p>" : "<ul class=\"changes\">\(items)</ul>"
        let parts = SlateDiff.Kind.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
        let body: HTML = """
            \(Self.compareForm(shelf, request))
            \(list)
            \(paging.links { page in
                request.address(Path.compare, ["old": old.path, "new": new.path, "page": "\(page)"])
            })
            """
        return Page("Compare two backups", summary: "From \(old.name) to \(new.name): \(parts).", body: body)
    }

    static func compareForm(_ shelf: BackupShelf, _ request: PageRequest) -> HTML {
        guard shelf.backups.count > 1 else { return "<p>There are no two backups to compare.</p>" }
        func choice(_ name: String, _ label: HTML, _ chosen: String?) -> HTML {
            let options = shelf.backups.map { backup -> HTML in
                let mark: HTML = backup.path == chosen ? " selected" : ""
                return "<option value=\"\(backup.path)\"\(mark)>\(backup.name)</option>"
            }
            return
                "<div><label for=\"\(name)\">\(label)</label><select id=\"\(name)\" name=\"\(name)\">\(options)</select></div>"
        }
        return request.search(
            Path.compare,
            [:],
            """
            <div class="fields">\(choice("old", "From", request["old"] ?? shelf.backups.dropFirst().first?.path))\
            \(choice("new", "To", request["new"] ?? shelf.backups.first?.path))<p><button>Compare</button></p></div>
            """
        )
    }

    private static func difference(_ record: SlateDiff.Record) -> HTML {
        let word: HTML =
            switch record.kind {
            case .added: "<span class=\"badge good\">added</span>"
            case .removed: "<span class=\"badge fault\">removed</span>"
            case .changed: "<span class=\"badge attention\">changed</span>"
            }
        let fields = record.fields.map { field -> HTML in
            let (old, new) = (field.old?.text(.compact), field.new?.text(.compact))
            return "<li>\(field.name): <del>\(old ?? "nothing")</del> → <ins>\(new ?? "nothing")</ins></li>"
        }
        let isListed = record.kind == .changed || record.part == .meta
        let name = record.part.name.replacing("_", with: " ")
        return """
            <li>\(word) <strong>\(record.title ?? record.key)</strong> <span class="muted">\(name)</span>\
            \(isListed ? "<ul>\(fields)</ul>" : HTML())</li>
            """
    }

    // MARK: Check

    /// Reads a backup, restores it for trial, and notes what was found.
    private func check(_ shelf: BackupShelf, _ request: PageRequest) throws -> PageResponse {
        let backup = try shelf.backup(request["file"])
        let (report, input) = SlateInput.read(backup.path, asks: false)
        let content = report.isUsable ? input?.reading.content : nil
        let fault = try content.flatMap { try TrialRestore($0).fault }
        let good = fault == nil ? content : nil
        BackupMemory.verified(backup.path, good, at: request.clock.text(of: request.now), of: shelf.store)
        let path = request.path(Path.file, ["file": backup.path])
        if let good { return .done("\(backup.name) is good: \(Words.count(good.count, "row")) came back.", then: path) }
        throw CommandFailure(
            .badData,
            "\(backup.path) is not good\(fault.map { ": \($0)" } ?? "")",
            diagnostics: report.diagnostics
        )
    }
}
