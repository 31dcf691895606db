internal import FormatKit
internal import RecordStore
internal import StrictJSON

/// Time Tracker's exports, as inboxes take and write them.
struct TrackerInbox: InboxFormat {
    let app = AppID.tracker
    let identities: Set<FormatIdentity> = [.tracker]
    let filePrefix = "TimeTracker"

    // Repair faults that the app left behind, and warn of each.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading {
        let reading = TrackerFormat.read(bytes, name: name, repair: true)
        guard let content = reading.content else { return .refused(reading.diagnostics) }
        var value = try JSONDocument(parsing: try content.encoded(style: .compact).bytes).root.value
        // The order of buttons is that of their positions, wherever they stand in the file.
        let buttons = (value["buttons"]?.array ?? []).enumerated().sorted { left, right in
            let places = (left.element["position"]?.int ?? 0, right.element["position"]?.int ?? 0)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }
        value["buttons"] = .array(buttons.map(\.element))
        return .document(
            InboxDocument(
                app,
                value,
                exportedAt: content.exportedAt,
                isWhole: true,
                version: reading.documentVersion,
                reading.diagnostics
            )
        )
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        [
            "format": "tracker-export", "version": .number(TrackerFormat.currentVersion),
            "exportedAt": .string(exportedAt),
        ]
    }

    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        let reading = TrackerFormat.read(document.encoded(.compact), name: name)
        return try UnusableDocument.checked(reading.content, reading.diagnostics).encoded().bytes
    }
}
