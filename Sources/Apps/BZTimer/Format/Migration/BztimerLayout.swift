import FormatKit

/// The members of each object in schema order.
enum BztimerLayout {
    private static let members = [
        "id", "templateId", "label", "type", "mode", "durationSeconds", "reps", "perRepSeconds", "category", "color",
        "icon", "notes",
    ]
    private static let block = MemberLayout(members)
    private static let activity = MemberLayout(members.filter { $0 != "templateId" })
    private static let session = MemberLayout(
        ["id", "name", "items", "tags", "scheduledDaysOfWeek"],
        [("items", block)]
    )
    private static let two = MemberLayout(["format", "version", "exportedAt", "session"], [("session", session)])
    private static let three = MemberLayout(
        ["format", "version", "generator", "exportedAt", "categories", "sessions", "activities"],
        [("sessions", session), ("activities", activity)]
    )

    /// Returns the layout of a version: a bare session, an envelope of one, an envelope of several.
    static func version(_ version: Int) -> MemberLayout {
        switch version {
        case 1: session
        case 2: two
        default: three
        }
    }
}
