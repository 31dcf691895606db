internal import FormatKit
internal import StrictJSON
internal import TimeTracker
internal import XMLIO

/// Takes the elements of a tracker export.
final class TrackerXMLHandler: XMLHandler {
    /// An element that has begun.
    private enum Place { case root, buttons, button, activities, activity, json, unknown }

    private static let longestJSON = 1 << 24

    private var summary = EntrySummary(source: "tracker XML")
    private let sink: (TrackerItem) throws -> Void
    /// True if start and end are exchanged where an activity ends before it begins.
    private let repair: Bool
    private let names: [(name: XMLName, place: Place)]
    private var open: [Place] = []
    private var position = TextPosition(offset: 0, line: 1, column: 1)
    /// The members of the button or activity, or of the whole export.
    private var members = JSONObject()
    private var heading: JSONObject?
    private var json: [UInt8] = []
    private var hasFault = false
    /// The first thing that the schema says, as long as nothing else has said it.
    private var schemaError: XMLError?
    private var isInvalid = false
    private var buttons = 0
    private var activities = 0

    init(_ reader: XMLReader, repair: Bool, _ sink: @escaping (TrackerItem) throws -> Void) throws {
        self.sink = sink
        self.repair = repair
        let places: [(String, Place)] = [
            ("buttons", .buttons), ("button", .button), ("activities", .activities), ("activity", .activity),
            ("json", .json),
            (TrackerXML.root, .root),
        ]
        names = try places.map { (try reader.name($0.0), $0.1) }
    }

    func start(_ element: borrowing XMLElementStart) throws {
        let found = element.namespace == nil ? names.first { $0.name == element.name }?.place ?? .unknown : .unknown
        if open.isEmpty { try startRoot(element, found) }
        let isExpected =
            switch (open.last, found) {
            case (nil, .root), (.root, .buttons), (.root, .activities), (.root, .json), (.buttons, .button),
                (.activities, .activity), (.button, .json), (.activity, .json):
                true
            default: false
            }
        open.append(isExpected ? found : .unknown)
        guard isExpected else {
            return fault("<\(element.name)> does not belong here", at: element.position)
        }
        switch found {
        case .button: begin(element, TrackerXML.knownOfButton)
        case .activity: begin(element, TrackerXML.knownOfActivity)
        case .json: json.removeAll(keepingCapacity: true)
        case .buttons, .activities:
            try handOnHeading()
            begin(element, [])
        case .root, .unknown: break
        }
    }

    private func startRoot(_ element: borrowing XMLElementStart, _ place: Place) throws {
        guard place == .root else {
            let message = "the root element is <\(element.name)>; expected <\(TrackerXML.root)>"
            throw InterchangeError(.otherXML, message, at: element.position)
        }
        begin(element, ["version", "exportedAt", "timeZone"])
        let version = members["version"]?.string
        guard let version, version != "\(TrackerXML.version)" else {
            guard version == nil else { return heading = members }
            throw AppFormatError(
                .versionMissing,
                "the export has no version; expected version=\"\(TrackerXML.version)\""
            )
        }
        guard let number = decimal(version.utf8), number > 0 else {
            throw AppFormatError(.versionInvalid, "the version is \(quoted(version)); expected a positive integer")
        }
        guard number > TrackerXML.version else {
            throw AppFormatError(
                .versionInvalid,
                "version \(number) has no form in XML; expected \(TrackerXML.version)"
            )
        }
        let message =
            "version \(number) is newer than \(TrackerXML.version), which this program knows; update the program"
        throw AppFormatError(.versionNewer, message)
    }

    /// Takes the attributes of an element.
    private func begin(_ element: borrowing XMLElementStart, _ known: [String]) {
        position = element.position
        members = JSONObject()
        hasFault = false
        for index in 0..<element.attributeCount {
            guard let attribute = element.attribute(index) else { continue }
            let name = attribute.name.description
            guard attribute.namespace == nil, known.contains(name) else {
                fault(
                    "found the attribute \(quoted(name)) of <\(element.name)>, expected "
                        + (known.isEmpty ? "none" : known.map { quoted($0) }.joined(separator: ", ")),
                    at: position
                )
                continue
            }
            members[name] = .string(String(decoding: attribute.value, as: UTF8.self))
        }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard open.last == .json else { return }
        json.append(contentsOf: bytes)
        guard json.count <= Self.longestJSON else {
            let message = "<json> has more than \(Self.longestJSON) bytes, which is the limit"
            throw InterchangeError(.elementSize, message, at: position)
        }
    }

