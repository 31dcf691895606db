internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import Pages
internal import RecordMerge
internal import StrictJSON

/// The stores that the pages of sync are about: what is opened for a request, and let go of after it.
struct PageStores: Sendable {
    /// The path of the registry.
    let registry: String
    /// The moment that is taken for the present one; nil for the clock of this machine.
    let now: Timestamp?

    /// The folders and stores that this device has joined.
    struct Opened {
        let file: RegistryFile
        let registry: Registry
        let environment: SyncEnvironment
        let targets: [Target]
        /// True if the pages are for an export, which names no folders.
        let isExport: Bool

        /// Returns the store that a request names, else the first.
        func target(_ request: PageRequest) -> Target? {
            guard let path = request["store"] else { return targets.first }
            return targets.first { $0.store.path == path }
        }

        func replica(_ target: Target) throws -> Replica {
            try Replica(folder: target.folder.path, store: target.store.path, environment)
        }

        /// Returns the title of a store: its app, with its folder where the app has several; in an export with a
        /// number.
        func title(_ target: Target) -> String {
            let same = targets.filter { $0.app == target.app }
            guard same.count > 1 else { return target.app.title }
            guard isExport else { return "\(target.app.title) in \(target.folder.path)" }
            let index = same.firstIndex { $0.store.path == target.store.path && $0.folder.path == target.folder.path }
            return "\(target.app.title) \((index ?? 0) + 1)"
        }
    }

    /// Opens what is there; nil where nothing was joined.
    func open(for request: PageRequest) throws -> Opened? {
        let file = RegistryFile(path: registry)
        let registry = try file.read()
        let targets = registry.folders.flatMap(\.targets)
        guard registry.device != nil, !targets.isEmpty else { return nil }
        return Opened(
            file: file,
            registry: registry,
            environment: try ThisDevice.environment(registry, now: now),
            targets: targets,
            isExport: request.isExport
        )
    }

    /// The folders of what this device has joined; those that can be read from the list.
    var places: LocalPlaces {
        let targets = (try? RegistryFile(path: registry).read())?.folders.flatMap(\.targets) ?? []
        return LocalPlaces(files: targets.map(\.store.path) + [registry], folders: targets.map(\.folder.path))
    }

    /// Returns the page where nothing was joined.
    static func nothing(_ title: String) -> Page {
        let command = ProgramNames.asCalled("foldersync join FOLDER --store PATH")
        return Page(title, body: "<p>This device has joined no folder. <code>\(command)</code> takes part in one.</p>")
    }

    /// Returns the record that a request names.
    static func key(_ request: PageRequest) -> RecordKey? {
        // The only record of a collection may have an empty key.
        guard let key = request.values("key").first else { return nil }
        return RecordKey(request["collection"] ?? "", key)
    }

    /// Returns the links to the same page of each store; empty where there is one.
    static func switcher(_ opened: Opened, _ chosen: Target, _ request: PageRequest, _ path: String) -> HTML {
        guard opened.targets.count > 1 else { return HTML() }
        let items = opened.targets.map { target -> HTML in
            let current: HTML = target.store.path == chosen.store.path ? " aria-current=\"page\"" : ""
            let address = request.address(path, ["store": target.store.path])
            return "<li><a href=\"\(address)\"\(current)>\(opened.title(target))</a></li>"
        }
        return "<nav aria-label=\"Stores\"><ul class=\"days\">\(items)</ul></nav>"
    }
}

/// Moments and changes of members as pages show them.
struct PageWords {
    let values: ValueWords
    let clock: LocalClock

    /// Returns a moment of a device's clock.
    func moment(_ milliseconds: Int) -> HTML {
        let text = RecordWords.moment(milliseconds, clock)
        guard let moment = Timestamp(text) else { return "\(text)" }
        return "<time datetime=\"\(text)\">\(clock.words(of: moment))</time>"
    }

    /// Returns a device with the time at which it wrote.
    func author(_ device: SyncDevice?, _ milliseconds: Int) -> HTML {
        "\(RecordWords.device(device)), \(moment(milliseconds))"
    }

    /// Returns the change of a member: `title: Buy milk → Buy oat milk`.
    func change(_ change: SyncedChange.MemberChange, _ collection: String) -> HTML {
        let name = values.name(change.name, collection)
        let isList = [change.old, change.new].contains { $0?.array != nil || $0?.object != nil }
        let isSame = change.isOldKnown && change.old == change.new
        if isList {
            let isKept = isSame && change.losing.isEmpty
            return isKept ? "\(name): kept as it is" : "\(values.change(change, collection))"
        }
        let new = values.whole(change.new, collection, [change.name])
        let losing = change.losing.map { values.whole($0, collection, [change.name]) }.joined(separator: " or ")
        let rejected: HTML = losing.isEmpty ? HTML() : ", not \(losing)"
        guard !isSame else { return "\(name): kept as it is, \(new)\(rejected)" }
        guard change.isOldKnown else { return "\(name): <ins>\(new)</ins>\(rejected)" }
        let old = change.old.map { values.whole($0, collection, [change.name]) } ?? "(none)"
        return """
            \(name): <span class="visually-hidden">from</span> <del>\(old)</del> \
            <span aria-hidden="true">→</span> <span class="visually-hidden">to</span> <ins>\(new)</ins>\(rejected)
            """
    }

    /// Returns the changes of a record as the items of a list: the values that people know, not the app's own notes.
    func changes(_ touched: SyncedChange.RecordChange) -> HTML {
        let telling = touched.values.filter { !RecordWords.noted.contains($0.name) }
        let shown = telling.isEmpty ? touched.values : telling
        guard !shown.isEmpty else {
            return touched.members.isEmpty ? HTML() : "<p>\(touched.members.joined(separator: ", "))</p>"
        }
        return "<ul>\(shown.map { "<li>\(change($0, touched.name.collection))</li>" })</ul>"
    }
}
