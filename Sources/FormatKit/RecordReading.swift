package import StrictJSON

/// Reads one record as an app's programs read it in an export, so that sync takes none which they would refuse.
package enum RecordReading {
    /// Returns a document with one record, or the whole collection where that is one record.
    package static func bytes(_ empty: JSONObject, _ collection: String, _ object: JSONObject) -> [UInt8] {
        var document = empty
        if document[collection] != nil { document[collection] = [.object(object)] }
        return JSONValue.object(document).encoded(.compact)
    }

    /// Returns the first error in words.
    package static func fault(_ diagnostics: [Diagnostic]) -> String {
        guard let error = diagnostics.first(where: { $0.severity == .error }) else { return "it is refused" }
        return reason(error.message, error.pointer)
    }

    /// Returns a message with the place in the record.
    ///
    /// - Parameter pointer: The place in a document of only this record.
    package static func reason(_ message: String, _ pointer: JSONPointer?) -> String {
        let place = (pointer?.tokens ?? []).dropFirst().drop { $0 == "0" }
        return place.isEmpty ? message : "\(message) (at \(JSONPointer(tokens: Array(place))))"
    }
}
