import Crypto
import FormatKit
public import GymPulse
import StrictJSON

/// SHA-256 of what a session, an activity or a file holds, whoever exported it, when and under which identifiers.
///
/// It is taken over the canonical bytes (RFC 8785) of the version 3 form without `id`, `templateId` and `x-preserved` of
/// sessions, blocks and activities, with `tags` and `scheduledDaysOfWeek` sorted and left out where they are empty. Of a
/// file also `format`, `version`, `generator`, `exportedAt` and `categories` are left out, and `activities` where it is
/// empty. Integers that a double would round keep their digits, which is where it differs from RFC 8785.
public struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    /// 64 hexadecimal digits in lower case.
    public let description: String

    /// Makes the digest of a session.
    public init(of session: SessionTemplate) { self.init(canonical: Self.content(of: session)) }

    /// Makes the digest of an activity.
    public init(of activity: BlockTemplate) {
        self.init(canonical: Self.content(of: activity.json))
    }

    /// Makes the digest of a preset: of its version 2 form without `id` and `x-preserved`.
    public init(of preset: Preset) { self.init(canonical: Self.content(of: preset.json)) }

    /// Makes the digest of a file's sessions, activities and unknown members.
    public init(of file: BztimerFile) {
        var object = file.extra
        object[Preserved.memberName] = nil
        object["sessions"] = .array(file.sessions.map(Self.content(of:)))
        let activities = (file.activities ?? []).map { Self.content(of: $0.json) }
        object["activities"] = activities.isEmpty ? nil : .array(activities)
        self.init(canonical: .object(object))
    }

    private init(canonical value: JSONValue) {
        description = Hex.text(SHA256.hash(data: value.encoded(.canonical)))
    }

    private static func content(of session: SessionTemplate) -> JSONValue {
        var session = session
        session.tags = session.tags.flatMap { $0.isEmpty ? nil : $0.sorted(by: precedes) }
        session.scheduledDaysOfWeek = session.scheduledDaysOfWeek.flatMap { $0.isEmpty ? nil : $0.sorted() }
        var content = content(of: session.json)
        content["items"] = .array(session.items.map { Self.content(of: $0.json) })
        return content
    }

    private static func content(of value: JSONValue) -> JSONValue {
        var value = value
        for name in ["id", "templateId", Preserved.memberName] { value[name] = nil }
        return value
    }

    /// Tells whether a text sorts before another by code points, which takes no locale.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
    }
}
