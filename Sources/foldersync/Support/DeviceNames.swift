internal import DirectorySync
internal import Synchronization

/// What the person calls the devices, by their identifiers, where that is not what they call themselves.
enum DeviceNames {
    private static let names = Mutex<[String: String]>([:])

    /// Takes the names of a registry, for all that this process says.
    static func use(_ registry: Registry) {
        let given = registry.devices.compactMapValues(\.name)
        names.withLock { $0 = given }
    }

    /// What a device is called.
    static func name(of device: SyncDevice) -> String { names.withLock { $0[device.id] } ?? device.name }
}
