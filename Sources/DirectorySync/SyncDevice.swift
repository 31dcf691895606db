/// A device that syncs.
public struct SyncDevice: Sendable, Hashable {
    /// Its identifier: 16 of the characters `0-9 a-z`, made at random.
    public let id: String
    /// The device's name for people.
    public var name: String

    /// Makes a device.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// As much of its name as the others know before it publishes something.
    package var nameInMarks: String { SeenMark.cut(name) }
}
