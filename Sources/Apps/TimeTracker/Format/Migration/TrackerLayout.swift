import FormatKit

/// The members of each object in schema order.
enum TrackerLayout {
    static let button = ["id", "name", "color", "icon", "isDefault", "position", "isVisible"]
    static let activity = ["id", "name", "buttonId", "startTime", "endTime", "duration", "color"]
    /// The times of an activity, which the versions write differently.
    static let times = ["startTime", "endTime"]

    /// Returns the members of the top level of a version.
    static func top(_ version: Int) -> [String] {
        version == 1
            ? ["activities", "buttons"] : ["format", "version", "exportedAt", "timeZone", "buttons", "activities"]
    }

    /// Returns the layout of a version.
    static func version(_ version: Int) -> MemberLayout { version == 1 ? one : two }

    private static let parts = [("buttons", MemberLayout(button)), ("activities", MemberLayout(activity))]
    private static let one = MemberLayout(top(1), parts)
    private static let two = MemberLayout(top(2), parts)
}
