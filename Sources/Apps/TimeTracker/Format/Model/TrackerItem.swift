public import StrictJSON

/// The items that a reader of a time log hands on.
public enum TrackerItem: Sendable, Hashable {
    /// The heading of the file; comes first, and only where the format has it.
    case heading(TrackerHeading)
    /// A button.
    case button(ActivityButton, EntryPlace)
    /// An activity of the tracker's own, with its identifier.
    case activity(TrackerActivity, EntryPlace)
    /// A record of another program.
    case entry(TimeEntry)
}

/// The data of a tracker export about itself.
public struct TrackerHeading: Sendable, Hashable {
    /// The moment of the export as RFC 3339.
    public var exportedAt: String?
    /// The name of the person's time zone.
    public var timeZone: String?
    /// Members of the top level that the format does not know.
    public var unknownMembers: JSONObject
    /// The places of a file that does not give all of its activities, as a table without some columns; nil where it does.
    package var places: SourcePlaces?

    /// Makes a heading.
    public init(exportedAt: String? = nil, timeZone: String? = nil, unknownMembers: JSONObject = JSONObject()) {
        self.exportedAt = exportedAt
        self.timeZone = timeZone
        self.unknownMembers = unknownMembers
    }
}

extension TrackerHeading {
    /// Makes the heading of a file that does not give all of its activities.
    package init(places: SourcePlaces) {
        self.init()
        self.places = places
    }
}

extension TrackerExport {
    /// Puts together what a reader handed on; entries of other programs are left out.
    public init(_ items: some Sequence<TrackerItem>) {
        self.init()
        for item in items {
            switch item {
            case .heading(let heading):
                exportedAt = heading.exportedAt
                timeZone = heading.timeZone
                unknownMembers = heading.unknownMembers
            case .button(let button, _): buttons.append(button)
            case .activity(let activity, _): activities.append(activity)
            case .entry: continue
            }
        }
    }
}
