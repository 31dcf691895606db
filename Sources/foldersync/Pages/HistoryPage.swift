internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import Pages
internal import RecordMerge

/// The pages of changes by time, by day and by record, with the ways to restore.
struct HistoryPage: PageSource {
    let stores: PageStores

    var links: [PageLink] { [PageLink("History", "/history")] }

    var places: LocalPlaces { stores.places }

    /// The most changes, records and days on a page.
    private enum Size {
        static let changes = 25
        static let records = 100
        static let days = 60
        /// The most changes, and about the most records in them, that a search looks through.
        static let searched = 300
        static let searchedRecords = 20_000
    }

    func response(to request: PageRequest) throws -> PageResponse {
        guard let opened = try stores.open(for: request) else { return .page(PageStores.nothing("History")) }
        guard let target = opened.target(request) else { return .missing }
        let view = HistoryView(opened: opened, target: target, request: request)
        let restoring = RestorePlan(opened: opened, target: target, request: request)
        switch (request.method, request.path) {
        case (.get, "/history"): return try changes(view)
        case (.get, "/history/records"): return try records(view)
        case (.get, "/history/record"): return try record(view)
        case (.get, "/history/restore"): return try restoring.plan()
        case (.post, "/history/restore"): return try restoring.restore()
        case (.post, "/history/undo"): return try restoring.undo()
        default: return .missing
        }
    }

    // MARK: Changes

    private func changes(_ view: HistoryView) throws -> PageResponse {
        let request = view.request
        let replica = try view.opened.replica(view.target)
        let moments = try replica.moments()
        let asked: ClosedRange<Int>
        do throws(CommandFailure) {
            asked = try view.time(moments)
        } catch {
            let fault: HTML = "<p class=\"fault\" role=\"alert\">\(error.description)</p>"
            return .refused(Page("History", body: fault + view.form(moments, ...Int.max)))
        }
        let count = moments.count { asked.contains($0) }
        let paging = Paging(request, count: count, size: Size.changes)
        let first = moments.firstIndex { $0 <= asked.upperBound } ?? 0
        let rows = first + paging.rows.lowerBound..<first + paging.rows.upperBound
        let changes = try replica.log(paging.rows, during: asked)
        let missing = rows.count - changes.count
        let gone: HTML = """
            <p class="muted">\(Words.count(missing, "change")) of this page cannot be shown: the folder has no file of it any \
            more.</p>
            """
        let body: HTML = """
            \(PageStores.switcher(view.opened, view.target, request, "/history"))
            \(view.form(moments, PartialRangeThrough(asked.upperBound)))
            \(view.days(moments, Size.days))
            \(view.chosen(asked, moments))
            <h2>\(view.heading)</h2>
            <ul class="changes">\(changes.map(view.item))</ul>
            \(missing > 0 ? gone : HTML())
            \(paging.links { view.address(page: $0) })
            """
        let summary: HTML =
            moments.isEmpty
            ? "Nothing was changed yet."
            : """
            \(Words.count(moments.count, "change")) of \(view.opened.title(view.target)), the latest first. \
            \(request.link("All records", "/history/records", ["store": view.target.store.path]))
            """
        return .page(Page("History", summary: summary, body: body))
    }

    // MARK: Records

    /// Returns all records, or those that a search finds, also among deleted ones.
    private func records(_ view: HistoryView) throws -> PageResponse {
        let request = view.request
        let replica = try view.opened.replica(view.target)
        let text = request["q"]
        let start = (min(max(request.number("page") ?? 1, 1), 1 << 32) - 1) * Size.records
        let rows = start..<start + Size.records
        let found = try replica.records(
            rows,
            having: text.map(Self.words) ?? [],
            text.map { text in { Self.fits($0, text) } }
        )
        let paging = Paging(request, count: found.count, size: Size.records)
        let count =
            found.isAll ? Words.count(found.count, "record") : "More than \(Words.count(found.count - 1, "record"))"
        var deleted: HTML = ""
        if let text { deleted = try self.deleted(view, replica, text) }
        let rowsOfTable = found.names.map { name -> HTML in
            "<tr><td>\(view.link(name))</td><td>\(RecordWords.noun(name.collection))</td><td>\(name.key)</td></tr>"
        }
        let table: HTML = """
            <div class="table"><table class="stack"><caption>\(count)</caption>
            <thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">Key</th></tr></thead>
            <tbody>
            \(rowsOfTable)
            </tbody></table></div>
            """
        let body: HTML = """
            \(PageStores.switcher(view.opened, view.target, request, "/history/records"))
            \(view.search(text))
            \(deleted)
            \(found.count > 0 ? table : "<p>No record\(text == nil ? "" : " of that name").</p>")
            \(paging.links { page in
                request.address(
                    "/history/records",
                    ["store": view.target.store.path, "q": text, "page": "\(page)"]
                )
            })
            """
        return .page(Page(text == nil ? "Records" : "Records with “\(text ?? "")”", body: body))
    }

