internal import FormatKit
internal import RecordStore
internal import StrictJSON

/// Slate's exports, as inboxes take and write them.
struct SlateInbox: InboxFormat {
    let app = AppID.slate
    let identities: Set<FormatIdentity> = [.slate]
    let filePrefix = "Slate"
    let objects: Set<String> = ["meta"]

    // Slate leaves faults behind, such as the plan of a deleted task. Repair them and warn of each, so that the device can
    // take part.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading {
        let reading = SlateFormat.read(bytes, name: name, repair: true)
        guard let content = reading.content else { return .refused(reading.diagnostics) }
        let value = try JSONDocument(parsing: try content.encoded(style: .compact)).root.value
        let own = value["meta"]?["last_open_date"]?.string
        let exportedAt = content.exportedAt
        return .document(
            InboxDocument(
                app,
                value,
                exportedAt: exportedAt,
                isWhole: true,
                own: own,
                version: reading.documentVersion,
                reading.diagnostics
            )
        )
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        ["schema_version": .number(SlateFormat.currentVersion), "exported_at": .string(exportedAt)]
    }

    /// Puts back the day on which the device's Slate was last opened, which no other device's day may replace.
    func keep(_ own: String?, in document: inout JSONValue) {
        document["meta"]?["last_open_date"] = own.map { .string($0) }
    }

    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        let reading = SlateFormat.read(document.encoded(.compact), name: name)
        return try UnusableDocument.checked(reading.content, reading.diagnostics).encoded()
    }
}
