internal import CommandSupport
internal import DirectorySync
internal import Pages

/// The overview of sync on the first page: a card for each device and for each store.
struct SyncOverview: PageSource {
    let stores: PageStores

    var links: [PageLink] { [] }

    var places: LocalPlaces { stores.places }

    /// After so many days a device that says nothing is named.
    private static let mostDays = 7

    func response(to request: PageRequest) throws -> PageResponse { .missing }

    func overview(for request: PageRequest) throws -> PageOverview? {
        guard let opened = try stores.open(for: request) else { return nil }
        let results = try TargetResults(opened.targets) { target in
            StatusReport(try opened.replica(target).status(isThorough: false), opened.registry)
        }
        let failed = results.entries.filter { (try? $0.result.get()) == nil }.map(\.target)
        let now = opened.environment.now()
        let summary = StatusSummary(results.values, failed: failed, now: now)
        let conflicts = results.values.reduce(0) { $0 + $1.value.status.conflicts }
        let devices = Self.devices(results.values.map(\.value))
        let silent = devices.compactMap { Self.silence($0, now) }
        var overview = PageOverview("Sync")
        if conflicts > 0 { overview.problems.append(Words.count(conflicts, "conflict")) }
        if let longest = silent.max() {
            overview.problems.append("\(Words.count(silent.count, "device")) not seen for \(longest) days")
        }
        overview.problems += summary.missing.map(request.sentence)
        if summary.isUpToDate {
            let sentence = request.sentence(summary.sentence)
            overview.fine.append(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
        }
        let words = PageWords(values: ValueWords(schema: nil, request.clock), clock: request.clock)
        overview.cards = devices.map { Self.card($0, words, now) }
        overview.cards += results.entries.map { Self.card($0, opened, request, words) }
        if conflicts > 0 {
            overview.next.append(request.link("See the values to choose between", "/conflicts"))
        }
        let isLocked = !results.values.isEmpty && results.values.allSatisfy(\.value.needsKey)
        if !isLocked, !summary.isUpToDate || conflicts == 0 {
            let button = request.form("/conflicts/sync", [:], "<button>Sync now</button>")
            if !button.isEmpty { overview.next.append(button) }
        }
        return overview
    }

    /// A device, and how it stands in each store.
    private struct Device {
        let device: SyncDevice
        var peers: [(report: StatusReport, peer: ReplicaStatus.Peer)]
    }

    private static func devices(_ reports: [StatusReport]) -> [Device] {
        var devices: [Device] = []
        for report in reports {
            for peer in report.countedPeers {
                if let index = devices.firstIndex(where: { $0.device.id == peer.device.id }) {
                    devices[index].peers.append((report, peer))
                } else {
                    devices.append(Device(device: peer.device, peers: [(report, peer)]))
                }
            }
        }
        return devices
    }

    /// Returns the number of days since a device's last change; nil for this one, and where that is not long.
    private static func silence(_ device: Device, _ now: Int) -> Int? {
        guard !device.peers.contains(where: { $0.peer.isThis }),
            let last = device.peers.compactMap(\.peer.lastSeen).max()
        else { return nil }
        let (difference, isOverflow) = now.subtractingReportingOverflow(last)
        let days = isOverflow ? 0 : difference / 86_400_000
        return days >= mostDays ? days : nil
    }

    private static func card(_ device: Device, _ words: PageWords, _ now: Int) -> PageOverview.Card {
        let isThis = device.peers.contains { $0.peer.isThis }
        var states: [String] = []
        for (_, peer) in device.peers {
            let state = StatusReport.state(peer)
            if !["up to date", "this device"].contains(state), !states.contains(state) { states.append(state) }
        }
        var lines: [HTML] = []
        if let last = device.peers.compactMap(\.peer.lastChange).max() {
            lines.append("Last change: \(words.moment(last))")
        }
        if !isThis, let seen = device.peers.compactMap(\.peer.lastSeen).max() {
            lines.append("Last seen: \(StatusSummary.ago(seen, now))")
        }
        if let days = silence(device, now) { states.insert("not seen for \(days) days", at: 0) }
        let name = RecordWords.device(device.device) + (isThis ? " (this device)" : "")
        return PageOverview.Card(
            name,
            states.isEmpty ? .good : .attention,
            states.isEmpty ? "up to date" : states.joined(separator: "; "),
            lines: lines
        )
    }

    private static func card(
        _ entry: TargetResults<StatusReport>.Entry,
        _ opened: PageStores.Opened,
        _ request: PageRequest,
        _ words: PageWords
    ) -> PageOverview.Card {
        let title = opened.title(entry.target)
        let place: HTML? = request.isExport ? nil : "<span class=\"muted\">\(entry.target.store.path)</span>"
        guard case .success(let report) = entry.result else {
            guard case .failure(let failure) = entry.result else { return .init(title, .fault, "unknown") }
            return .init(
                title,
                .fault,
                "cannot be checked",
                lines: ["\(request.sentence(failure.description))"] + [place].compactMap(\.self)
            )
        }
        let status = report.status
        var states: [String] = []
        if status.conflicts > 0 { states.append(Words.count(status.conflicts, "conflict")) }
        if status.massChange != nil { states.append("the next sync stops for you to decide") }
        if status.folderFault != nil { states.append("the folder cannot be used now") }
        if let count = status.unpublished, count > 0 { states.append("\(Words.count(count, "record")) not synced yet") }
        if status.outbox > 0 { states.append("\(Words.count(status.outbox, "change")) not published yet") }
        if !status.issues.isEmpty { states.append(Words.count(status.issues.count, "issue")) }
        let records = Words.count(status.records, "record")
        var lines: [HTML] = [request.isExport ? "\(records)" : "\(records), in \(entry.target.folder.path)"]
        lines += [place].compactMap(\.self)
        lines += [status.massChange, status.folderFault].compactMap(\.self).map { "\(request.sentence($0))" }
        lines += IssueWords.lines(status.issues).prefix(5).map { "\(request.sentence($0))" }
        var links = request.link("History", "/history", ["store": entry.target.store.path])
        if status.conflicts > 0 {
            links = request.link("Conflicts", "/conflicts", ["store": entry.target.store.path]) + " " + links
        }
        return PageOverview.Card(
            title,
            status.folderFault != nil ? .fault : states.isEmpty ? .good : .attention,
            states.isEmpty ? "in step" : states.joined(separator: "; "),
            lines: lines,
            links: links
        )
    }
}
