package import FormatKit
package import StrictJSON

extension RecordReading {
    /// Returns why the reader of Time Tracker's exports refuses a record; nil where it takes it.
    package static func trackerFault(of object: JSONObject, in collection: String) -> String? {
        var object = object
        // It follows from the order.
        if collection == "buttons", object["position"] == nil { object["position"] = 0 }
        let empty: JSONObject = [
            "format": .string(TrackerFormat.name), "version": .number(TrackerFormat.currentVersion),
            "buttons": [], "activities": [],
        ]
        let reading = TrackerFormat.read(bytes(empty, collection, object))
        return reading.content == nil ? fault(reading.diagnostics) : nil
    }
}
