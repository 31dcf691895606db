internal import FormatKit
internal import GymPulse
internal import JSONSchemaValidation
internal import RecordStore
public import StrictJSON

/// Everything that a store of BZ Timer holds, as one document.
///
/// A `.bztimer` file shares sessions; a backup brings a whole store back: settings, library, history and presets.
public struct TimerBackup: Sendable {
    /// The name of the format, as the document gives it.
    package static let format = "bztimer-backup"
    /// The version of the document.
    public static let version = 1

    /// The records by collection, as `bztimer-store-1.schema.json` has them, and the unknown members of the files that
    /// they came from.
    private let root: JSONObject

    /// Collects the records of a store.
    ///
    /// - Parameters:
    ///   - createdAt: The present moment, in RFC 3339; nil for a document that nobody keeps.
    ///   - generator: The program.
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public init(_ records: BztimerRecords, createdAt: String?, generator: String) throws {
        let sessions = try records.envelopedSessions()
        let activities = try records.envelopedActivities()
        let presets = try records.envelopedPresets()
        var root: JSONObject = [
            "format": .string(Self.format), "version": .number(Self.version),
        ]
        root["createdAt"] = createdAt.map { .string($0) }
        root["generator"] = .string(generator)
        root["settings"] = try records.settings().json
        root["sessions"] = .array(sessions.map(\.record.json))
        root["activities"] = .array(activities.map(\.record.json))
        root["history"] = .array(try records.history().map(\.json))
        root["presets"] = .array(presets.map(\.record.json))
        let envelopes: [(String, [(String, JSONObject)])] = [
            ("sessions", sessions.map { ($0.record.id, $0.envelope) }),
            ("activities", activities.map { ($0.record.id, $0.envelope) }),
            ("presets", presets.map { ($0.record.id, $0.envelope) }),
        ]
        var kept = JSONObject()
        for (collection, entries) in envelopes {
            var members = JSONObject()
            for (id, envelope) in entries where !envelope.isEmpty { members[id] = .object(envelope) }
            if !members.isEmpty { kept[collection] = .object(members) }
        }
        if !kept.isEmpty { root["envelopes"] = .object(kept) }
        self.root = root
    }

