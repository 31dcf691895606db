internal import CommandSupport
internal import DirectorySync

/// The state of all devices in one sentence.
struct StatusSummary {
    /// The changes that are missing, with where; empty where all devices are up to date.
    private(set) var missing: [String] = []
    /// The devices that count, this one included.
    private var devices: Set<String> = []
    /// True if there are other devices, which do not count: they have left or are retired.
    private var hasGone = false

    /// - Parameters:
    ///   - failed: Stores of which nothing is known.
    ///   - now: The present moment, in milliseconds since 1970.
    init(_ reports: [(target: Target, value: StatusReport)], failed: [Target], now: Int) {
        missing += failed.map { Messages.notChecked($0.app.title) }
        // A file lies there once, however many stores are kept in step through the folder.
        let unread = reports.flatMap { target, report in
            report.status.issues.filter { [.damaged, .noKey, .notDownloaded].contains($0.kind) }
                .map { target.folder.path + "/" + $0.path }
        }
        if !unread.isEmpty { missing.append(Messages.unreadFiles(Set(unread).count)) }
        let uncounted = reports.flatMap { $0.value.status.issues }.filter { $0.kind == .oldKey }
        if !uncounted.isEmpty { missing.append(Messages.sealedWithOldKey(Set(uncounted.map(\.path)).count)) }
        var known: [SyncDevice] = []
        for (target, report) in reports {
            let fault = report.status.folderFault.map { _ in Messages.unusableFolder(target.folder.path) }
            if let fault, !missing.contains(fault) { missing.append(fault) }
            missing += Self.here(report.status, target)
            hasGone = hasGone || report.countedPeers.count < report.status.peers.count
            devices.formUnion(report.countedPeers.map(\.device.id))
            for peer in report.status.peers where !known.contains(where: { $0.id == peer.device.id }) {
                known.append(peer.device)
            }
        }
        for device in known {
            // Also the changes of a device that has left or is retired are to come here.
            let peers = reports.flatMap { $0.value.status.peers }.filter { $0.device.id == device.id }
            let counted = reports.flatMap { $0.value.countedPeers }.filter { $0.device.id == device.id }
            missing += Self.elsewhere(peers, counted, RecordWords.device(device), now)
        }
    }

    /// True if nothing is missing.
    var isUpToDate: Bool { missing.isEmpty }

    /// The sentence.
    var sentence: String {
        guard missing.isEmpty else {
            let text = missing.joined(separator: "; ")
            return text.prefix(1).uppercased() + text.dropFirst() + "."
        }
        return devices.count < 2
            ? hasGone ? Messages.othersGone : Messages.aloneUpToDate
            : Messages.allUpToDate(devices.count)
    }

    /// Returns the changes that are missing in this store, or have not left it.
    private static func here(_ status: ReplicaStatus, _ target: Target) -> [String] {
        var parts: [String] = []
        if status.massChange != nil { parts.append(Messages.stopsToDecide(target.app.title)) }
        switch status.unpublished {
        case nil where status.massChange == nil:
            parts.append(Messages.unknownUntilSync(target.app.title))
        case let count? where count > 0 && status.massChange == nil:
            parts.append(Messages.notSynced(count, target.app.title))
        default: break
        }
        if status.outbox > 0 { parts.append(Messages.notPublished(status.outbox)) }
        let rejected = status.issues.count { $0.kind == .rejected }
        if rejected > 0 { parts.append(Messages.rejected(rejected)) }
        let local = status.issues.count { $0.kind == .unreadable || $0.kind == .tooLarge }
        if local > 0 { parts.append(Messages.cannotSync(local)) }
        return parts
    }

    /// Returns the changes of a device that are missing here, and those of this device that it has not confirmed.
    private static func elsewhere(
        _ peers: [ReplicaStatus.Peer],
        _ counted: [ReplicaStatus.Peer],
        _ name: String,
        _ now: Int
    ) -> [String] {
        var parts: [String] = []
        let unread = peers.reduce(0) { $0 + $1.unread }
        if unread > 0 { parts.append(Messages.notTakenIn(unread, of: name)) }
        // Only a mark in the folder says which changes of a retired device nobody waits for.
        let missing = peers.filter { !counted.isEmpty || $0.isRetired || $0.hasLeft }.reduce(0) { $0 + $1.missing }
        if missing > 0 { parts.append(Messages.notReceived(missing, from: name)) }
        let waiting = peers.reduce(0) { $0 + $1.waiting }
        if waiting > 0 { parts.append(Messages.notUsable(waiting, of: name)) }
        let unconfirmed = counted.reduce(0) { $0 + ($1.unconfirmed ?? 0) }
        if unconfirmed > 0 {
            var since: [String] = []
            if let oldest = counted.compactMap(\.unconfirmedSince).min() {
                since.append("made \(ago(oldest, now))")
            }
            if let last = counted.compactMap(\.lastSeen).max() { since.append("last seen \(ago(last, now))") }
            let words = since.isEmpty ? "" : " (\(since.joined(separator: ", ")))"
            parts.append(Messages.notConfirmed(unconfirmed, by: name, words))
        }
        return parts
    }

    /// Returns the time since a moment in words; "just now" for a clock that is ahead.
    static func ago(_ moment: Int, _ now: Int) -> String {
        let (seconds, isOverflow) = now.subtractingReportingOverflow(moment)
        let minutes = isOverflow ? 0 : seconds / 60_000
        switch minutes {
        case ..<1: return "just now"
        case ..<120: return "\(Words.count(minutes, "minute")) ago"
        case ..<(48 * 60): return "\(minutes / 60) hours ago"
        default: return "\(minutes / (24 * 60)) days ago"
        }
    }
}