    /// Returns the ASCII words of a text: those that a search can find before it reads a record.
    private static func words(_ text: String) -> [String] {
        text.unicodeScalars.split { !$0.isASCII || !$0.properties.isAlphabetic && $0.properties.numericType == nil }
            .map { String($0) }
    }

    private static func fits(_ name: RecordName, _ text: String) -> Bool {
        name.key == text || NameText.contains(name.title ?? name.key, text)
    }

    /// Records of that name which the latest changes deleted.
    private func deleted(_ view: HistoryView, _ replica: Replica, _ text: String) throws -> HTML {
        let changes = try replica.log(
            0..<Size.searched,
            during: 0...Int.max,
            mostRecords: Size.searchedRecords
        )
        var seen: Set<RecordKey> = []
        var items: [HTML] = []
        for change in changes {
            for touched in change.records {
                guard seen.insert(RecordKey(touched.name.collection, touched.name.key)).inserted,
                    touched.action == .deleted, Self.fits(touched.name, text)
                else { continue }
                let restore = view.restoreLink(touched.name, change.milliseconds - 1, "Bring this back")
                items.append(
                    """
                    <li>\(view.link(touched.name)), deleted by \(view.words.author(change.device, change.milliseconds))
                    <div class="actions">\(restore)</div></li>
                    """
                )
            }
        }
        guard !items.isEmpty else { return HTML() }
        return """
            <section aria-labelledby="deleted"><h2 id="deleted">Deleted</h2>
            <p class="muted">Found in the latest \(Words.count(changes.count, "change")).</p>
            <ul class="changes">\(items)</ul></section><h2>There now</h2>
            """
    }

    /// Returns the changes of one record.
    private func record(_ view: HistoryView) throws -> PageResponse {
        guard let key = PageStores.key(view.request) else { return .missing }
        let replica = try view.opened.replica(view.target)
        let changes = try replica.log(limit: Size.records, record: (key.collection, key.key), isAlone: true)
        guard let name = try replica.name(of: key) ?? changes.lazy.flatMap(\.records).first?.name else {
            return .missing
        }
        let items = changes.map { view.item($0, $0.records, 0) }
        let body: HTML = """
            <ul class="changes">\(items)</ul>
            <p>\(view.request.link("All changes", "/history", ["store": view.target.store.path]))</p>
            """
        let summary: HTML = "\(Words.count(changes.count, "change")), the latest first."
        return .page(Page(RecordWords.name(name), summary: summary, body: body))
    }
}

/// The history of a store as parts of a page.
struct HistoryView {
    let opened: PageStores.Opened
    let target: Target
    let request: PageRequest

    let words: PageWords

    init(opened: PageStores.Opened, target: Target, request: PageRequest) {
        (self.opened, self.target, self.request) = (opened, target, request)
        words = PageWords(values: ValueWords(target, request.clock), clock: request.clock)
    }

    private var day: CivilDay? { request["day"].flatMap { CivilDay($0) } }

