internal import JSONSchemaValidation
package import StrictJSON

/// Reads one record as the app's programs read it in an export, so that none is synchronised which they would refuse.
package enum RecordReading {
    /// Returns why the reader of Slate's exports refuses a record; nil where it takes it.
    package static func slateFault(of object: JSONObject, in collection: String) -> String? {
        var document: JSONObject = [
            "schema_version": 2, "exported_at": "1970-01-01T00:00:00Z", "meta": [:] as JSONValue,
        ]
        for table in SlateTable.allCases { document[table.name] = [] }
        guard document[collection] != nil else { return nil }
        document[collection] = collection == SlateMember.meta ? .object(object) : [.object(object)]
        do {
            let document = try JSONDocument(parsing: JSONValue.object(document).encoded(.compact))
            let report = try SlateSchemas.schema(SlateContent.currentVersion).validate(document, limit: 1)
            return report.isValid
                ? nil : report.findings.first.map { reason($0.message, $0.pointer) } ?? "it is refused"
        } catch let error as JSONError {
            return reason(error.message, error.pointer)
        } catch {
            return "\(error)"
        }
    }

    /// Returns why the reader of Time Tracker's exports refuses a record; nil where it takes it.
    package static func trackerFault(of object: JSONObject, in collection: String) -> String? {
        var object = object
        // It follows from the order.
        if collection == "buttons", object["position"] == nil { object["position"] = 0 }
        let reading = TrackerReader.read(
            bytes(["format": "tracker-export", "version": 2, "buttons": [], "activities": []], collection, object)
        )
        return reading.content == nil ? fault(reading.diagnostics) : nil
    }

    /// Returns why the reader of Study Timer's logs refuses a record; nil where it takes it.
    package static func studyFault(of object: JSONObject, in collection: String) -> String? {
        let reading = StudyReader.read(
            bytes(["format": "study-log", "version": 2, "sessions": [], "events": []], collection, object)
        )
        return reading.log == nil ? fault(reading.diagnostics) : nil
    }

    private static func bytes(_ empty: JSONObject, _ collection: String, _ object: JSONObject) -> [UInt8] {
        var document = empty
        if document[collection] != nil { document[collection] = [.object(object)] }
        return JSONValue.object(document).encoded(.compact)
    }

    private static func fault(_ diagnostics: [Diagnostic]) -> String {
        guard let error = diagnostics.first(where: { $0.severity == .error }) else { return "it is refused" }
        return reason(error.message, error.pointer)
    }

    /// - Parameter pointer: The place in a document of only this record.
    private static func reason(_ message: String, _ pointer: JSONPointer?) -> String {
        let place = (pointer?.tokens ?? []).dropFirst().drop { $0 == "0" }
        return place.isEmpty ? message : "\(message) (at \(JSONPointer(tokens: Array(place))))"
    }
}
