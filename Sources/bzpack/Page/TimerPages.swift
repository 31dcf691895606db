internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import Pages

/// The pages of a BZ Timer store: its sessions and presets, each as a page that runs.
struct TimerPages: PageSource {
    private let store: String?
    private let files: [String]

    /// - Parameters:
    ///   - store: The path of the store; nil for the usual one.
    ///   - files: The files whose sessions are shown instead of the store's; none for the store's.
    init(store: String?, files: [String] = []) { (self.store, self.files) = (store, files) }

    /// The paths of the pages.
    private enum Path {
        static let list = "/sessions"
        static let run = "/sessions/run"
        static let file = "/sessions/file"
    }

    let links = [PageLink("Sessions", Path.list)]

    var places: LocalPlaces {
        var option = StoreOption()
        option.path = store
        return LocalPlaces(files: files + [store, try? option.resolvedPath()].compactMap(\.self))
    }

    func response(to request: PageRequest) throws -> PageResponse {
        var option = StoreOption()
        option.path = store
        if !files.isEmpty { return try response(to: request, settings: option.timerSettings()) }
        let opened = try option.reading()
        switch request.path {
        case Path.list: return .page(try opened.read { try list($0, request) })
        case Path.run, Path.file:
            guard let id = request["id"] else { return .missing }
            let isPreset = request["kind"] == Runnable.presetKind
            let (found, settings) = try opened.read { (try Runnable(id, isPreset: isPreset, $0), try $0.settings()) }
            guard let found, found.kind == request["kind"] else { return .missing }
            return try run(found, settings, request)
        default: return .missing
        }
    }

    private func run(_ found: Runnable, _ settings: TimerSettings, _ request: PageRequest) throws -> PageResponse {
        let page = try RunningPage(found, settings: settings)
        guard request.path == Path.file else { return .document(page.html, policy: RunningPage.policy) }
        return .file(page.fileName, type: "text/html; charset=utf-8", Array(page.html.utf8))
    }

    /// Returns the answer from the files: a session is named by its number in them, as two files may have one
    /// identifier.
    private func response(to request: PageRequest, settings: TimerSettings) throws -> PageResponse {
        let all = try files.flatMap { try Runnable.all(in: $0).runnables }
        switch request.path {
        case Path.list:
            let paging = Paging(request, count: all.count)
            let sorted = all.enumerated().sorted { NaturalOrder.precedes($0.element.name, $1.element.name) }
            let rows = sorted[paging.rows].map { row($0.element, ["number": "\($0.offset)"], request) }
            return .page(page(rows, paging, of: all.count, request))
        case Path.run, Path.file:
            guard let number = request.number("number"), all.indices.contains(number) else { return .missing }
            return try run(all[number], settings, request)
        default: return .missing
        }
    }

    /// The most sessions that are sorted; of more only the names of one page are read, in the order of their
    /// characters.
    private static let mostSorted = 1_000

    /// Returns the sessions and presets of one page, by name.
    private func listed(_ records: BztimerRecords, _ rows: Range<Int>, of count: Int) throws -> [ListedTimer] {
        guard count <= Self.mostSorted else { return try records.listed(rows) }
        let all = try records.listed(0..<count).sorted { NaturalOrder.precedes($0.name, $1.name) }
        return Array(all[rows.clamped(to: all.indices)])
    }

    private func list(_ records: BztimerRecords, _ request: PageRequest) throws -> Page {
        let count = try records.listedCount()
        let paging = Paging(request, count: count)
        let rows = try listed(records, paging.rows, of: count).map { listed -> HTML in
            guard let runnable = try Runnable(listed.id, isPreset: listed.isPreset, records) else {
                let kind = listed.isPreset ? Runnable.presetKind : Runnable.sessionKind
                let list = ProgramNames.asCalled(
                    "bzpack \(listed.isPreset ? "presets list" : "list")\(StoreArgument.repeated)"
                )
                return """
                    <tr><th scope="row">\(listed.name)</th><td>\(kind)</td>\
                    <td colspan="3">cannot be read: <code>\(list)</code> says why</td></tr>
                    """
            }
            return row(runnable, ["kind": runnable.kind, "id": runnable.id], request)
        }
        return page(rows, paging, of: count, request)
    }

    private func row(
        _ runnable: Runnable,
        _ fields: KeyValuePairs<String, String?>,
        _ request: PageRequest
    ) -> HTML {
        let name: HTML = "<span class=\"visually-hidden\"> \(runnable.name)</span>"
        return """
            <tr><th scope="row">\(runnable.name)</th><td>\(runnable.kind)</td><td>\(runnable.summary)</td>\
            <td>\(request.link("Run\(name)", Path.run, fields))</td>\
            <td>\(request.link("Download\(name)", Path.file, fields))</td></tr>
            """
    }

    private func page(_ rows: [HTML], _ paging: Paging, of count: Int, _ request: PageRequest) -> Page {
        let table: HTML = """
            <div class="table"><table class="stack">
            <caption>Sessions and presets: \(count)</caption>
            <thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">What it is</th>\
            <th scope="col">Run</th><th scope="col">As a file</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            \(paging.links { request.address(Path.list, ["page": "\($0)"]) })
            """
        let summary: HTML =
            "Each is one page that counts down, beeps and speaks without a network. Send the file to a client without the app."
        return Page("Sessions", summary: summary, body: count == 0 ? "<p>There are no sessions.</p>" : table)
    }
}

extension Runnable {
    fileprivate static let sessionKind = "session"
    fileprivate static let presetKind = "preset"

    /// Makes the session or preset with an id; nil where there is none that can be read.
    fileprivate init?(_ id: String, isPreset: Bool, _ records: BztimerRecords) throws {
        let found: Runnable? =
            isPreset
            ? try records.preset(id: id).map(Runnable.preset) : try records.session(id: id).map(Runnable.session)
        guard let found else { return nil }
        self = found
    }

    /// The kind, in one word.
    fileprivate var kind: String {
        switch self {
        case .session: Self.sessionKind
        case .preset: Self.presetKind
        }
    }

    /// Its blocks and length.
    fileprivate var summary: String {
        switch self {
        case .session(let session): return Words.summary(of: session)
        case .preset:
            let timeline = try? timeline(preCountdownSeconds: 0)
            return timeline.map { Words.length($0.total) } ?? "too long"
        }
    }
}
