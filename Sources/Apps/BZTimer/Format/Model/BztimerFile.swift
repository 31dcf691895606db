public import CivilTime
public import StrictJSON

/// The content of a `.bztimer` file of the current version.
public struct BztimerFile: Sendable, Hashable {
    /// The program that wrote the file, where the file says so.
    public var generator: String?
    /// The time of the export, in RFC 3339 form as written; nil where the file does not have it.
    public var exportedAt: String?
    /// The custom categories that the file declares.
    public var categories: [String]
    /// The sessions.
    public var sessions: [SessionTemplate]
    /// The activities that are shared along with them, or nil where the file has no such member.
    public var activities: [BlockTemplate]?
    /// Members of the envelope that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes the content of a file, as read.
    public init(
        generator: String?,
        exportedAt: String?,
        categories: [String],
        sessions: [SessionTemplate],
        activities: [BlockTemplate]?,
        extra: JSONObject = [:]
    ) {
        self.generator = generator
        self.exportedAt = exportedAt
        self.categories = categories
        self.sessions = sessions
        self.activities = activities
        self.extra = extra
    }

    /// Makes a file to export: its categories are the custom ones that the sessions and activities use.
    ///
    /// - Parameters:
    ///   - sessions: The sessions, in the order in which they are to stand in the file.
    ///   - activities: The activities to share along, or nil for a file without that member.
    ///   - generator: The program and its version, such as `bzpack 1.0`.
    ///   - exportedAt: Now.
    ///   - extra: Unknown members of the envelope, as an import gave them.
    public init(
        exporting sessions: [SessionTemplate],
        activities: [BlockTemplate]? = nil,
        generator: String,
        exportedAt: Timestamp,
        extra: JSONObject = [:]
    ) {
        self.init(
            generator: generator,
            exportedAt: exportedAt.description,
            categories: Categories.custom(in: sessions, activities ?? []),
            sessions: sessions,
            activities: activities,
            extra: extra
        )
    }
}
