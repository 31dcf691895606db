package import FormatKit
package import StrictJSON

extension RecordReading {
    /// Returns why the reader of Study Timer's logs refuses a record; nil where it takes it.
    package static func studyFault(of object: JSONObject, in collection: String) -> String? {
        let reading = StudyReader.read(
            bytes(["format": "study-log", "version": 2, "sessions": [], "events": []], collection, object)
        )
        return reading.log == nil ? fault(reading.diagnostics) : nil
    }
}