    /// Returns the time that is asked for, in milliseconds since 1970: a day, all until a moment, or all.
    ///
    /// - Throws: 64 for a moment that cannot be read.
    func time(_ moments: [Int]) throws(CommandFailure) -> ClosedRange<Int> {
        if let day { return try start(of: day)...(start(of: day.adding(days: 1)) - 1) }
        if let milliseconds = request.number("ms"), milliseconds >= 0 { return 0...milliseconds }
        // The slider counts from the first change on, so that later ones do not move it.
        if let step = request.number("step"), step >= 0, step < moments.count {
            return 0...moments[moments.count - 1 - step]
        }
        guard let text = request["at"] else { return 0...Int.max }
        do {
            let expression = try TimeExpression.moment(text.replacing("T", with: " ", maxReplacements: 1))
            let moment = try expression.moment(now: request.now, clock: request.clock)
            return 0...max(0, PastMoment(moment: moment, clock: request.clock).milliseconds)
        } catch {
            let expected = "expected a moment such as 2026-11-21 14:30 or yesterday 14:30"
            throw CommandFailure(.usage, "\(expected), found \"\(text)\"")
        }
    }

    private func start(of day: CivilDay) throws(CommandFailure) -> Int {
        do {
            let midnight = try TimeExpression.moment("\(day.description) 00:00")
            let moment = try midnight.moment(now: request.now, clock: request.clock)
            return moment.seconds * 1_000
        } catch {
            // A clock may skip midnight; the day begins then where UTC's does.
            return day.number * 86_400_000 - request.clock.offset(Timestamp(seconds: day.number * 86_400)) * 1_000
        }
    }

    // MARK: What is asked for

    /// Returns the forms: a moment, the slider, a search.
    func form(_ moments: [Int], _ range: PartialRangeThrough<Int>) -> HTML {
        guard !request.isExport else { return HTML() }
        let last = moments.first { range.contains($0) }
        let local = request["at"] ?? last.map { Self.localTime($0, request.clock) } ?? ""
        let at: HTML = """
            <div class="fields"><div><label for="at">As of</label>
            <input type="datetime-local" id="at" name="at" value="\(local)" step="1" required></div>
            <div><button>Show</button></div></div>
            """
        let store: KeyValuePairs<String, String?> = ["store": target.store.path]
        return """
            <div class="panel">
            \(request.search("/history", store, at))
            \(slider(moments, last))
            \(search(nil))
            </div>
            """
    }

    /// Returns a moment as the field of a form has it: `2026-11-21T14:30:00`.
    private static func localTime(_ milliseconds: Int, _ clock: LocalClock) -> String {
        String(RecordWords.moment(milliseconds, clock).prefix(19))
    }

    /// The most steps of the slider.
    private static let mostSteps = 400

    /// Returns a slider over the latest changes, from the oldest on.
    private func slider(_ moments: [Int], _ last: Int?) -> HTML {
        let shown = Array(moments.prefix(Self.mostSteps).reversed())
        guard shown.count > 1, let last else { return HTML() }
        let offset = moments.count - shown.count
        let index = shown.lastIndex { $0 <= last } ?? 0
        let texts = shown.map { request.clock.words(of: Timestamp(seconds: $0 / 1_000)) }
        let content: HTML = """
            <div class="fields"><div class="wide"><label for="step">Through time</label>
            <input type="range" id="step" name="step" min="\(offset)" max="\(moments.count - 1)" value="\(offset + index)" \
            aria-describedby="step-moment" aria-valuetext="\(texts[index])" data-first="\(offset)" \
            data-moments="\(texts.joined(separator: "|"))">
            <output id="step-moment" for="step">\(texts[index])</output></div>
            <div><button>Go there</button></div></div>
            """
        return request.search("/history", ["store": target.store.path], content)
    }

    func search(_ text: String?) -> HTML {
        let content: HTML = """
            <div class="fields"><div class="wide"><label for="q">Find a record, also a deleted one</label>
            <input type="search" id="q" name="q" value="\(verbatim: text ?? "")" required></div>
            <div><button>Search</button></div></div>
            """
        return request.search("/history/records", ["store": target.store.path], content)
    }

