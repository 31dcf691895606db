/// A device that takes part in synchronisation.
public struct SyncDevice: Sendable, Hashable {
    /// Its identifier: 16 of the characters `0-9 a-z`, made at random.
    public let id: String
    /// What its person calls it.
    public var name: String

    /// A device.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
