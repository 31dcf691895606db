internal import ArgumentParser
internal import CommandSupport
internal import Pages
internal import RecordStore
internal import bzpack
internal import foldersync
internal import slate_backup
internal import tracker_export

extension Satchel {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show everything in the browser: sync, backups, the apps.",
            discussion: OpenOptions.discussion
        )

        @OptionGroup var pages: OpenOptions

        func run() throws {
            let sources: [any PageSource] =
                try [StoresOverview()] + SyncProgram.pages(pages) + SlateProgram.pages() + TimeProgram.pages()
                + TimerProgram.pages()
            try pages.show("Satchel", sources, failure: SyncProgram.meaning)
        }
    }
}

/// The overview of this device's stores and their backups on the first page.
struct StoresOverview: PageSource {
    var links: [PageLink] { [] }

    var places: LocalPlaces { LocalPlaces(files: LocalStore.all().map(\.path)) }

    func response(to request: PageRequest) throws -> PageResponse { .missing }

    func overview(for request: PageRequest) throws -> PageOverview? {
        let stores = LocalStore.all()
        var overview = PageOverview("Stores on this device")
        let faults = stores.filter { $0.fault != nil }
        if !faults.isEmpty { overview.problems.append("\(Words.count(faults.count, "store")) that cannot be read") }
        for store in stores { add(store, to: &overview, request) }
        let next = Satchel.Status.next(stores, try SyncProgram.overview(isThorough: false))
        overview.next = next.map { "<code>\(request.sentence($0.command))</code> \(request.sentence($0.reason))" }
        return overview
    }

    private func add(_ store: LocalStore, to overview: inout PageOverview, _ request: PageRequest) {
        let counts = SyncProgram.words(store.counts)
        var lines: [HTML] = ["\(counts.isEmpty ? "empty" : counts)"]
        if !request.isExport { lines.append("<span class=\"muted\">\(store.path)</span>") }
        var health = PageOverview.Health.good
        var state = "readable"
        if let backup = store.backup {
            lines.append("Last good backup: \(request.sentence(backup.line))")
            if backup.isFine {
                overview.fine.append("\(store.title) has a good backup")
            } else {
                (health, state) = (.attention, "needs a backup")
                overview.problems.append("\(store.title) needs a backup")
            }
        }
        if !request.isExport, let way = Self.backups(store) { lines.append(way) }
        if let fault = store.fault {
            (health, state) = (.fault, "cannot be read")
            lines.append("\(request.sentence(fault))")
        }
        overview.cards.append(.init(store.title, health, state, lines: lines, links: Self.links(store, request)))
    }

    /// Returns the commands that back up a store whose backups have no page, and bring back; nil for one with a page.
    private static func backups(_ store: LocalStore) -> HTML? {
        func command(_ text: String) -> HTML { "<code>\(ProgramNames.asCalled(text))</code>" }
        switch store.app.rawValue {
        case "bztimer":
            return "Backups: \(command("bzpack backup FILE")), and back with \(command("bzpack restore FILE"))"
        case "tracker":
            let back = command("tracker-export restore FILE NAME")
            return "Backups: \(command("tracker-export export FILE")), and back with \(back)"
        case "study":
            let back = command("tracker-export study restore FILE SUBJECT")
            return "Backups: \(command("tracker-export study export FILE")), and back with \(back)"
        default: return nil
        }
    }

    /// Returns the pages about the records of a store.
    private static func links(_ store: LocalStore, _ request: PageRequest) -> HTML {
        let pages: [(title: HTML, path: String)] =
            switch store.app.rawValue {
            case "bztimer": [("Sessions", "/sessions")]
            case "slate": [("Tasks and habits", "/slate"), ("Backups", "/backups")]
            case "tracker": [("Days and weeks", "/time")]
            case "study": [("Weeks and goals", "/study")]
            default: []
            }
        return HTML(pages.map { request.link($0.title, $0.path) }, separator: " ")
    }
}
