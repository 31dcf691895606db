internal import AppList
internal import ArchiveCompression
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import FormatKit
internal import RecordStore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// This device as it takes part.
enum ThisDevice {
    /// Returns the environment of syncs.
    ///
    /// - Parameter now: The moment that counts as the present one; nil for the clock of this machine.
    /// - Throws: 66 where nothing was joined.
    static func environment(_ registry: Registry, now: Timestamp? = nil) throws(CommandFailure) -> SyncEnvironment {
        guard let device = registry.device else { throw none }
        DeviceNames.use(registry)
        return environment(device, now: now)
    }

    /// The failure where nothing was joined.
    static let none = Registry().none

    static func environment(_ device: SyncDevice, now: Timestamp? = nil) -> SyncEnvironment {
        let fixed = now.map { $0.seconds * 1_000 + $0.nanoseconds / 1_000_000 }
        var environment = SyncEnvironment(
            apps: AppStores.all,
            compression: ArchiveCompression(),
            device: device,
            program: "foldersync \(SatchelVersion.current)",
            now: { fixed ?? milliseconds() }
        )
        environment.keys = keyStore
        let progress = ProgressLine()
        environment.progress = { progress.show($0.phase.words, done: $0.completed, of: $0.total) }
        return environment
    }

    private static let keys = Mutex<KeyStore?>(nil)

    /// The store of this process's keys of encrypted folders.
    static var keyStore: KeyStore? { keys.withLock(\.self) }

    /// Notes where this process finds the keys of encrypted folders.
    static func use(_ store: KeyStore) { keys.withLock { $0 = store } }

    /// Milliseconds since 1970 by the clock of this machine.
    static func milliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }

    /// Returns a name for this device: the one that was given, else the machine's.
    ///
    /// - Throws: 64 for a name that says nothing.
    static func name(_ given: String?) throws(CommandFailure) -> String {
        guard let given else { return machine ?? "this device" }
        let name = given.trimmed
        guard !Words.isBlank(name), name.count <= 60, TerminalText.safe(name) == name else {
            throw CommandFailure(.usage, Messages.deviceName(found: given))
        }
        return name
    }

    private static var machine: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Words.isBlank(name) || TerminalText.safe(name) != name ? nil : String(name.prefix(60))
    }
}

extension SyncProgress.Phase {
    /// The phase of a sync in words.
    fileprivate var words: String {
        switch self {
        case .detecting: "Comparing, records:"
        case .reading: "Reading, files:"
        case .merging: "Merging, changes:"
        case .applying: "Writing, records:"
        }
    }
}

extension String {
    /// Without white space around it.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
