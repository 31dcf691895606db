internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool.DevicesGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the devices that take part.",
            discussion:
                "A device is known once it has written something. Those whose exports are taken are listed as well."
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let registry = try options.config.file().read()
            DeviceNames.use(registry)
            let environment = try ThisDevice.environment(registry)
            let clock = try zone.clock()
            let targets = try options.targets(of: registry)
            let results = try TargetResults(targets) { target in
                try Replica(folder: target.folder.path, store: target.store.path, environment).devices()
            }
            StandardError.write(results.errors)
            let known = KnownDevices(results.values.flatMap(\.value), registry, targets.map(\.folder))
            try output.print(known.text(clock), ["devices": known.json])
            try results.status { _ in .success }.finish()
        }
    }
}

/// The devices of several stores, each once.
struct KnownDevices {
    private struct Entry {
        var device: SyncDevice
        var isThis = false
        /// True if only marks name it, which have no room for a long name.
        var isNameCut = false
        var lastChange: Int?
        var isExporting = false
        var isRetired: Bool
        /// True if it has left with all its stores; nil if no store of it is known.
        var hasLeft: Bool?
    }

    private var entries: [Entry] = []

    init(_ peers: [ReplicaStatus.Peer], _ registry: Registry, _ folders: [JoinedFolder]) {
        func index(of device: SyncDevice, isNameCut: Bool = false) -> Int {
            if let index = entries.firstIndex(where: { $0.device.id == device.id }) {
                if entries[index].isNameCut, !isNameCut {
                    (entries[index].device, entries[index].isNameCut) = (device, false)
                }
                return index
            }
            let isRetired = registry.devices[device.id]?.isRetired ?? false
            entries.append(Entry(device: device, isNameCut: isNameCut, isRetired: isRetired))
            return entries.endIndex - 1
        }
        for peer in peers {
            let index = index(of: peer.device, isNameCut: peer.isNameCut)
            entries[index].isThis = peer.isThis
            entries[index].isRetired = entries[index].isRetired || peer.isRetired
            entries[index].hasLeft = (entries[index].hasLeft ?? true) && peer.hasLeft
            entries[index].lastChange = [entries[index].lastChange, peer.lastChange].compactMap(\.self).max()
        }
        for inbox in folders.flatMap(\.inboxes) { entries[index(of: inbox.device)].isExporting = true }
    }

    func text(_ clock: LocalClock) -> String {
        var table = TextTable([.fixed("ID"), .left("DEVICE"), .fixed("LAST CHANGE"), .left("")])
        for entry in entries {
            let last = entry.lastChange.map { RecordWords.moment($0, clock) } ?? "never"
            let words = [
                entry.isThis ? "this device" : nil, entry.isExporting ? "by its exports" : nil,
                entry.hasLeft == true ? "has left" : nil, entry.isRetired ? "retired" : nil,
            ]
            let name = DeviceNames.name(of: entry.device)
            table.add([entry.device.id, name, last, words.compactMap(\.self).joined(separator: ", ")])
        }
        return table.render()
    }

    var json: JSONValue {
        .array(
            entries.map { entry in
                var object = entry.device.json
                object["calledHere"] = .string(DeviceNames.name(of: entry.device))
                object["isThisDevice"] = .bool(entry.isThis)
                object["lastChange"] = RecordWords.json(moment: entry.lastChange)
                object["exports"] = .bool(entry.isExporting)
                object["retired"] = .bool(entry.isRetired)
                object["left"] = .bool(entry.hasLeft == true)
                return .object(object)
            }
        )
    }

    /// The devices.
    var devices: [SyncDevice] { entries.map(\.device) }

    /// Tells whether a device has left with all its stores.
    func hasLeft(_ device: SyncDevice) -> Bool { entries.contains { $0.device.id == device.id && $0.hasLeft == true } }

    /// Tells whether a device is retired, here or on another device.
    func isRetired(_ device: SyncDevice) -> Bool { entries.contains { $0.device.id == device.id && $0.isRetired } }

    /// Returns the same devices by the names that they have today, as far as they are known here.
    func today(_ devices: [SyncDevice]) -> [SyncDevice] {
        devices.map { device in
            let known = entries.first { $0.device.id == device.id }?.device ?? device
            return SyncDevice(id: device.id, name: DeviceNames.name(of: known))
        }
    }

    /// Returns the devices that take part and are none of those that get a key.
    func withoutKey(_ devices: [SyncDevice]) -> [SyncDevice] {
        let others = entries.filter { entry in
            !entry.isThis && !entry.isExporting && !entry.isRetired && entry.hasLeft != true
                && !devices.contains { $0.id == entry.device.id }
        }
        return today(others.map(\.device))
    }

    /// Adds devices that have a key and may have written nothing yet.
    mutating func add(_ devices: [SyncDevice], _ registry: Registry) {
        for device in devices where !entries.contains(where: { $0.device.id == device.id }) {
            entries.append(Entry(device: device, isRetired: registry.devices[device.id]?.isRetired ?? false))
        }
    }

    /// Returns the first device of that name, by its own name or its name here.
    func device(called name: String) -> SyncDevice? {
        devices.first { $0.name == name || DeviceNames.name(of: $0) == name }
    }

    /// Returns the device of that identifier or name, or of any part of a name that fits one.
    ///
    /// A device whose name is known only in part is found by its whole name.
    ///
    /// - Throws: 66 where there is none, 64 where there are several.
    func find(_ text: String) throws(CommandFailure) -> SyncDevice {
        if let exact = devices.first(where: { $0.id == text }) { return exact }
        var named = devices.filter { $0.name == text || DeviceNames.name(of: $0) == text }
        if named.isEmpty {
            named = devices.filter { [$0.name, DeviceNames.name(of: $0)].contains { NameText.contains($0, text) } }
        }
        if named.isEmpty {
            let start = SyncDevice(id: "", name: text).nameInMarks
            named = entries.filter { $0.isNameCut && !start.isEmpty && $0.device.name == start }.map(\.device)
        }
        guard let only = named.first else {
            // As after leaving the only folder.
            guard !devices.isEmpty else { throw CommandFailure(.noInput, Messages.nothingJoined) }
            let known = devices.map { "\($0.id) \"\($0.name)\"" }.joined(separator: ", ")
            throw CommandFailure(.noInput, Messages.noDevice(text, known))
        }
        guard named.count == 1 else {
            let known = named.map { "\($0.id) \"\(DeviceNames.name(of: $0))\"" }.joined(separator: ", ")
            throw CommandFailure(.usage, Messages.severalDevices(named.count, text, known))
        }
        return only
    }
}
