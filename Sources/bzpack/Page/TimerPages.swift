internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import Pages

/// The pages of a BZ Timer store: its sessions and presets, each as a page that runs.
struct TimerPages: PageSource {
    private let store: String?

    /// - Parameter store: The path of the store; nil for the usual one.
    init(store: String?) { self.store = store }

    /// The paths of the pages.
    private enum Path {
        static let list = "/sessions"
        static let run = "/sessions/run"
        static let file = "/sessions/file"
    }

    let links = [PageLink("Sessions", Path.list)]

    func response(to request: PageRequest) throws -> PageResponse {
        var option = StoreOption()
        option.path = store
        let (all, settings) = try option.reading().read { (try Runnable.all($0), try $0.settings()) }
        switch request.path {
        case Path.list: return .page(list(all, request))
        case Path.run, Path.file:
            guard let found = all.first(where: { $0.id == request["id"] && $0.kind == request["kind"] }) else {
                return .missing
            }
            let page = try RunningPage(found, settings: settings)
            guard request.path == Path.file else { return .document(page.html, policy: RunningPage.policy) }
            return .file(page.fileName, type: "text/html; charset=utf-8", Array(page.html.utf8))
        default: return .missing
        }
    }

    private func list(_ all: [Runnable], _ request: PageRequest) -> Page {
        let sorted = all.sorted { NaturalOrder.precedes($0.name, $1.name) }
        let paging = Paging(request, count: sorted.count)
        let rows = sorted[paging.rows].map { runnable -> HTML in
            let fields: KeyValuePairs<String, String?> = ["kind": runnable.kind, "id": runnable.id]
            let name: HTML = "<span class=\"visually-hidden\"> \(runnable.name)</span>"
            return """
                <tr><th scope="row">\(runnable.name)</th><td>\(runnable.kind)</td><td>\(runnable.summary)</td>\
                <td>\(request.link("Run\(name)", Path.run, fields))</td>\
                <td>\(request.link("Download\(name)", Path.file, fields))</td></tr>
                """
        }
        let table: HTML = """
            <div class="table"><table class="stack">
            <caption>Sessions and presets: \(sorted.count)</caption>
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
        return Page("Sessions", summary: summary, body: sorted.isEmpty ? "<p>The store has no sessions.</p>" : table)
    }
}

extension Runnable {
    /// What it is, in one word.
    fileprivate var kind: String {
        switch self {
        case .session: "session"
        case .preset: "preset"
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
