package import CivilTime
package import StrictJSON

/// An activity as it lies in a document or a database: its texts are bytes there, good as long as whoever gave it says.
package struct TrackerRow {
    /// UTF-8.
    package typealias Text = UnsafeBufferPointer<UInt8>

    package var id: Text
    package var name: Text
    package var buttonID: Text?
    package var start: ZonedTimestamp
    package var end: ZonedTimestamp?
    package var color: Text?
    /// Members that the format does not know; empty where there are none, as nearly always.
    package var unknownMembers: JSONObject

    package init(
        id: Text,
        name: Text,
        buttonID: Text?,
        start: ZonedTimestamp,
        end: ZonedTimestamp?,
        color: Text?,
        unknownMembers: JSONObject
    ) {
        self.id = id
        self.name = name
        self.buttonID = buttonID
        self.start = start
        self.end = end
        self.color = color
        self.unknownMembers = unknownMembers
    }

    /// The activity with texts of its own.
    package var activity: TrackerActivity {
        TrackerActivity(
            id: String(decoding: id, as: UTF8.self),
            name: String(decoding: name, as: UTF8.self),
            buttonID: buttonID.map { String(decoding: $0, as: UTF8.self) },
            start: start,
            end: end,
            color: color.map { String(decoding: $0, as: UTF8.self) },
            unknownMembers: unknownMembers
        )
    }
}

extension TrackerActivity {
    /// Calls a function with the activity as a row, which is good only during the call.
    package func withRow<Result>(_ body: (TrackerRow) throws -> Result) rethrows -> Result {
        var (id, name, button, color) = (id, name, buttonID ?? "", color ?? "")
        let (hasButton, hasColor) = (buttonID != nil, self.color != nil)
        return try id.withUTF8 { id in
            try name.withUTF8 { name in
                try button.withUTF8 { button in
                    try color.withUTF8 { color in
                        try body(
                            TrackerRow(
                                id: id,
                                name: name,
                                buttonID: hasButton ? button : nil,
                                start: start,
                                end: end,
                                color: hasColor ? color : nil,
                                unknownMembers: unknownMembers
                            )
                        )
                    }
                }
            }
        }
    }
}

/// Activities, one after the other.
package protocol TrackerRowStream: AnyObject {
    /// Returns the next activity, good until the next call; nil behind the last.
    func next() throws -> TrackerRow?
}

/// The source of an export: a database, a document, or values.
package protocol TrackerSource {
    /// The moment of the export, if it is known.
    var exportedAt: String? { get throws }
    /// The name of the time zone in which the person lives, if it is known.
    var timeZone: String? { get throws }
    /// The buttons, in the order in which they are written.
    var buttons: [ActivityButton] { get throws }
    /// Members of the top level that the format does not know.
    var unknownMembers: JSONObject { get throws }
    /// Returns the activities, in the order in which they are written.
    func rows() throws -> any TrackerRowStream
}
