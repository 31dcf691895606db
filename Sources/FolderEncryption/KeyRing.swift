internal import AgeFile
internal import StrictJSON

/// The keys of one device for one space.
package struct KeyRing: Sendable, CustomStringConvertible, CustomReflectable {
    /// An epoch whose key this device has.
    package struct Epoch: Sendable {
        /// The key.
        package let key: EpochKey
        /// The content of the epoch's file.
        package let record: EpochRecord

        /// Makes an epoch of its key and its file's content.
        package init(key: EpochKey, record: EpochRecord) { (self.key, self.record) = (key, record) }
    }

    /// The result of handing an epoch to the ring.
    package enum Adoption: Sendable, Hashable {
        /// It was known, or is older than the current one.
        case known
        /// It is the current one from now on.
        case current
        /// It was made at the same time as the current one, and is read from now on.
        case beside
        /// It was made by somebody who did not know the current key, after a device was removed; it is not used.
        case refused
    }

    /// The space.
    package let space: String
    /// The device's own key.
    package let device: DeviceKey
    /// The epoch that is written with.
    package private(set) var current: Epoch
    /// Epochs that were made at the same time as one before the current one, and are read.
    package private(set) var beside: [Epoch] = []

    /// Makes the ring of a device that opened an epoch.
    package init(space: String, device: DeviceKey, _ key: EpochKey, _ record: EpochRecord) {
        (self.space, self.device, current) = (space, device, Epoch(key: key, record: record))
    }

    /// Returns the key of an epoch; nil where it is not known.
    package func key(_ id: EpochID) -> EpochKey? {
        if current.key.id == id { return current.key }
        if let earlier = current.record.earlier.first(where: { $0.key.id == id }) { return earlier.key }
        for epoch in beside {
            if epoch.key.id == id { return epoch.key }
            if let earlier = epoch.record.earlier.first(where: { $0.key.id == id }) { return earlier.key }
        }
        return nil
    }

    /// Returns whether a stored file counts: it is of the current epoch, or was known when its epoch was closed.
    ///
    /// - Parameter hash: The hash in the file's name.
    package func counts(_ epoch: EpochID, hash: String) -> Bool {
        if epoch == current.key.id || current.record.closed.contains(hash) { return true }
        let isEarlier = current.record.earlier.contains { $0.key.id == epoch }
        return beside.contains { $0.key.id == epoch && !isEarlier || $0.record.closed.contains(hash) }
    }

    /// Takes in an epoch whose key a slot of this device held.
    ///
    /// An epoch that holds the current key comes after it. Of epochs made at the same time, the greatest by number,
    /// removed devices and identifier is written with; the others are read. Where the current epoch removed a device,
    /// another one of that time is refused, as the removed device could have made it.
    package mutating func adopt(_ key: EpochKey, _ record: EpochRecord) -> Adoption {
        guard self.key(key.id) == nil else { return .known }
        let new = Epoch(key: key, record: record)
        if record.earlier.contains(where: { $0.key.isSame(as: current.key) }) {
            beside.removeAll { other in record.earlier.contains { $0.key.isSame(as: other.key) } }
            current = new
            return .current
        }
        let known = current.record.earlier
        let shared = record.earlier.filter { earlier in known.contains { $0.key.isSame(as: earlier.key) } }
        guard let origin = shared.max(by: { $0.number < $1.number }),
            Self.hasRemovedNobody([current], since: origin)
        else { return .refused }
        if Self.order(current) < Self.order(new) {
            beside.append(current)
            current = new
            return .current
        }
        beside.append(new)
        return .beside
    }

    /// Goes over to an epoch that a person opened with the passphrase or the recovery code.
    ///
    /// What was current before is still read, unless the new epoch comes after it.
    package mutating func unlock(_ key: EpochKey, _ record: EpochRecord) { unlock([Epoch(key: key, record: record)]) }

    /// Goes over to the greatest of the epochs that a person opened; the others, which were made at the same time, are
    /// read.
    package mutating func unlock(_ opened: [Epoch]) {
        guard let greatest = opened.max(by: { Self.order($0) < Self.order($1) }),
            opened.contains(where: { key($0.key.id) == nil })
        else { return }
        var all = [current] + beside
        let isPast = key(greatest.key.id) != nil && !all.contains { $0.key.id == greatest.key.id }
        for epoch in opened where !all.contains(where: { $0.key.id == epoch.key.id }) { all.append(epoch) }
        let next = isPast ? current : greatest
        beside = all.filter { one in
            one.key.id != next.key.id
                && !all.contains { $0.record.earlier.contains { $0.key.isSame(as: one.key) } }
        }
        current = next
    }

    /// The devices that any of the epochs removed, and the names of public keys that get no later key.
    package var removed: Set<String> { beside.reduce(current.record.removed) { $0.union($1.record.removed) } }

    /// Returns whether no device was removed since an epoch, which has to be an earlier one.
    ///
    /// - Parameter id: The epoch's identifier.
    package func hasRemovedNobody(since id: EpochID) -> Bool {
        let newest = [current] + beside
        guard let origin = newest.flatMap(\.record.earlier).first(where: { $0.key.id == id }) else { return false }
        return Self.hasRemovedNobody(newest, since: origin)
    }

    /// Returns whether no epoch from an earlier one to the newest removed a device, also one that takes part again.
    private static func hasRemovedNobody(_ newest: [Epoch], since origin: EpochRecord.Earlier) -> Bool {
        let epochs =
            newest.map { ($0.record.number, $0.record.removed) }
            + newest.flatMap(\.record.earlier).map { ($0.number, $0.removed) }
        return epochs.allSatisfy { number, removed in
            number < origin.number || removed.isSubset(of: origin.removed)
        }
    }

    /// True if the key was replaced twice at the same time, and not since.
    package var isForked: Bool { !beside.isEmpty }

    private static func order(_ epoch: Epoch) -> (Int, Int, EpochID) {
        (epoch.record.number, epoch.record.removed.count, epoch.key.id)
    }

    /// Makes the next epoch.
    ///
    /// - Parameters:
    ///   - removed: The devices that do not get its key, besides those removed before; and the names of public keys that
    ///     do not.
    ///   - returned: The devices that were removed before and take part again.
    ///   - closed: The hashes in the names of all stored files that count.
    ///   - heads: The last change of each writer.
    package func next(
        removing removed: Set<String>,
        returning returned: Set<String> = [],
        closed: Set<String>,
        heads: [String: Int]
    ) -> (key: EpochKey, record: EpochRecord) {
        var earlier: [EpochKey: EpochRecord.Earlier] = [:]
        for epoch in [current] + beside {
            for one in epoch.record.earlier { earlier[one.key] = one }
            earlier[epoch.key] = EpochRecord.Earlier(
                key: epoch.key,
                number: epoch.record.number,
                removed: epoch.record.removed
            )
        }
        let number = ([current] + beside).map(\.record.number).max() ?? 1
        let record = EpochRecord(
            number: number + 1,
            earlier: Array(earlier.values),
            removed: self.removed.subtracting(returned).union(removed),
            closed: closed,
            heads: heads
        )
        return (EpochKey(), record)
    }

    // MARK: The file of this device

    /// Returns the ring as JSON, with its secrets.
    package func encoded() -> [UInt8] {
        func json(_ epoch: Epoch) -> JSONValue {
            var object = JSONObject()
            object["key"] = .string(epoch.key.secretText())
            object["record"] = .object(epoch.record.object(space: space))
            return .object(object)
        }
        var object = JSONObject()
        object["format"] = "satchel-keys"
        object["version"] = 1
        object["space"] = .string(space)
        object["device"] = .string(device.secretText())
        object["current"] = json(current)
        object["beside"] = .array(beside.map(json))
        return JSONValue.object(object).encoded(.compact) + [UInt8(ascii: "\n")]
    }

    /// Reads a ring.
    ///
    /// - Throws: `damaged`, `tooNew`.
    package init(reading bytes: [UInt8], space: String) throws(EncryptionError) {
        let damaged = EncryptionError(
            .damaged,
            "the file of this device's keys is damaged; remove it and run foldersync key unlock"
        )
        guard let root = try? JSONDocument(parsing: bytes).root, root["format"]?.string == "satchel-keys",
            let version = root["version"]?.int
        else { throw damaged }
        guard version == 1 else {
            throw EncryptionError(.tooNew, "this device's keys are of version \(version); update the program")
        }
        guard root["space"]?.string == space,
            let seed = root["device"]?.string.flatMap({ Base64.decode(Array($0.utf8)) }), let node = root["current"]
        else { throw damaged }
        func epoch(_ node: JSONNode) throws(EncryptionError) -> Epoch {
            guard let bytes = node["key"]?.string.flatMap({ Base64.decode(Array($0.utf8)) }),
                let key = EpochKey(bytes), let record = node["record"]
            else { throw damaged }
            return Epoch(key: key, record: try EpochRecord(reading: record, space: space))
        }
        self.space = space
        device = try DeviceKey(seed: seed)
        current = try epoch(node)
        for node in root["beside"]?.elements.map(\.self) ?? [] { beside.append(try epoch(node)) }
    }

    /// Tells the space only.
    package var description: String { "the keys of the space \(space)" }
    /// Tells nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EpochKey: Hashable {
    /// Returns whether two keys are the same.
    package static func == (left: EpochKey, right: EpochKey) -> Bool { left.isSame(as: right) }

    /// Hashes the public identifier.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