    func end(_ name: XMLName) throws {
        switch open.popLast() {
        case .json: takeJSON()
        case .button: try endButton()
        case .activity: try endActivity()
        case .root: try handOnHeading()
        default: break
        }
    }

    private func takeJSON() {
        guard let object = (try? JSONDocument(parsing: json))?.root.value.object else {
            return fault("what is in <json> is no JSON object", at: position)
        }
        for member in object {
            if open.last == .root, member.name != "version" {
                heading?[member.name] = member.value
            } else if members[member.name] == nil {
                members[member.name] = member.value
            } else {
                fault("<json> and the element both have \(quoted(member.name))", at: position)
            }
        }
    }

    private func handOnHeading() throws {
        guard var rest = heading else { return }
        heading = nil
        rest.removeValue(forName: "version")
        let exportedAt = rest.removeValue(forName: "exportedAt")?.string
        let timeZone = rest.removeValue(forName: "timeZone")?.string
        try sink(.heading(TrackerHeading(exportedAt: exportedAt, timeZone: timeZone, unknownMembers: rest)))
    }

    private func endButton() throws {
        buttons += 1
        for (name, value) in [("isDefault", members["isDefault"]?.string), ("isVisible", members["isVisible"]?.string)]
        {
            guard let value else { continue }
            guard value == "true" || value == "false" else {
                fault("\(name) is \(quoted(value)); expected true or false", at: position)
                continue
            }
            members[name] = .bool(value == "true")
        }
        if let text = members["position"]?.string {
            if let number = Int32(text), text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
                members["position"] = .number(Int(number))
            } else {
                fault("position is \(quoted(text)); expected a whole number from 0 to \(Int32.max)", at: position)
            }
        }
        if let color = members["color"]?.string, !isColor(color) {
            fault("\(quoted(color)) is no colour; expected one such as #1E90FF", at: position)
        }
        guard !hasFault else { return summary.refused += 1 }
        do {
            let button = try ActivityButton(json: .object(members))
            guard !button.id.isEmpty, !button.name.trimmed.isEmpty else {
                return refuse("the button has no id or no name")
            }
            guard meetsSchema() else { return summary.refused += 1 }
            summary.entries += 1
            try sink(.button(button, EntryPlace(record: buttons, kind: "button", line: position.line)))
        } catch let error as AppFormatError {
            refuse("button \(buttons): \(error.message)\(error.pointer.map { " (at \($0))" } ?? "")")
        }
    }

    private func endActivity() throws {
        activities += 1
        var fields = ActivityMembers()
        func take(_ name: String) -> String? {
            guard let text = members[name]?.string else { return nil }
            members.removeValue(forName: name)
            return text
        }
        fields.id = take("id")
        fields.name = take("name")
        fields.buttonID = take("buttonId")
        fields.start = take("startTime")
        fields.end = take("endTime")
        fields.color = take("color")
        fields.extra = members
        guard !hasFault else { return summary.refused += 1 }
        let place = EntryPlace(record: activities, kind: "activity", line: position.line)
        switch Result(catching: { () throws(ActivityMembers.Fault) in try fields.item(place) }) {
        case .success(.entry): refuse("activity \(activities) has no id")
        case .success(var item):
            guard meetsSchema() else { return summary.refused += 1 }
            summary.entries += 1
            if repair, let repaired = item.exchangeTimes() {
                summary.findings.add(.warning, .endBeforeStart, "activity \(activities): \(repaired)", at: position)
            }
            try sink(item)
        case .failure(let error): refuse("activity \(activities): \(error.message)")
        }
    }

    private func fault(_ message: String, at position: TextPosition) {
        hasFault = true
        summary.findings.add(.error, .element, message, at: position)
    }

    private func refuse(_ message: String) {
        summary.refused += 1
        summary.findings.add(.error, .element, message, at: position)
    }

    /// Takes what the schema says: the first thing only, for after that it says no more that can be relied on.
    ///
    /// What this class finds itself, it says in words of its own.
    func schemaFault(_ error: XMLError) {
        if !isInvalid { schemaError = error }
        isInvalid = true
    }

    /// Tells whether the schema accepts the button or activity that ends; a fault becomes a finding.
    private func meetsSchema() -> Bool {
        guard let error = schemaError, let place = error.position, place >= position else { return true }
        summary.findings.add(error.diagnostic(file: nil))
        schemaError = nil
        return false
    }

    /// Returns the summary, with the schema's error where nothing else was found.
    func finished() -> EntrySummary {
        if let schemaError, summary.findings.count(.error) == 0 {
            summary.findings.add(schemaError.diagnostic(file: nil))
        }
        return summary
    }
}
