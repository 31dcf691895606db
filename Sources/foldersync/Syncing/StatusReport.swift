internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The state of a store.
struct StatusReport {
    let status: ReplicaStatus

    let registry: Registry

    init(_ status: ReplicaStatus, _ registry: Registry) {
        self.status = status
        self.registry = registry
    }

    /// Returns a heading, a table of devices, and the issues.
    func text(_ target: Target, _ clock: LocalClock) -> String {
        let records = Words.count(status.records, "record")
        var lines = [
            Messages.store(target.app.title, target.store.path, target.folder.path, records, publishing)
        ]
        if let massChange = status.massChange { lines.append(Messages.nextSyncStops(massChange)) }
        if let fault = status.folderFault { lines.append(Messages.folderFault(fault)) }
        if status.conflicts > 0 {
            lines.append(ProgramNames.asCalled(Messages.conflicts(status.conflicts)))
        }
        if status.heldBack > 0 { lines.append(Messages.heldBack(status.heldBack)) }
        if let fault = status.clockFault { lines.append(Messages.clockFault(fault)) }
        lines += IssueWords.lines(status.issues)
        if status.issues.contains(where: { $0.kind == .rejected && !$0.isDeletion }) {
            lines.append(ProgramNames.asCalled(Messages.rejectedWay))
        }
        if !status.unsynced.isEmpty { lines.append(RecordWords.unsynced(status.unsynced, target.app)) }
        return lines.map { TerminalText.safe($0) + "\n" }.joined() + table(clock).render()
    }

    private var publishing: String {
        var parts: [String] = []
        switch status.unpublished {
        case nil: parts.append(Messages.changesUnknown)
        case 0: break
        case let count?: parts.append(Messages.changedAndUnpublished(count))
        }
        if status.outbox > 0 {
            parts.append(Messages.keptForFolder(status.outbox))
        }
        return parts.isEmpty ? Messages.allPublished : parts.joined(separator: ", ")
    }

    private func table(_ clock: LocalClock) -> TextTable {
        var table = TextTable([.left("DEVICE"), .fixed("LAST CHANGE"), .left("STATE")])
        for peer in status.peers {
            let last = peer.lastChange.map { RecordWords.moment($0, clock) } ?? "never"
            table.add([name(of: peer.device), last, isRetired(peer) ? "retired" : Self.state(peer)])
        }
        return table
    }

    /// Returns the name of a device; with its identifier where another one has the same name.
    private func name(of device: SyncDevice) -> String {
        let name = DeviceNames.name(of: device)
        let isAmbiguous = status.peers.contains { $0.device.id != device.id && DeviceNames.name(of: $0.device) == name }
        return isAmbiguous ? "\(name) (\(device.id))" : name
    }

    /// The devices that count: not those that are retired, or have left.
    var countedPeers: [ReplicaStatus.Peer] { status.peers.filter { !isRetired($0) && !$0.hasLeft } }

    /// Tells whether this device or another one retired a device.
    private func isRetired(_ peer: ReplicaStatus.Peer) -> Bool {
        peer.isRetired || registry.devices[peer.device.id]?.isRetired == true
    }

    /// Returns the state of a device, in words.
    static func state(_ peer: ReplicaStatus.Peer) -> String {
        if peer.isThis { return "this device" }
        if peer.hasLeft { return "has left" }
        var parts: [String] = []
        if peer.unread > 0 { parts.append(Messages.notTakenIn(peer.unread)) }
        if peer.missing > 0 { parts.append(Messages.notReceived(peer.missing)) }
        if peer.waiting > 0 { parts.append(Messages.notUsable(peer.waiting)) }
        if let count = peer.unconfirmed, count > 0 { parts.append(Messages.notConfirmed(count)) }
        return parts.isEmpty ? "up to date" : parts.joined(separator: "; ")
    }

    /// True if this device lacks the folder's key, or the newest one.
    var needsKey: Bool { status.folderError?.code == .noKey || status.issues.contains { $0.kind == .noKey } }

    /// The exit status of the command.
    var exitStatus: ExitStatus {
        if let error = status.folderError { return CommandFailure(error).status }
        if status.outbox > 0 { return .unpublished }
        return status.conflicts > 0 || status.massChange != nil || !status.issues.isEmpty ? .findings : .success
    }

    /// The members for programs.
    var json: JSONObject {
        [
            "space": .string(status.space),
            "records": .number(status.records),
            "unpublished": RecordWords.json(count: status.unpublished),
            "outbox": .number(status.outbox),
            "conflicts": .number(status.conflicts),
            "heldBack": .number(status.heldBack),
            "massChange": status.massChange.map { .string($0) } ?? .null,
            "unsynced": .array(status.unsynced.map { .string($0) }),
            "folderFault": status.folderFault.map { .string($0) } ?? .null,
            "clockFault": status.clockFault.map { .string($0) } ?? .null,
            "devices": .array(status.peers.map(json)),
            "issues": .array(status.issues.map(IssueWords.json)),
        ]
    }

    private func json(_ peer: ReplicaStatus.Peer) -> JSONValue {
        var object = peer.device.json
        object["retired"] = .bool(isRetired(peer))
        object["left"] = .bool(peer.hasLeft)
        object["isThisDevice"] = .bool(peer.isThis)
        object["lastChange"] = RecordWords.json(moment: peer.lastChange)
        object["waiting"] = .number(peer.waiting)
        object["lastSeen"] = RecordWords.json(moment: peer.lastSeen)
        object["unread"] = .number(peer.unread)
        object["missing"] = .number(peer.missing)
        object["unconfirmed"] = RecordWords.json(count: peer.unconfirmed)
        object["unconfirmedSince"] = RecordWords.json(moment: peer.unconfirmedSince)
        return .object(object)
    }
}
