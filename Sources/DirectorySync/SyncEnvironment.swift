public import RecordStore

/// The limits at which records of a replica's state are packed into blocks, and the size of those.
package struct PackingLimits: Sendable {
    /// The least number of rows for which packing is worth it; nil for never.
    package var leastRows: Int?
    /// The bytes of a block before it is compressed.
    package var blockBytes: Int

    /// Makes the limits that programs use, or others.
    package init(leastRows: Int? = 1_000, blockBytes: Int = 32 << 10) {
        self.leastRows = leastRows
        self.blockBytes = blockBytes
    }
}

/// The environment of a sync: its apps, its device, the time and random names.
public struct SyncEnvironment: Sendable {
    /// The apps with their stores.
    public var apps: AppStores
    /// The compression of the folder's files.
    public var compression: any Compression
    /// The store of this device's keys of encrypted folders; nil where it takes part in none.
    public var keys: KeyStore?
    /// This device.
    public var device: SyncDevice
    /// The program and its version, as segments name it.
    public var program: String
    /// Returns the time in milliseconds since 1970.
    public var now: @Sendable () -> Int
    /// Returns a new name of that many characters of `0-9 a-z`.
    public var makeName: @Sendable (_ count: Int) -> String
    /// Lock timeout, in seconds.
    public var lockTimeout: Double
    /// Takes the progress of a sync now and then; an error ends the sync, and the next one continues.
    public var progress: @Sendable (SyncProgress) throws -> Void = { _ in }
    /// True if sync resolves independent records one by one; tests compare this with the long way.
    package var takesShortcuts = true
    /// The limits at which records of the state are packed; tests pack few.
    package var packing = PackingLimits()
    /// The number of records written in one transaction; nil for as many as take a few hundredths of a second.
    package var writesAtOnce: Int?

    /// Makes an environment.
    public init(
        apps: AppStores,
        compression: any Compression,
        device: SyncDevice,
        program: String,
        now: @escaping @Sendable () -> Int,
        makeName: @escaping @Sendable (_ count: Int) -> String = SyncEnvironment.randomName,
        lockTimeout: Double = 10
    ) {
        self.apps = apps
        self.compression = compression
        self.device = device
        self.program = program
        self.now = now
        self.makeName = makeName
        self.lockTimeout = lockTimeout
    }

    /// Returns a name made by the system's random generator.
    public static func randomName(_ count: Int) -> String {
        let characters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var generator = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in characters[Int.random(in: characters.indices, using: &generator)] })
    }
}
