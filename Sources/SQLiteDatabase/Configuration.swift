/// How a connection is opened.
public struct Configuration: Sendable {
    /// Whether foreign keys are enforced.
    public var foreignKeysEnabled = true
    /// Whether the file is only read; it must exist then.
    public var readonly = false
    /// The name of the connection, for people who debug.
    public var label: String?
    /// What happens while another connection holds the file.
    public var busyMode = Database.BusyMode.immediateError

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Makes a configuration that opens for writing, creates a missing file and waits for nobody.
    public init() {}

    /// Adds what is done with each new connection before it is used.
    public mutating func prepareDatabase(_ preparation: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(preparation)
    }

    func prepare(_ database: Database) throws { for preparation in preparations { try preparation(database) } }
}
