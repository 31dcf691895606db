internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The work of `watch` at each look, and its messages.
final class Watcher {
    private let options: TargetOptions
    private let file: RegistryFile
    private let output: FormatOption
    private let interval: Int
    private let stop: StopSignal
    private let clock: LocalClock
    /// The last announced folders and stores.
    private var place = ""
    private var told = OnceTold()
    /// The faults that this look named already: several stores may fail on one folder.
    private var saidNow: Set<String> = []
    /// The status of the last look.
    private(set) var status = ExitStatus.success

    init(
        options: TargetOptions,
        file: RegistryFile,
        output: FormatOption,
        interval: Int,
        clock: LocalClock,
        stop: StopSignal
    ) {
        self.options = options
        self.clock = clock
        self.file = file
        self.output = output
        self.interval = interval
        self.stop = stop
    }

    /// Returns the folders that matter, as they are now.
    func watchedFolders() throws -> [WatchedFolder] {
        guard let registry = try? file.read(), let folders = try? options.folder.folders(of: registry) else {
            return WatchedFolder.all(of: [], registry: file.path)
        }
        return WatchedFolder.all(of: folders, registry: file.path)
    }

    /// Synchronises once, and says what there is to say.
    func look() throws -> WatchLoop.Round {
        saidNow = []
        let registry: Registry
        let targets: [Target]
        do throws(CommandFailure) {
            registry = try file.readOrFail()
            targets = try options.targets(of: registry)
        } catch {
            say(file.path, error)
            status = error.status
            return WatchLoop.Round(didSomething: false, failed: true)
        }
        say(file.path, nil)
        try sayPlace(targets)
        var round = WatchLoop.Round()
        var statuses: [ExitStatus] = []
        for folder in registry.folders {
            let stores = targets.filter { $0.folder.path == folder.path }
            // Ended between two folders: what was begun is finished, and no more begun.
            guard !stores.isEmpty, !stop.isRaised else { continue }
            let environment = try ThisDevice.environment(registry)
            let report = try SyncPass(environment: environment, file: file).run(stores)
            try tell(report, folder)
            round.didSomething = round.didSomething || report.didSomething
            round.failed = round.failed || report.hasFailed
            statuses.append(report.status)
        }
        status = ExitStatus.mostSevere(statuses)
        try StandardOutput.shared.flush()
        return round
    }

    /// Says where and since when it watches; once more where that has changed.
    private func sayPlace(_ targets: [Target]) throws {
        var folders: [(path: String, stores: [String])] = []
        for target in targets {
            let store = "\(target.app.title) in \(target.store.path)"
            if let index = folders.firstIndex(where: { $0.path == target.folder.path }) {
                folders[index].stores.append(store)
            } else {
                folders.append((target.folder.path, [store]))
            }
        }
        let lines = folders.map { "  \($0.path): \($0.stores.joined(separator: ", "))" }
        guard output.format == .text, lines.joined(separator: "\n") != place else { return }
        place = lines.joined(separator: "\n")
        let text = ["\(now)  \(Messages.watching(interval))"] + lines
        try StandardOutput.shared.write(text.map { TerminalText.safe($0) + "\n" }.joined())
        try StandardOutput.shared.flush()
    }

    /// The present moment, as the reports show moments.
    private var now: String { RecordWords.moment(ThisDevice.milliseconds(), clock) }

    private func tell(_ report: SyncPass.Report, _ folder: JoinedFolder) throws {
        var isNews = report.didSomething
        for entry in report.results.entries {
            var failure: CommandFailure?
            if case .failure(let found) = entry.result { failure = found }
            isNews = say(entry.target.store.path, failure) || isNews
        }
        for inbox in report.inboxes { isNews = say(inbox.inbox.path, inbox.commandFailure) || isNews }
        // What lasts, such as a file that waits for another, is news once.
        let lasting = report.lasting
        let news = told.news(folder.path, lasting.isEmpty ? nil : lasting)
        switch output.format {
        case .text:
            if report.didSomething { try StandardOutput.shared.report(report.watched(at: now)) }
            if let news, !lasting.isEmpty {
                StandardError.write(stamped(news.split(separator: "\n").map(String.init)))
            }
        case .json:
            guard isNews || news != nil else { return }
            try StandardOutput.shared.write(report.json.encoded(.compact) + [UInt8(ascii: "\n")])
        }
    }

    /// Says a failure once, and once that it is over, with the time; gives whether there was anything to say.
    @discardableResult
    private func say(_ subject: String, _ failure: CommandFailure?) -> Bool {
        // A store's failure may be about the folder.
        let name = failure?.diagnostics.first?.file
        guard let news = told.news(subject, failure?.description, naming: name) else { return false }
        guard saidNow.insert(news).inserted else { return true }
        StandardError.write(stamped(news.split(separator: "\n").map { TerminalText.safe(String($0)) }))
        return true
    }

    /// Lines with the time before them.
    private func stamped(_ lines: [String]) -> String {
        let moment = now
        return lines.map { "\(moment)  \($0)\n" }.joined()
    }

    /// Says which folders cannot be watched, and which lie on a network.
    func tell(_ unwatched: [String: String]) {
        for (path, reason) in unwatched.sorted(by: { $0.key < $1.key }) {
            say(path, Messages.unwatched(path, reason, interval))
        }
        #if os(Linux)
            guard let registry = try? file.read(), let folders = try? options.folder.folders(of: registry),
                let bytes = try? InputFile(reading: "/proc/self/mountinfo").bytes
            else { return }
            let table = MountTable(String(decoding: bytes, as: UTF8.self))
            for folder in folders {
                guard let type = table.networkType(of: folder.path) else { continue }
                say(folder.path, Messages.onNetwork(folder.path, type, interval))
            }
        #endif
    }

    private func say(_ path: String, _ message: String) {
        guard let news = told.news("watching \(path)", message) else { return }
        StandardError.write(stamped([TerminalText.safe(news)]))
    }
}
