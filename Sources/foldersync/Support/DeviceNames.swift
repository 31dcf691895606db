internal import CommandSupport
internal import DirectorySync
internal import Synchronization

/// The names that the person gave devices, by their identifiers, where they differ from the devices' own.
enum DeviceNames {
    private static let names = Mutex<[String: String]>([:])

    /// Takes the names of a registry, for all that this process says.
    static func use(_ registry: Registry) {
        let given = registry.devices.compactMapValues(\.name)
        names.withLock { $0 = given }
    }

    /// Returns a name that no device of a folder has: the wanted one, else the next with a number.
    static func free(_ wanted: String, among devices: [SyncDevice]) -> String {
        let names = Set(devices.map(\.name))
        var (free, number) = (wanted, 1)
        while names.contains(free) {
            number += 1
            free = "\(wanted) \(number)"
        }
        return free
    }

    /// Returns a free name, where the wanted one was not given by the person.
    ///
    /// - Throws: 64 where it was, and another device has it.
    static func free(_ wanted: String, isGiven: Bool, among devices: [SyncDevice]) throws(CommandFailure) -> String {
        let free = free(wanted, among: devices)
        guard free == wanted || !isGiven else {
            throw CommandFailure(
                .usage,
                Messages.nameTaken(wanted, free)
            )
        }
        return free
    }

    /// Returns the name of a device.
    static func name(of device: SyncDevice) -> String { names.withLock { $0[device.id] } ?? device.name }
}
