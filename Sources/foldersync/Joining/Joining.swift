internal import AppList
internal import ArchiveCompression
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

/// The common work of `init` and `join`: stores become replicas, and are synchronised for the first time.
struct Joining {
    let file: RegistryFile
    private(set) var environment: SyncEnvironment
    /// True if the stores are copies of another device's, which go on as this one's.
    private let isCopy: Bool
    private let confirmation: ConfirmationOption

    /// Finds a name and an identifier for this device, where it has none yet; they are noted when it has joined.
    ///
    /// - Parameters:
    ///   - confirmation: Whether a question is answered already.
    ///   - stores: Stores that join; the file beside one may say which device this is, where the registry was lost.
    ///   - space: The space that they join; nil for a new one.
    ///   - folder: The shared folder, whose other devices have names already.
    /// - Throws: 64 for a name that another device has, or where this device has another one.
    init(
        _ file: RegistryFile,
        name: String?,
        now: Timestamp?,
        _ confirmation: ConfirmationOption,
        stores: [JoinedStore] = [],
        space: String? = nil,
        folder: String? = nil
    ) throws {
        self.file = file
        self.confirmation = confirmation
        let wanted = try ThisDevice.name(name)
        let own = try file.read().device
        let former = own == nil ? try Self.former(stores, space, now) : nil
        isCopy = former.map { name != nil && $0.name != wanted } ?? false
        var others: [SyncDevice] = []
        if let folder, let space {
            others = try Replica.devices(in: folder, space: space, ArchiveCompression(), ThisDevice.keyStore)
        }
        // A device that has a name is one of those in the folder itself, where it joined before.
        let fresh =
            try own == nil && (isCopy || former == nil)
            ? SyncDevice(id: Identifier.device(), name: DeviceNames.free(wanted, isGiven: name != nil, among: others))
            : former
        let device = own ?? fresh ?? SyncDevice(id: Identifier.device(), name: wanted)
        if own != nil, let other = others.first(where: { $0.id != device.id && $0.name == device.name }) {
            StandardError.write(
                TerminalText.safe(
                    Messages.sameName(folder ?? "", other.name, DeviceNames.free(other.name, among: others))
                ) + "\n"
            )
        }
        if name != nil, device.name != wanted {
            throw CommandFailure(
                .usage,
                Messages.calledAlready(device.name)
            )
        }
        environment = ThisDevice.environment(device, now: now)
    }

    /// Returns the device that the stores say this one has been.
    private static func former(
        _ stores: [JoinedStore],
        _ space: String?,
        _ now: Timestamp?
    ) throws -> SyncDevice? {
        guard let space else { return nil }
        let nobody = ThisDevice.environment(SyncDevice(id: "", name: ""), now: now)
        for store in stores {
            if let device = try Replica.device(ofStore: store.path, space: space, nobody) { return device }
        }
        return nil
    }

    /// Makes stores replicas and notes them, all or none.
    ///
    /// - Parameter former: Where the folder was joined before; it is noted where it is now.
    /// - Returns: What they are now, with the folder as it is noted.
    /// - Throws: 64 where a store has to be upgraded and nobody agrees.
    mutating func join(
        _ stores: [JoinedStore],
        to path: String,
        space: String,
        former: String? = nil
    ) throws -> [Target] {
        var new: [JoinedStore] = []
        do {
            for store in stores {
                try upgrade(store)
                let isNew = try Replica.join(folder: path, space: space, store: store.path, environment)
                if isNew { new.append(store) }
                if isCopy { try Replica.separate(store: store.path, folder: path, environment) }
            }
            let (device, folder) = try file.update { registry in
                let device = registry.device ?? environment.device
                registry.device = device
                let index =
                    registry.folders.firstIndex { $0.path == former ?? path } ?? registry.folders.endIndex
                if index == registry.folders.endIndex {
                    registry.folders.append(JoinedFolder(path: path, space: space))
                }
                registry.folders[index].path = path
                for store in stores {
                    registry.folders[index].stores.removeAll { $0.app == store.app }
                    registry.folders[index].stores.append(store)
                }
                return (device, registry.folders[index])
            }
            // Another program may have given this device its name meanwhile.
            environment.device = device
            return folder.stores.map { Target(folder: folder, store: $0) }
        } catch {
            for store in new { try? Replica(folder: path, store: store.path, environment).leave() }
            throw error
        }
    }

    /// Returns the note that the plan of a new store of BZ Timer keeps less history than it got; else none.
    private static func planNote(_ path: String, _ now: Int) throws -> [String] {
        let (settings, history) = try BztimerStore(path: path, for: .reading).read {
            (try $0.settings(), try $0.history())
        }
        func removed(_ plan: BZTimer.Plan) -> Int {
            let now = Timestamp(seconds: now / 1_000)
            return HistoryRetention.split(history, settings.historyRetention, plan: plan, now: now).removed.count
        }
        let count = removed(settings.plan) - removed(.pro)
        return count > 0 ? [Messages.freePlan(count, path)] : []
    }

    /// Upgrades a store whose tables are older than those that sync writes to, with consent.
    private func upgrade(_ store: JoinedStore) throws {
        guard let upgrade = try AppStores.all.pendingUpgrade(of: store.path) else { return }
        try confirmation.require(Messages.upgradeQuestion(store.path, store.app.title, upgrade.old, upgrade.new))
        guard let copy = try upgrade.run(moment: Timestamp(seconds: environment.now() / 1_000)) else { return }
        StandardError.note(TerminalText.safe(Messages.upgraded(store.path, upgrade.new, copy)) + "\n")
    }

    /// Runs the first sync.
    ///
    /// - Parameters:
    ///   - declaration: A changed declaration of an app whose store had joined before.
    ///   - created: The paths of stores that were made for it.
    func synchronise(
        _ targets: [Target],
        _ declaration: AppDeclaration? = nil,
        created: [String] = []
    ) throws -> TargetResults<SyncReport> {
        try TargetResults(targets) { target in
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            if let declaration { try replica.change(to: declaration) }
            var outcome = try replica.sync()
            if let repaired = try replica.publishMissing() {
                outcome.notes += [Messages.publishedMissing] + repaired.notes
                outcome.issues.removeAll { $0.kind == .gone && $0.device?.id == environment.device.id }
            }
            let inboxes = target.folder.inboxes.map(\.device.id)
            for device in try replica.exportingDevices() where !inboxes.contains(device.id) {
                outcome.notes.append(Messages.formerInbox(device.name))
            }
            if target.app == .bztimer, created.contains(target.store.path) {
                // The store has joined, whether it can be read now or not.
                outcome.notes += (try? Self.planNote(target.store.path, environment.now())) ?? []
            }
            return SyncReport(outcome, unsynced: try replica.unsynced())
        }
    }
}
