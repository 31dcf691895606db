internal import FormatKit
internal import RecordStore
internal import StrictJSON

/// Study Timer's logs, as inboxes take and write them.
struct StudyInbox: InboxFormat {
    let app = AppID.study
    let identities: Set<FormatIdentity> = [.study]
    let filePrefix = "StudyTimer"

    // Repair faults that the app left behind, and warn of each.
    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading {
        let reading = StudyFormat.read(bytes, name: name, repair: true)
        guard var log = reading.content else { return .refused(reading.diagnostics) }
        log.unknownMembers = StudyStep1To2.withoutListName(log.unknownMembers)
        // A list alone is one of the two tables, and says nothing of the other.
        let isList = reading.document?.root.kind == .array
        let unsaid: Set<String> = isList ? [log.events.isEmpty ? "events" : "sessions"] : []
        let value = try JSONDocument(parsing: try log.encoded(style: .compact).bytes).root.value
        return .document(
            InboxDocument(
                app,
                value,
                exportedAt: log.exportedAt,
                isWhole: true,
                version: reading.documentVersion,
                unsaid: unsaid,
                reading.diagnostics
            )
        )
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        [
            "format": "study-log", "version": .number(StudyFormat.currentVersion),
            "exportedAt": .string(exportedAt),
        ]
    }

    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        let reading = StudyFormat.read(document.encoded(.compact), name: name, repair: true)
        return try UnusableDocument.checked(reading.content, reading.diagnostics).encoded().bytes
    }
}
