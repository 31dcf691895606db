package import FormatKit
internal import JSONSchemaValidation
package import StrictJSON
import Synchronization

extension RecordReading {
    /// Returns why the reader of Slate's exports refuses a record; nil where it takes it.
    package static func slateFault(of object: JSONObject, in collection: String) -> String? {
        SlateRecordCheck.isSurelyValid(object, in: collection) ? nil : slateFaultOfDocument(object, in: collection)
    }

    /// Returns why the reader of Slate's exports refuses a document of only this record; nil where it takes it.
    package static func slateFaultOfDocument(_ object: JSONObject, in collection: String) -> String? {
        var document: JSONObject = [
            "schema_version": .number(SlateFormat.currentVersion), "exported_at": "1970-01-01T00:00:00Z",
            "meta": [:] as JSONValue,
        ]
        for table in SlateTable.allCases { document[table.name] = [] }
        guard document[collection] != nil else { return nil }
        document[collection] = collection == SlateMember.meta ? .object(object) : [.object(object)]
        do {
            let document = try JSONDocument(parsing: JSONValue.object(document).encoded(.compact))
            let report = try SlateFormat.versions.schema(SlateFormat.currentVersion).validate(document, limit: 1)
            return report.isValid
                ? nil : report.findings.first.map { reason($0.message, $0.pointer) } ?? "it is refused"
        } catch let error as JSONError {
            return reason(error.message, error.pointer)
        } catch {
            return "\(error)"
        }
    }
}

/// Validates records alone, which takes a fraction of the time of a document around each.
package enum SlateRecordCheck {
    private static let parts = Mutex<[String: PartValidation]>([:])

    /// Returns whether a record is valid; it may be valid where the result is false.
    package static func isSurelyValid(_ object: JSONObject, in collection: String) -> Bool {
        parts.withLock { parts in
            if let part = parts[collection] { return part.isSurelyValid(.object(object)) }
            let isMeta = collection == SlateMember.meta
            guard isMeta || SlateTable(rawValue: collection) != nil,
                let schema = try? SlateFormat.versions.schema(SlateFormat.currentVersion),
                let part = PartValidation(schema, member: collection, isElement: !isMeta)
            else { return false }
            parts[collection] = part
            return part.isSurelyValid(.object(object))
        }
    }
}
