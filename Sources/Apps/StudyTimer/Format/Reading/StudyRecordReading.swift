package import FormatKit
package import StrictJSON

extension RecordReading {
    /// Returns why the reader of Study Timer's logs refuses a record; nil where it takes it.
    package static func studyFault(of object: JSONObject, in collection: String) -> String? {
        let empty: JSONObject = [
            "format": .string(StudyFormat.name), "version": .number(StudyFormat.currentVersion),
            "sessions": [], "events": [],
        ]
        let reading = StudyFormat.read(bytes(empty, collection, object))
        return reading.content == nil ? fault(reading.diagnostics) : nil
    }
}
