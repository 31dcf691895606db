internal import FormatKit
internal import Interchange
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// A log of Study Timer in the form of Time Tracker's, for tables and calendars.
///
/// Each stretch of a session is an activity. The first one of a session has the session's device and unknown members.
struct StudyExport {
    /// The names that an activity has in its own right.
    private static let activityNames: Set<String> = [
        "id", "name", "buttonId", "startTime", "endTime", "duration", "color",
    ]
    /// The names that an export has in its own right.
    private static let exportNames: Set<String> = [
        "format", "version", "exportedAt", "timeZone", "buttons", "activities",
    ]

    /// Unknown members of sessions or of the top level, as far as a time log can hold them.
    private struct Members {
        /// The number that have a name with another meaning in a time log.
        var taken = 0
        /// The number that are for other versions of Study Timer's format.
        var preserved = 0

        /// Adds members to others, and counts those that are lost.
        mutating func add(_ members: JSONObject, to others: inout JSONObject, except names: Set<String>) {
            for member in members.ordered([]) {
                if member.name == Preserved.memberName {
                    preserved += 1
                } else if names.contains(member.name) {
                    taken += 1
                } else {
                    others[member.name] = member.value
                }
            }
        }
    }

    /// The activities, and what is known of the whole log.
    let content: TrackerExport
    /// The losses that come before any format's own.
    let losses: [InterchangeLoss]

    init(_ log: StudyLog) {
        let stretchesBySession = log.activitiesBySession
        var unknown = Members()
        var activities: [TrackerActivity] = []
        for (session, stretches) in zip(log.sessions, stretchesBySession) {
            var members: JSONObject = ["device_id": .string(session.deviceID)]
            unknown.add(session.unknownMembers, to: &members, except: Self.activityNames)
            for (index, stretch) in stretches.enumerated() {
                var activity = stretch
                if index == 0 { activity.unknownMembers = members }
                activities.append(activity)
            }
        }
        var members = JSONObject()
        unknown.add(log.unknownMembers, to: &members, except: Self.exportNames)
        content = TrackerExport(exportedAt: log.exportedAt, activities: activities, unknownMembers: members)
        losses = [
            InterchangeLoss("the states and events of sessions", count: log.sessions.count),
            InterchangeLoss("sessions without a stretch of time", count: stretchesBySession.count(where: \.isEmpty)),
            InterchangeLoss(
                "unknown members of events",
                count: log.events.count(where: { !$0.unknownMembers.isEmpty })
            ),
            InterchangeLoss("unknown members with a name that time logs use", count: unknown.taken),
            InterchangeLoss("what is kept for other versions in x-preserved", count: unknown.preserved),
        ]
        .filter { $0.count > 0 }
    }
}
