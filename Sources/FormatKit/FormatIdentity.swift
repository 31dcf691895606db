public import StrictJSON

/// A format, told by a document's content.
public enum FormatIdentity: Sendable, Hashable {
    /// A BZ Timer session file.
    case bztimer
    /// The manifest of a `.bzpack`.
    case bzpack
    /// GymPulse interval presets.
    case gympulse
    /// A Slate backup.
    case slate
    /// A Time Tracker export.
    case tracker
    /// A Study Timer log.
    case study
    /// A JSON Schema.
    case schema
    /// An export of Timewarrior (`timew export`).
    case timewarrior
    /// The buckets of ActivityWatch, or the events of one.
    case activityWatch
    /// Some other format that names itself.
    case named(String)
    /// None that the toolkit knows.
    case unknown

    /// Tells what a document is by its member `format`, else by its shape.
    public static func detect(_ root: JSONNode) -> FormatIdentity {
        switch root.kind {
        case .object: root["format"]?.string.map(named(by:)) ?? shape(ofObject: root)
        case .array: root[0].map { shape(ofElement: $0) } ?? .unknown
        default: .unknown
        }
    }

    private static func named(by format: String) -> FormatIdentity {
        switch format {
        case "bztimer": .bztimer
        case "bzpack": .bzpack
        case "gympulse-presets": .gympulse
        case "tracker-export": .tracker
        case "study-log": .study
        default: .named(format)
        }
    }

    private static func shape(ofObject root: JSONNode) -> FormatIdentity {
        func has(_ names: String...) -> Bool { names.allSatisfy { root[$0] != nil } }
        if has("schema_version") || has("tasks", "habits") { return .slate }
        if has("activities", "buttons") { return .tracker }
        if has("sessions", "session_history") { return .study }
        if has("items"), has("id") || has("name") { return .bztimer }
        if has("$schema") || has("$id") || has("$defs") { return .schema }
        if root["presets"]?[0].map(shape(ofElement:)) == .gympulse { return .gympulse }
        if root["buckets"]?.kind == .object || has("events", "hostname", "client") { return .activityWatch }
        return .unknown
    }

    /// Returns the format of the bare arrays that first versions and exports of tables are.
    private static func shape(ofElement element: JSONNode) -> FormatIdentity {
        if element["workSeconds"] != nil || element["getReadySeconds"] != nil { return .gympulse }
        if element["accumulated_seconds"] != nil || element["event_type"] != nil { return .study }
        if element["buttonId"] != nil { return .tracker }
        if element["completedAt"] != nil, element["totalDurationSeconds"] != nil { return .named("bztimer-history") }
        func has(_ names: String...) -> Bool { names.allSatisfy { element[$0] != nil } }
        if has("timestamp", "duration", "data") { return .activityWatch }
        if let start = element["start"]?.string, isBasicTime(start) { return .timewarrior }
        return .unknown
    }

    /// Tells whether a text is a time as Timewarrior writes it: `20260301T090000Z`.
    private static func isBasicTime(_ text: String) -> Bool {
        let pattern = Array("00000000T000000Z".utf8)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.utf8.count == pattern.count
            && zip(text.utf8, pattern).allSatisfy { digits.contains($1) ? digits.contains($0) : $0 == $1 }
    }

    /// The document's name and, where the toolkit has one, the program that reads it: for the message of a tool
    /// that it is not for.
    ///
    /// `this is a Slate backup; use slate-backup`
    public var message: String {
        switch self {
        case .bztimer: "this is a BZ Timer session; use bzpack import"
        case .bzpack: "this is the manifest of a .bzpack archive"
        case .gympulse: "this is a list of GymPulse presets; use bzpack presets import"
        case .slate: "this is a Slate backup; use slate-backup"
        case .tracker: "this is a Time Tracker export; use tracker-export"
        case .study: "this is a Study Timer log; use tracker-export"
        case .schema: "this is a JSON Schema; use bzpack schema check"
        case .timewarrior:
            "this is an export of Timewarrior, which is not read: make a CSV table with the columns name, startTime and endTime of "
                + "it; tracker-export import reads that"
        case .activityWatch:
            "this is an export of ActivityWatch, which is not read: make a CSV table with the columns name, startTime and endTime "
                + "of it; tracker-export import reads that"
        case .named("bztimer-history"): "this is history of BZ Timer; use bzpack history import"
        case .named("bztimer-backup"): "this is a backup of BZ Timer; use bzpack restore"
        case .named(let name): "this is a file of the format \"\(name)\", which is not read here"
        case .unknown: "this is no file of a format that this program knows"
        }
    }

    /// Returns the message of a reader of another format.
    ///
    /// For content of no format it says what was found and what was expected:
    /// `found an empty list, expected a Slate backup: an object with "schema_version"`
    func message(of root: JSONNode, expected: FormatIdentity) -> String {
        guard self == .unknown, let shape = expected.shape else { return message }
        return "found \(Self.found(root)), expected \(shape)"
    }

    private static func found(_ root: JSONNode) -> String {
        guard root.kind == .array else { return found(one: root) }
        return root[0].map { "a list whose first element is \(found(one: $0))" } ?? "an empty list"
    }

    private static func found(one node: JSONNode) -> String {
        switch node.kind {
        case .object: "an object of no known format"
        case .array: "a list"
        case .null: "null"
        default: "a \(node.kind)"
        }
    }

    /// The name of a format that is read, and what its files look like.
    private var shape: String? {
        switch self {
        case .bztimer: #"a BZ Timer session: an object with "format": "bztimer", or with "name" and "items""#
        case .gympulse:
            #"GymPulse presets: an object with "format": "gympulse-presets", or a list of objects with "workSeconds""#
        case .slate: #"a Slate backup: an object with "schema_version""#
        case .tracker:
            #"a Time Tracker export: an object with "format": "tracker-export", or with "activities" and "buttons""#
        case .study:
            #"a Study Timer log: an object with "format": "study-log", or with "sessions" and "session_history""#
        default: nil
        }
    }
}

/// Files that are no text at all, told by their first bytes.
package enum BinaryFile {
    private static let kinds: [(start: [UInt8], message: String)] = [
        ([0x50, 0x4b, 0x03, 0x04], "this is a zip archive, such as a .bzpack, and no JSON"),
        (Array("SQLite format 3\0".utf8), "this is a SQLite database and no JSON"),
        ([0x1f, 0x8b], "this is compressed with gzip; decompress it first"),
        ([0x28, 0xb5, 0x2f, 0xfd], "this is compressed with zstd; decompress it first"),
        (Array("bplist00".utf8), "this is a binary property list and no JSON"),
        (Array("<?xml".utf8), "this is XML and no JSON; bzpack convert reads workouts of Zwift"),
    ]

    package static func message(for bytes: [UInt8]) -> String? { kinds.first { bytes.starts(with: $0.start) }?.message }
}