    /// Returns the latest days on which something changed.
    func days(_ moments: [Int], _ most: Int) -> HTML {
        var counts: [(day: CivilDay, count: Int)] = []
        for moment in moments {
            let day = request.clock.day(of: Timestamp(seconds: moment / 1_000))
            if counts.last?.day == day {
                counts[counts.count - 1].count += 1
            } else {
                guard counts.count < most else { break }
                counts.append((day, 1))
            }
        }
        guard !counts.isEmpty else { return HTML() }
        let items = counts.map { entry -> HTML in
            let current: HTML = entry.day == day ? " aria-current=\"page\"" : ""
            let address = request.address("/history", ["store": target.store.path, "day": entry.day.description])
            return "<li><a href=\"\(address)\"\(current)>\(entry.day.words) (\(entry.count))</a></li>"
        }
        return """
            <details\(day == nil ? "" : " open")><summary>Days with changes</summary>
            <ul class="days">\(items)</ul></details>
            """
    }

    var heading: String { day.map { "Changes of \($0.words)" } ?? "Changes" }

    /// Returns the link that restores the time that is shown; empty in an export.
    func chosen(_ time: ClosedRange<Int>, _ moments: [Int]) -> HTML {
        guard !request.isExport else { return HTML() }
        let store = target.store.path
        if let day {
            // Before the first change there is nothing to bring back.
            guard let first = moments.last, first < time.lowerBound else { return HTML() }
            let link = request.link(
                "Bring back everything as it was before this day",
                "/history/restore",
                ["store": store, "ms": "\(time.lowerBound - 1)"]
            )
            return "<p class=\"state\">\(day.words). \(link)</p>"
        }
        guard time.upperBound != Int.max else { return HTML() }
        let moment = words.moment(time.upperBound)
        let link = request.link(
            "What is different from now, and bring it back",
            "/history/restore",
            ["store": store, "ms": "\(time.upperBound)"]
        )
        return """
            <p class="state">As of \(moment). \(link). \(request.link("Back to now", "/history", ["store": store]))</p>
            """
    }

    func address(page: Int) -> String {
        request.address(
            "/history",
            [
                "store": target.store.path, "day": request["day"], "ms": request["ms"], "at": request["at"],
                "step": request["step"], "page": "\(page)",
            ]
        )
    }

    // MARK: Changes

    /// The most records of a change that are shown.
    private static let most = 20

    func item(_ change: SyncedChange) -> HTML {
        item(change, Array(change.records.prefix(Self.most)), change.recordCount - min(Self.most, change.records.count))
    }

    /// Returns a change with some of its records, and the number of its other ones.
    func item(_ change: SyncedChange, _ records: [SyncedChange.RecordChange], _ more: Int) -> HTML {
        let counts = more > 0 ? RecordWords.list(change, most: 0, titles: 0) : ""
        let rest: HTML = more > 0 ? "<p class=\"muted\">In all: \(counts).</p>" : HTML()
        let last: HTML = more > 0 ? "<li class=\"muted\">and \(more) more</li>" : HTML()
        return """
            <li><h3>\(words.author(change.device, change.milliseconds))</h3>
            \(rest)<ul>\(records.map { record($0, change) })\(last)</ul></li>
            """
    }

    private func record(_ touched: SyncedChange.RecordChange, _ change: SyncedChange) -> HTML {
        // What was added was not there before: nothing of it comes back.
        let text: HTML? =
            switch touched.action {
            case .deleted: "Bring this back"
            case .changed: "Bring back what it was before"
            default: nil
            }
        let action = text.map { text in
            "<div class=\"actions\">\(restoreLink(touched.name, change.milliseconds - 1, text))</div>" as HTML
        }
        let end = touched.action == .kept ? Messages.notDeleted : ""
        return "<li>\(touched.action.rawValue) \(link(touched.name))\(words.changes(touched))\(end)\(action)</li>"
    }

    /// Returns a link to the changes of a record.
    func link(_ name: RecordName) -> HTML {
        request.link(
            "\(RecordWords.name(name))",
            "/history/record",
            ["store": target.store.path, "collection": name.collection, "key": name.key]
        )
    }

    /// Returns a link to the plan of bringing a record back; empty in an export, where nothing can be restored.
    func restoreLink(_ name: RecordName, _ milliseconds: Int, _ text: HTML) -> HTML {
        guard !request.isExport else { return HTML() }
        return request.link(
            "\(text)<span class=\"visually-hidden\">: \(RecordWords.name(name))</span>",
            "/history/restore",
            [
                "store": target.store.path, "collection": name.collection, "key": name.key, "ms": "\(milliseconds)",
            ]
        )
    }
}
