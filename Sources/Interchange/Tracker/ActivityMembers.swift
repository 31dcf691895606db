internal import CivilTime
internal import StrictJSON
internal import TimeTracker

/// The members of an activity as texts, for formats of cells, attributes and properties.
///
/// What such a place cannot hold, a NUL in a cell for example, stands with the unknown members in a JSON object under the
/// name that it has in JSON.
struct ActivityMembers {
    var id: String?
    var name: String?
    var buttonID: String?
    var start: String?
    var end: String?
    var color: String?
    /// The preserved members that stand in places of their own, as in columns.
    var details: [ActivityDetail: String] = [:]
    var extra = JSONObject()

    init() {}

    /// Makes the members of an activity, each in its place where that fits.
    ///
    /// - Parameter details: The details that have a place.
    init(_ activity: TrackerActivity, details: [ActivityDetail] = [], fits: (String) -> Bool) {
        func place(_ name: String, _ text: String?) -> String? {
            guard let text, !fits(text) else { return text }
            extra[name] = .string(text)
            return nil
        }
        id = place("id", activity.id)
        name = place("name", activity.name)
        buttonID = place("buttonId", activity.buttonID)
        color = place("color", activity.color)
        start = activity.start.description
        end = activity.end?.description
        for member in activity.unknownMembers {
            if let detail = ActivityDetail(rawValue: member.name), details.contains(detail),
                let text = activity.detail(detail), fits(text), detail.value(of: text) == member.value,
                detail != .amount || text != ActivityDetail.amount(inColumnsOf: activity.unknownMembers)
            {
                self.details[detail] = text
            } else {
                extra[member.name] = member.value
            }
        }
        // For people: it is read from the columns again.
        if details.contains(.amount), self.details[.amount] == nil, let text = activity.detail(.amount), fits(text) {
            self.details[.amount] = text
        }
    }

    /// An error for members that make no activity.
    struct Fault: Error {
        /// The name of the member.
        let member: String
        let message: String
    }

    /// Returns the activity of the members, or an entry where somebody has left the identifier out.
    consuming func item(_ place: EntryPlace) throws(Fault) -> TrackerItem {
        try take("id", \.id)
        try take("name", \.name)
        try take("buttonId", \.buttonID)
        try take("color", \.color)
        try takeDetails()
        guard let name, !name.isEmpty else { throw Fault(member: "name", message: "the name is missing") }
        guard let start else { throw Fault(member: "startTime", message: "the start is missing") }
        let begin = try time("startTime", start)
        let end = try end.map { text throws(Fault) in try time("endTime", text) }
        if let color, !isColor(color) {
            throw Fault(member: "color", message: "\(quoted(color)) is no colour; expected one such as #1E90FF")
        }
        guard let id, !id.isEmpty else {
            return .entry(
                TimeEntry(name: name, start: begin, end: end, color: color, preserved: extra, place: place)
            )
        }
        let activity = TrackerActivity(
            id: id,
            name: name,
            buttonID: buttonID,
            start: begin,
            end: end,
            color: color,
            unknownMembers: extra
        )
        return .activity(activity, place)
    }

    private mutating func take(_ name: String, _ path: WritableKeyPath<ActivityMembers, String?>) throws(Fault) {
        guard let value = extra[name] else { return }
        guard let text = value.string, self[keyPath: path] == nil else {
            throw Fault(
                member: "extra",
                message: "the JSON object has a member \(quoted(name)) that does not belong there"
            )
        }
        self[keyPath: path] = text
        extra.removeValue(forName: name)
    }

    /// Puts the details in front of the other preserved members.
    private mutating func takeDetails() throws(Fault) {
        guard !details.isEmpty else { return }
        // A new amount takes the place of an empty one, which hides that of a report.
        if details[.amount] != nil, extra["amount"] == "" { extra["amount"] = nil }
        if let amount = details[.amount], amount == extra["amount"]?.string ?? ActivityDetail.amount(inColumnsOf: extra)
        {
            details[.amount] = nil
        }
        var members = JSONObject()
        for detail in ActivityDetail.allCases { members[detail.rawValue] = details[detail].map(detail.value) }
        for member in extra {
            guard members[member.name] != nil else {
                members[member.name] = member.value
                continue
            }
            guard Self.givesWay(member) else {
                let message =
                    "the JSON object has a member \(quoted(member.name)), which has a place of its own as well; "
                    + "remove one of the two"
                throw Fault(member: "extra", message: message)
            }
        }
        extra = members
    }

    /// Tells whether a filled cell takes the place of a member: of nothing, and of tags that no cell can hold.
    private static func givesWay(_ member: JSONObject.Member) -> Bool {
        let tags = ActivityDetail.tags
        guard member.name == tags.rawValue, member.value.array != nil else { return member.value.isNull }
        return tags.text(of: member.value).map(tags.value) != member.value
    }

    private func time(_ member: String, _ text: String) throws(Fault) -> ZonedTimestamp {
        if let time = ZonedTimestamp(text) { return time }
        let message =
            "\(quoted(text)) is no time with its offset from UTC; expected one such as 2026-03-01T07:30:00+01:00"
        throw Fault(member: member, message: message)
    }
}

extension TrackerItem {
    /// Exchanges start and end of an activity or entry that ends before it begins.
    ///
    /// - Returns: A sentence that says so; nil where nothing had to be done.
    mutating func exchangeTimes() -> String? {
        func sentence(_ name: String, _ start: ZonedTimestamp, _ end: ZonedTimestamp) -> String {
            "\(quoted(name)) ends at \(end), before its start \(start); repaired: start and end are exchanged"
        }
        switch self {
        case .activity(var activity, let place):
            guard let end = activity.end, end.moment < activity.start.moment else { return nil }
            let sentence = sentence(activity.name, activity.start, end)
            (activity.start, activity.end) = (end, activity.start)
            self = .activity(activity, place)
            return sentence
        case .entry(var entry):
            guard let end = entry.end, end.moment < entry.start.moment else { return nil }
            let sentence = sentence(entry.name, entry.start, end)
            (entry.start, entry.end) = (end, entry.start)
            self = .entry(entry)
            return sentence
        case .heading, .button: return nil
        }
    }
}

/// Tells whether a text is a colour as `#RRGGBB`.
func isColor(_ text: String) -> Bool {
    let utf8 = Array(text.utf8)
    return utf8.count == 7 && utf8[0] == UInt8(ascii: "#")
        && utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
}

/// Reads a JSON object from a cell, attribute or property.
func jsonObject(_ text: String) -> JSONObject? { (try? JSONDocument(parsing: text))?.root.value.object }
