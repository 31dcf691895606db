internal import FormatKit
internal import StrictJSON

/// A change of activities and buttons that can be taken back.
public struct TrackerChange: Sendable, Hashable {
    /// The change of a record.
    public struct Step<Record: Sendable & Hashable>: Sendable, Hashable {
        /// The record before the change; nil where it is new.
        public var before: Record?
        /// The record after the change; nil where it was deleted.
        public var after: Record?

        /// Makes a step.
        public init(before: Record? = nil, after: Record? = nil) { (self.before, self.after) = (before, after) }

        var reversed: Step { Step(before: after, after: before) }
    }

    /// Names the person's action in a word: `edit`.
    public var what: String
    /// The activities that changed.
    public var activities: [Step<TrackerActivity>]
    /// The buttons that changed.
    public var buttons: [Step<ActivityButton>]

    /// Makes a change.
    public init(
        _ what: String,
        activities: [Step<TrackerActivity>] = [],
        buttons: [Step<ActivityButton>] = []
    ) {
        self.what = what
        self.activities = activities
        self.buttons = buttons
    }

    /// The change that takes this one back.
    public var reversed: TrackerChange {
        TrackerChange(
            what,
            activities: activities.reversed().map(\.reversed),
            buttons: buttons.reversed().map(\.reversed)
        )
    }
}

// MARK: - JSON

extension TrackerChange {
    init(json: JSONValue) throws(AppFormatError) {
        var activities: [Step<TrackerActivity>] = []
        for step in json["activities"]?.array ?? [] {
            activities.append(
                Step(
                    before: try step["before"].map { value throws(AppFormatError) in try TrackerActivity(json: value) },
                    after: try step["after"].map { value throws(AppFormatError) in try TrackerActivity(json: value) }
                )
            )
        }
        var buttons: [Step<ActivityButton>] = []
        for step in json["buttons"]?.array ?? [] {
            buttons.append(
                Step(
                    before: try step["before"].map { value throws(AppFormatError) in try ActivityButton(json: value) },
                    after: try step["after"].map { value throws(AppFormatError) in try ActivityButton(json: value) }
                )
            )
        }
        self.init(json["what"]?.string ?? "", activities: activities, buttons: buttons)
    }

    var json: JSONValue {
        func step(_ before: JSONValue?, _ after: JSONValue?) -> JSONValue {
            var object = JSONObject()
            object["before"] = before
            object["after"] = after
            return .object(object)
        }
        return [
            "what": .string(what),
            "activities": .array(activities.map { step($0.before?.json, $0.after?.json) }),
            "buttons": .array(buttons.map { step($0.before?.json, $0.after?.json) }),
        ]
    }
}