    /// Reads a backup, and checks each record by the schema of the store.
    ///
    /// - Parameters:
    ///   - file: The name for messages.
    ///   - isForAll: Whether the whole of it is to take a store's place: one record can be brought back though another one
    ///     cannot.
    /// - Throws: ``UnusableDocument`` with every fault and its place.
    public init(parsing bytes: [UInt8], file: String, isForAll: Bool = true) throws {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw UnusableDocument([error.diagnostic(file: file)])
        }
        let node = document.root
        func fault(_ member: String, _ expected: String) -> UnusableDocument {
            let found =
                node[member].map { "found \($0.value.text(.compact).prefix(60))" } ?? "found no member \"\(member)\""
            let place = node[member] ?? node
            return UnusableDocument([
                Diagnostic(
                    code: "format.unknown",
                    message: "\(found), expected \(expected)",
                    file: file,
                    position: place.position,
                    pointer: place.pointer
                )
            ])
        }
        guard node["format"]?.string == Self.format else {
            switch FormatIdentity.detect(node) {
            case .unknown, .bzpack, .schema: throw fault("format", "\"\(Self.format)\"")
            case let other:
                let code = AppFormatError.Code.otherFormat.description
                let place = node["format"]
                throw UnusableDocument([
                    Diagnostic(
                        code: code,
                        message: "\(other.message); a backup has the format \"\(Self.format)\"",
                        file: file,
                        position: place?.position,
                        pointer: place?.pointer
                    )
                ])
            }
        }
        if let version = node["version"]?.int, version > Self.version { throw Self.newer(version, node, file) }
        guard node["version"]?.int == Self.version else { throw fault("version", "version \(Self.version)") }
        let report = try Self.schema().validate(document, strict: false, limit: .max)
        var faults = report.findings.filter { !Self.isSkippedPhase($0, in: node) }.map { $0.diagnostic(file: file) }
        if isForAll {
            faults += TimerBackupChecks(node, isOfSchema: faults.isEmpty).findings.map { finding in
                var finding = finding
                finding.file = file
                finding.position = node[finding.pointer ?? .root]?.position
                return finding
            }
        }
        guard faults.isEmpty else { throw UnusableDocument(Array(faults.prefix(100))) }
        guard let root = node.value.object else { throw fault("format", "an object") }
        self.root = root
    }

    /// Returns the error of a backup that a newer version of the program wrote.
    private static func newer(_ version: Int, _ root: JSONNode, _ file: String) -> UnusableDocument {
        let message =
            "version \(version) of \(format) is newer than \(Self.version), the newest that this program knows; "
            + "update the program"
        let place = root["version"] ?? root
        let code = AppFormatError.Code.versionNewer.description
        return UnusableDocument([
            Diagnostic(code: code, message: message, file: file, position: place.position, pointer: place.pointer)
        ])
    }

    /// Tells whether a finding is of a phase of 0 s in a preset, which a repair takes in and the app skips.
    private static func isSkippedPhase(_ finding: ValidationFinding, in root: JSONNode) -> Bool {
        let tokens = finding.pointer.tokens
        return tokens.count == 3 && tokens[0] == "presets" && ["workSeconds", "restSeconds"].contains(tokens[2])
            && root[finding.pointer]?.int == 0
    }

    private static func schema() throws -> JSONSchema {
        var registry = SchemaRegistry()
        for text in BztimerFormat.storeSchemas.dropFirst() { try registry.add(JSONDocument(parsing: text), uri: nil) }
        let store = try JSONDocument(parsing: BztimerFormat.storeSchemas.first ?? [])
        return try JSONSchema(store, uri: nil, registry: registry, assertFormats: true)
    }

    /// The document.
    public var json: JSONValue { .object(root) }

    /// The numbers of records by collection.
    public var counts: [(collection: String, count: Int)] {
        ["sessions", "activities", "presets", "history"].map { ($0, root[$0]?.array?.count ?? 0) }
    }

    /// Puts the backup in the place of all that a store holds.
    ///
    /// - Throws: The place of a record that cannot be used; SQLite's error. The caller's transaction undoes what was done.
    public func restore(to records: BztimerRecords) throws {
        for session in try records.sessions() { try records.deleteSession(id: session.id) }
        for activity in try records.activities() { try records.deleteActivity(id: activity.id) }
        for preset in try records.presets() { try records.deletePreset(id: preset.id) }
        try records.makeRoomForHistory()
        let settings = root["settings"] ?? .object([:])
        try records.save(TimerSettings(json: settings, at: JSONPointer(tokens: ["settings"])))
        for (value, pointer) in elements("activities") {
            let activity = try BlockTemplate(json: value, at: pointer)
            try records.insert(activity, envelope: envelope("activities", activity.id))
        }
        for (value, pointer) in elements("sessions") {
            let session = try SessionTemplate(json: value, at: pointer)
            try records.insert(session, envelope: envelope("sessions", session.id))
        }
        for (value, pointer) in elements("presets") {
            let preset = try Preset(json: value, at: pointer)
            try records.insert(preset, envelope: envelope("presets", preset.id))
        }
        for (value, pointer) in elements("history") {
            try records.insert(SessionHistoryEntry(json: value, at: pointer))
        }
    }

    /// A record of a backup that can be brought back alone.
    public struct Record: Sendable, Hashable {
        /// `sessions`, `activities` or `presets`.
        public let collection: String
        /// Identifies it in its collection.
        public let id: String
        /// The name of the record.
        public let name: String
        /// All of it.
        public let json: JSONValue
    }

    /// The sessions, saved activities and presets.
    public var records: [Record] {
        ["sessions", "activities", "presets"].flatMap { collection in
            elements(collection).compactMap { value, _ in
                guard let id = value["id"]?.string else { return nil }
                let name = value[collection == "activities" ? "label" : "name"]?.string ?? id
                return Record(collection: collection, id: id, name: name, json: value)
            }
        }
    }

    /// Puts one record into a store, in the place of the one with its identifier.
    ///
    /// - Throws: The place of a record that cannot be used; SQLite's error. The caller's transaction undoes what was done.
    public func restore(_ record: Record, to records: BztimerRecords) throws {
        let pointer = JSONPointer(tokens: [record.collection])
        let envelope = envelope(record.collection, record.id)
        switch record.collection {
        case "sessions":
            let session = try SessionTemplate(json: record.json, at: pointer)
            let isThere = try records.sessions().contains { $0.id == session.id }
            try isThere ? records.update(session) : records.insert(session, envelope: envelope)
        case "activities":
            let activity = try BlockTemplate(json: record.json, at: pointer)
            let isThere = try records.activities().contains { $0.id == activity.id }
            try isThere ? records.update(activity) : records.insert(activity, envelope: envelope)
        default:
            try records.replace(Preset(json: record.json, at: pointer), envelope: envelope)
        }
    }

    private func elements(_ collection: String) -> [(JSONValue, JSONPointer)] {
        (root[collection]?.array ?? []).enumerated().map { index, value in
            (value, JSONPointer(tokens: [collection, String(index)]))
        }
    }

    private func envelope(_ collection: String, _ id: String) -> JSONObject {
        root["envelopes"]?[collection]?[id]?.object ?? [:]
    }
}
