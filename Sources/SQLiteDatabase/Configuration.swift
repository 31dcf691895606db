internal import Synchronization

/// The options of a connection.
public struct Configuration: Sendable {
    /// True if foreign keys are enforced.
    public var foreignKeysEnabled = true
    /// True if the file is only read; it must exist then.
    public var readonly = false
    /// The name of the connection, for people who debug.
    public var label: String?
    /// The behaviour while another connection holds the file.
    public var busyMode = Database.BusyMode.immediateError

    private static let limit = Mutex<Double?>(nil)

    /// The most seconds that a connection of this process waits for another one, whatever its ``busyMode`` says; nil for no
    /// limit.
    ///
    /// A program that answers a person sets it: who waits for a page is better told that another program is at work.
    package static var mostTimeout: Double? {
        get { limit.withLock(\.self) }
        set { limit.withLock { $0 = newValue } }
    }

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Makes a configuration that opens for writing, creates a missing file and waits for nobody.
    public init() {}

    /// Adds what is done with each new connection before it is used.
    public mutating func prepareDatabase(_ preparation: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(preparation)
    }

    func prepare(_ database: Database) throws { for preparation in preparations { try preparation(database) } }
}
