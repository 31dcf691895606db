public import RecordStore

/// What a synchronisation takes from outside: the time, chance, and who it is.
public struct SyncEnvironment: Sendable {
    /// The apps whose stores it knows.
    public var apps: AppStores
    /// Compresses what is written into the folder.
    public var compression: any Compression
    /// The device that it runs on.
    public var device: SyncDevice
    /// The program and its version, as segments name it.
    public var program: String
    /// Milliseconds since 1970.
    public var now: @Sendable () -> Int
    /// A new name of so many of the characters `0-9 a-z`.
    public var makeName: @Sendable (_ count: Int) -> String
    /// Lock timeout, in seconds.
    public var lockTimeout: Double
    /// Is told now and then how far a synchronisation has come; what it throws ends that, and the next one goes on from there.
    public var progress: @Sendable (SyncProgress) throws -> Void = { _ in }
    /// Whether records that have to do with no other are brought together by themselves; tests compare it with the long way.
    package var takesShortcuts = true
    /// How many records are written to a store in one transaction; nil for what takes a few hundredths of a second.
    package var writesAtOnce: Int?

    /// An environment.
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

    /// A name made by the system's generator.
    public static func randomName(_ count: Int) -> String {
        let characters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var generator = SystemRandomNumberGenerator()
        return String((0..<count).map { _ in characters[Int.random(in: characters.indices, using: &generator)] })
    }
}
