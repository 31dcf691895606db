internal import CommandSupport
internal import DirectorySync

/// Whether all devices have everything, in one sentence.
struct StatusSummary {
    /// What is missing, and where; nothing where all devices are up to date.
    private(set) var missing: [String] = []
    /// The devices that count, this one included.
    private var devices: Set<String> = []

    /// - Parameters:
    ///   - failed: Stores of which nothing is known.
    ///   - now: The present moment, in milliseconds since 1970.
    init(_ reports: [(target: Target, value: StatusReport)], failed: [Target], now: Int) {
        missing += failed.map { "\($0.app.title) could not be checked" }
        // A file lies there once, however many stores are kept in step through the folder.
        let unread = reports.flatMap { target, report in
            report.status.issues.filter { [.damaged, .noKey, .notDownloaded].contains($0.kind) }
                .map { target.folder.path + "/" + $0.path }
        }
        if !unread.isEmpty { missing.append("\(Words.count(Set(unread).count, "file")) that cannot be read") }
        var counted: [SyncDevice] = []
        for (target, report) in reports {
            missing += Self.here(report.status, target)
            for peer in report.countedPeers {
                if devices.insert(peer.device.id).inserted { counted.append(peer.device) }
            }
        }
        for device in counted {
            let peers = reports.flatMap { $0.value.countedPeers }.filter { $0.device.id == device.id }
            missing += Self.elsewhere(peers, RecordWords.device(device), now)
        }
    }

    /// Whether nothing is missing.
    var isUpToDate: Bool { missing.isEmpty }

    /// The sentence.
    var sentence: String {
        guard missing.isEmpty else {
            let text = missing.joined(separator: "; ")
            return text.prefix(1).uppercased() + text.dropFirst() + "."
        }
        return devices.count < 2
            ? "This device is up to date; no other device has joined yet."
            : "All \(devices.count) devices are up to date."
    }

    /// What is missing in this store, or has not left it.
    private static func here(_ status: ReplicaStatus, _ target: Target) -> [String] {
        var parts: [String] = []
        if status.folderFault != nil { parts.append("the folder \(target.folder.path) cannot be used now") }
        if status.massChange != nil { parts.append("the next sync of \(target.app.title) stops for you to decide") }
        switch status.unpublished {
        case nil where status.massChange == nil:
            parts.append("what changed in \(target.app.title) is not known before the next sync")
        case let count? where count > 0 && status.massChange == nil:
            parts.append("\(Words.count(count, "changed record")) of \(target.app.title) not synced yet")
        default: break
        }
        if status.outbox > 0 { parts.append("\(Words.count(status.outbox, "change")) not published yet") }
        let rejected = status.issues.count { $0.kind == .rejected }
        if rejected > 0 { parts.append("\(Words.count(rejected, "record")) that this store rejects") }
        let local = status.issues.count { $0.kind == .unreadable || $0.kind == .tooLarge }
        if local > 0 { parts.append("\(Words.count(local, "record")) of this store that cannot sync") }
        return parts
    }

    /// What of a device is missing here, and what of this device it has not confirmed.
    private static func elsewhere(_ peers: [ReplicaStatus.Peer], _ name: String, _ now: Int) -> [String] {
        var parts: [String] = []
        let missing = peers.reduce(0) { $0 + $1.missing }
        if missing > 0 { parts.append("\(Words.count(missing, "change")) from \(name) not yet received") }
        let waiting = peers.reduce(0) { $0 + $1.waiting }
        if waiting > 0 { parts.append("\(Words.count(waiting, "change")) of \(name) cannot be used yet") }
        let unconfirmed = peers.reduce(0) { $0 + ($1.unconfirmed ?? 0) }
        if unconfirmed > 0 {
            var since: [String] = []
            if let oldest = peers.compactMap(\.unconfirmedSince).min() {
                since.append("made \(ago(oldest, now))")
            }
            if let last = peers.compactMap(\.lastSeen).max() { since.append("last seen \(ago(last, now))") }
            let words = since.isEmpty ? "" : " (\(since.joined(separator: ", ")))"
            parts.append("\(Words.count(unconfirmed, "change")) not yet confirmed by \(name)\(words)")
        }
        return parts
    }

    /// How long ago a moment was; a clock that is ahead says now.
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
