internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import StrictJSON

/// BZ Timer's session files and GymPulse's presets, as inboxes take them; session files, as they write them.
struct BztimerInbox: InboxFormat {
    let app = AppID.bztimer
    let identities: Set<FormatIdentity> = [.bztimer, .gympulse]
    let filePrefix = "BZTimer"
    let fileExtension = "bztimer"
    let objects: Set<String> = ["settings"]
    let renames = true

    /// Reads the sessions, or presets, that somebody chose; of the others the file says nothing.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading {
        if identity == .gympulse { return try presets(PresetFormat.read(bytes, name: name)) }
        let reading = BztimerFormat.read(bytes, name: name)
        guard let file = reading.content else { return .refused(reading.diagnostics) }
        let value = try reading.migrated(to: BztimerFormat.currentVersion).value
        return .document(
            InboxDocument(
                app,
                value,
                exportedAt: file.exportedAt,
                isWhole: false,
                version: reading.documentVersion,
                reading.diagnostics
            )
        )
    }

    private func presets(_ reading: ParseResult<PresetFile>) throws -> InboxReading {
        guard reading.isValid else { return .refused(reading.diagnostics) }
        let value = try reading.migrated(to: PresetFormat.currentVersion).value
        return .document(
            InboxDocument(
                app,
                value,
                exportedAt: nil,
                isWhole: false,
                version: reading.documentVersion,
                isAnswered: false,
                reading.diagnostics
            )
        )
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        [
            "format": "bztimer", "version": .number(BztimerFormat.currentVersion),
            "generator": .string(generator), "exportedAt": .string(exportedAt), "categories": [],
        ]
    }

    /// Makes a file of sessions and activities, which are what the app imports; history, settings and presets stay
    /// where they are.
    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        var shared = JSONObject()
        for name in ["format", "version", "generator", "exportedAt", "categories", "sessions", "activities"] {
            shared[name] = document[name]
        }
        let reading = BztimerFormat.read(JSONValue.object(shared).encoded(.compact), name: name)
        var file = try UnusableDocument.checked(reading.content, reading.diagnostics)
        file.categories = Categories.custom(in: file.sessions, file.activities ?? [])
        return try file.encoded().bytes
    }
}
