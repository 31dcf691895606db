import Crypto
internal import FormatKit
internal import StrictJSON

/// Identifiers of records beyond the file or store that they are in.
enum Identifier {
    /// Tells whether nobody else's record has that identifier; one such as "1" is unique in its file alone.
    static func isUUID(_ id: String) -> Bool {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(\.isHexDigit)
    }

    /// Returns an identifier that follows from all that an activity holds, whatever its own: devices that import the same
    /// activity give the same one.
    ///
    /// It is a UUID of version 8 (RFC 9562, section 5.8).
    static func derived(from activity: BlockTemplate) -> String {
        var content = activity.json
        content["id"] = nil
        var bytes = Array(SHA256.hash(data: JSONValue.array(["activity", content]).encoded(.canonical)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        var rest = Hex.text(bytes)[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}

/// The identifiers that a store has given, also to records that cannot be read.
public struct TakenIds: Sendable {
    /// The identifiers of sessions.
    public var sessions: Set<String> = []
    /// The identifiers of saved activities.
    public var activities: Set<String> = []
    /// The identifiers of presets.
    public var presets: Set<String> = []
    /// The identifiers of history entries.
    public var history: Set<String> = []

    /// Makes the identifiers of an empty store.
    public init() {}

    init(sessions: Set<String>, activities: Set<String>, presets: Set<String>, history: Set<String>) {
        self.sessions = sessions
        self.activities = activities
        self.presets = presets
        self.history = history
    }
}
