import FormatKit
public import RecordStore
public import StrictJSON

/// The data of BZ Timer in a phone's storage, as far as it can be read.
///
/// An element that cannot be used is left out with a warning that names its place inside the value; all others are
/// there, in the current version of the model.
public struct BztimerStorageReading: Sendable {
    /// The states of a key's value.
    public enum State: String, Sendable, Hashable {
        /// It is there and was read; elements may have been left out.
        case found
        /// It is not there under any of its names.
        case absent
        /// It is there without a value, or its value is `null`.
        case null
        /// It is there, and nothing of it can be used.
        case damaged
    }

    /// The result of reading one key.
    public struct Part: Sendable, Hashable {
        /// The key.
        public let key: BztimerStorageKey
        /// The name under which it was found, nil where it is absent.
        public internal(set) var name: String?
        /// The state of the key's value.
        public internal(set) var state = State.absent
        /// The number of records that were read; of settings, of members.
        public internal(set) var records = 0
        /// The number of records, or members of the settings, that cannot be used.
        public internal(set) var leftOut = 0
    }

    /// A part for each key, in the order of ``BztimerStorageKey``.
    public internal(set) var parts: [Part] = []
    /// The saved activities.
    public internal(set) var activities: [BlockTemplate] = []
    /// The sessions.
    public internal(set) var sessions: [SessionTemplate] = []
    /// The settings; members that cannot be used have the app's defaults.
    public internal(set) var settings: TimerSettings?
    /// The history, in the order stored.
    public internal(set) var history: [SessionHistoryEntry] = []
    /// The diagnostics, each with its location inside the value; at most `ParseResult.findingLimit`.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    public internal(set) var findingCount = 0

    /// True if anything was found that can be used.
    public var isUsable: Bool { parts.contains { $0.state == .found } }

    /// Reads what was stored.
    ///
    /// Nothing is thrown: what is wrong is in the diagnostics.
    ///
    /// - Parameters:
    ///   - values: The values by name; others than ``BztimerStorageKey/allNames`` are not looked at.
    ///   - storage: The storage as the person named it; diagnostics name `STORAGE/KEY` as the file.
    public init(_ values: [String: StoredValue], of storage: String) {
        for key in BztimerStorageKey.allCases { read(key, values, storage) }
    }

    /// Reads the first of a key's names under which there is something that can be used.
    private mutating func read(_ key: BztimerStorageKey, _ values: [String: StoredValue], _ storage: String) {
        let present = key.names.filter { values[$0] != nil }
        var chosen = Part(key: key)
        for name in present {
            var reader = StorageValueReader(key: key, file: "\(storage)/\(name)")
            var part = reader.read(values[name] ?? .null)
            part.name = name
            add(reader.diagnostics, total: reader.findingCount)
            guard part.state == .found else {
                if chosen.name == nil || chosen.state == .null { chosen = part }
                continue
            }
            chosen = part
            take(reader)
            break
        }
        let others = present.filter { $0 != chosen.name }
        if let name = chosen.name, !others.isEmpty {
            let list = others.map { "\"\($0)\"" }.joined(separator: " and ")
            let message = "\"\(key.rawValue)\" is stored under \(list) as well; what is under \"\(name)\" is used"
            add([Diagnostic(.warning, code: "storage.several-names", message: message, file: storage)], total: 1)
        }
        parts.append(chosen)
    }

    private mutating func take(_ reader: StorageValueReader) {
        switch reader.key {
        case .blockTemplates: activities = reader.activities
        case .sessionTemplates: sessions = reader.sessions
        case .settings: settings = reader.settings
        case .sessionHistory: history = reader.history
        }
    }

    private mutating func add(_ findings: [Diagnostic], total: Int) {
        diagnostics += findings.prefix(max(0, ParseResult<BztimerFile>.findingLimit - diagnostics.count))
        findingCount += total
    }
}
