import FormatKit
public import StrictJSON

/// The content of a tracker export, in the current version, checked.
///
/// The activities are read from the text of the document when they are asked for: content of a million activities takes
/// little more memory than its text and tape.
public final class TrackerContent: TrackerSource {
    /// The moment of the export, as it was written, if it is known.
    public let exportedAt: String?
    /// The name of the time zone in which the person lives, if it is known.
    public let timeZone: String?
    /// The buttons, in the order of the file.
    public let buttons: [ActivityButton]
    /// Members of the top level that the format does not know, `x-preserved` among them.
    public let unknownMembers: JSONObject

    private let activities: TrackerRows

    init(_ envelope: JSONObject, buttons: [ActivityButton], activities: TrackerRows) {
        exportedAt = envelope["exportedAt"]?.string
        timeZone = envelope["timeZone"]?.string
        self.buttons = buttons
        self.activities = activities
        var unknown = envelope
        for name in TrackerLayout.top(TrackerFormat.currentVersion) { unknown[name] = nil }
        unknownMembers = unknown
    }

    /// The number of activities.
    public var count: Int { activities.places.count }

    /// Calls a function with each activity, in the order of the file.
    ///
    /// - Throws: The error of `body`.
    public func forEachActivity(_ body: (TrackerActivity) throws -> Void) rethrows {
        let cursor = cursor()
        while let row = cursor.next() { try body(row.activity) }
    }

    /// All of it as values, for exports that are small.
    public var export: TrackerExport {
        var export = TrackerExport(
            exportedAt: exportedAt,
            timeZone: timeZone,
            buttons: buttons,
            unknownMembers: unknownMembers
        )
        export.activities.reserveCapacity(count)
        forEachActivity { export.activities.append($0) }
        return export
    }

    /// The places of a file of version 1, which the app writes; nil for a file that gives all of its activities.
    ///
    /// The app knows no details. A member that none of the file's activities has is none that the file is without.
    package var places: SourcePlaces? {
        guard activities.version == 1 else { return nil }
        let named = activities.unknownNames.union([Preserved.memberName])
        return SourcePlaces(members: ["buttonId", "color"], named: named)
    }

    /// Returns the activities, for reading them one after the other.
    package func cursor() -> TrackerCursor { TrackerCursor(activities) }

    /// Returns the activities as rows.
    package func rows() -> any TrackerRowStream { cursor() }
}

extension TrackerExport: TrackerSource {
    /// Returns the activities as rows.
    package func rows() -> any TrackerRowStream { TrackerValueRows(activities) }
}

/// Rows of activities that are values.
private final class TrackerValueRows: TrackerRowStream {
    private var rest: ArraySlice<TrackerActivity>
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = []

    init(_ activities: [TrackerActivity]) { rest = activities[...] }

    deinit { free() }

    func next() -> TrackerRow? {
        free()
        guard let activity = rest.popFirst() else { return nil }
        return TrackerRow(
            id: copy(activity.id),
            name: copy(activity.name),
            buttonID: activity.buttonID.map(copy),
            start: activity.start,
            end: activity.end,
            color: activity.color.map(copy),
            unknownMembers: activity.unknownMembers
        )
    }

    private func copy(_ text: String) -> UnsafeBufferPointer<UInt8> {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(text.utf8.count, 1))
        texts.append(buffer)
        let (_, count) = buffer.update(from: text.utf8)
        return UnsafeBufferPointer(rebasing: buffer[..<count])
    }

    private func free() {
        for text in texts { text.deallocate() }
        texts = []
    }
}
