package import FormatKit
package import StrictJSON

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

        package var reversed: Step { Step(before: after, after: before) }
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
        self.init(
            json["what"]?.string ?? "",
            activities: try Step.list(json["activities"]) { value throws(AppFormatError) in
                try TrackerActivity(json: value)
            },
            buttons: try Step.list(json["buttons"]) { value throws(AppFormatError) in
                try ActivityButton(json: value)
            }
        )
    }

    var json: JSONValue {
        [
            "what": .string(what),
            "activities": .array(activities.map { $0.json(\.json) }),
            "buttons": .array(buttons.map { $0.json(\.json) }),
        ]
    }
}

extension TrackerChange.Step {
    /// Reads the steps of a list.
    package static func list(
        _ json: JSONValue?,
        _ read: (JSONValue) throws(AppFormatError) -> Record
    ) throws(AppFormatError) -> [Self] {
        var steps: [Self] = []
        for step in json?.array ?? [] {
            steps.append(Self(before: try step["before"].map(read), after: try step["after"].map(read)))
        }
        return steps
    }

    package func json(_ write: (Record) -> JSONValue) -> JSONValue {
        var object = JSONObject()
        object["before"] = before.map(write)
        object["after"] = after.map(write)
        return .object(object)
    }
}
