public import StrictJSON
public import TimeTracker
internal import XMLIO

/// A tracker export as XML, without loss: version 2, `Schemas/tracker/tracker-2.rng`.
public enum TrackerXML {
    static let version = 2
    static let root = "tracker-export"

    /// Writes an export; the same content gives the same bytes.
    ///
    /// - Returns: Nothing: XML holds all of it.
    /// - Throws: `xml.element` for a time in the year 0000, which XML does not have; what the sink throws.
    package static func write(
        _ content: some TrackerSource,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> [InterchangeLoss] {
        try withoutActuallyEscaping(sink) { sink in
            try write(content, with: XMLWriter { bytes in try bytes.withUnsafeBytes { try sink($0) } })
        }
        return []
    }

    private static func write(_ content: some TrackerSource, with writer: consuming XMLWriter) throws {
        var writer = writer
        var unknown = try content.unknownMembers
        var attributes = [(name: "version", value: "\(version)")]
        for (name, text) in [("exportedAt", try content.exportedAt), ("timeZone", try content.timeZone)] {
            guard let text else { continue }
            if XMLWriter.unwritable(in: text) == nil {
                attributes.append((name, text))
            } else {
                unknown[name] = .string(text)
            }
        }
        try writer.start(root, attributes)
        try writer.json(unknown)
        try writer.start("buttons")
        for button in try content.buttons { try write(button, to: &writer) }
        try writer.end()
        try writer.start("activities")
        try content.forEachActivity { try write($0, to: &writer) }
        try writer.end()
        try writer.end()
        try writer.finish()
    }

    private static func write(_ button: ActivityButton, to writer: inout XMLWriter) throws {
        var attributes: [(name: String, value: String)] = []
        var extra = JSONObject()
        for member in button.json.object ?? JSONObject() {
            let text: String? =
                switch member.value {
                case .string(let text) where knownOfButton.contains(member.name): text
                case .bool(let flag) where knownOfButton.contains(member.name): flag ? "true" : "false"
                case .number(let number) where knownOfButton.contains(member.name): number.token
                default: nil
                }
            if let text, XMLWriter.unwritable(in: text) == nil {
                attributes.append((member.name, text))
            } else {
                extra[member.name] = member.value
            }
        }
        try writer.start("button", attributes)
        try writer.json(extra)
        try writer.end()
    }

    static let knownOfButton = ["id", "name", "color", "icon", "isDefault", "position", "isVisible"]
    static let knownOfActivity = ["id", "name", "buttonId", "startTime", "endTime", "color"]

    private static func write(_ activity: TrackerActivity, to writer: inout XMLWriter) throws {
        let members = ActivityMembers(activity) { XMLWriter.unwritable(in: $0) == nil }
        for (time, what) in [(members.start, "begins"), (members.end, "ends")] where time?.hasPrefix("0000-") == true {
            let message =
                "the activity \(quoted(activity.name)) \(what) in the year 0000, which XML does not have; write JSON, or "
                + "correct the time"
            throw InterchangeError(.element, message)
        }
        let texts = [members.id, members.name, members.buttonID, members.start, members.end, members.color]
        let attributes = zip(knownOfActivity, texts).compactMap { name, text in text.map { (name: name, value: $0) } }
        try writer.start("activity", attributes)
        try writer.json(members.extra)
        try writer.end()
    }

    /// Hands on what an export holds: its heading, its buttons and its activities, in their order.
    ///
    /// It is held against its schema while it is read. What is not valid is a finding, and an activity with one is not handed
    /// on; the caller takes back what it did with the others.
    ///
    /// - Parameter repair: Whether start and end are exchanged where an activity ends before it begins.
    /// - Throws: `xml.…` for what is no XML or of another format, `version.…` for another version; what the sink throws.
    public static func read(
        _ source: JSONByteSource,
        repair: Bool = false,
        sink: (TrackerItem) throws -> Void
    ) throws -> EntrySummary {
        try withoutActuallyEscaping(sink) { sink in
            let reader = try XMLReader()
            let handler = try TrackerXMLHandler(reader, repair: repair, sink)
            let schema = try RelaxNGSchema(PackageResources.tracker_2_rng)
            try reader.validate(against: schema) { [weak handler] error in handler?.schemaFault(error) }
            try reader.read(from: source.read, into: handler)
            return handler.finished()
        }
    }
}

extension XMLWriter {
    /// Writes a JSON object, if it has members, in characters that XML can hold.
    fileprivate mutating func json(_ object: JSONObject) throws {
        guard !object.isEmpty else { return }
        let text = JSONValue.object(object).text(.compact)
        let plain = text.replacingScalar("\u{FFFE}", with: "\\ufffe").replacingScalar("\u{FFFF}", with: "\\uffff")
        try element("json", text: plain)
    }
}
