import RecordStore

/// The keys under which BZ Timer keeps its data in a phone's storage.
public enum BztimerStorageKey: String, Sendable, Hashable, CaseIterable {
    /// The saved activities: an array of BlockTemplate.
    case blockTemplates
    /// The sessions: an array of SessionTemplate.
    case sessionTemplates
    /// The settings: an object.
    case settings
    /// The history: an array of SessionHistoryEntry.
    case sessionHistory

    /// The names under which it may be stored; the first that can be used counts.
    ///
    /// A name with a prefix is surely the app's, one without may be another library's or left from an older app.
    public var names: [String] { ["@bztimer/", "bztimer:", ""].map { $0 + rawValue } }

    /// The names of all keys.
    public static let allNames = Set(allCases.flatMap(\.names))
}
