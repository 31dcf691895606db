internal import RecordMerge

/// Notes on clocks that are days ahead.
extension SyncSession {
    /// Returns the reason why new changes of this device are not dated by its present time; nil where they are.
    ///
    /// - Parameter isBeforeSync: Whether the next sync still may date them so.
    func clockFault(isBeforeSync: Bool) throws -> String? {
        let (now, last) = (replica.environment.now(), try state.clock())
        guard last > ReplicaState.latest(now) else { return nil }
        let start =
            "the last change of this device is dated \(Moments.text(last.milliseconds)), and by its clock it is"
            + " \(Moments.text(now)): "
        return try isBeforeSync && state.agrees(with: now, besides: replica.environment.device)
            ? start + "the next sync dates new changes by the clock again"
            : start + "set its date and time right; until then new changes are dated like the last one"
    }

    /// The last millisecond that a date can name.
    private static let lastDate = 253_402_300_799_999

    /// Returns sentences on the changes of this sync that are dated days after now.
    func clockNotes() throws -> [String] {
        let latest = ReplicaState.latest(replica.environment.now()).milliseconds
        let ahead = outcome.received.filter { $0.milliseconds > latest }
        let byDevice = Dictionary(grouping: ahead, by: \.device)
        let others = byDevice.sorted { ($0.key.name, $0.key.id) < ($1.key.name, $1.key.id) }.map { device, changes in
            let last = changes.map(\.milliseconds).max() ?? latest
            let count = changes.count == 1 ? "a change" : "\(changes.count) changes"
            let date = last <= Self.lastDate ? "dated \(count) \(Moments.text(last)), which is" : "dated \(count)"
            return "the clock of \(device.name) was ahead: it \(date) after now"
        }
        // Without a change of its own the status tells it.
        let made = outcome.published + outcome.waiting
        return others + (made.isEmpty ? [] : [try clockFault(isBeforeSync: false)].compactMap(\.self))
    }
}
