internal import CivilTime
internal import FormatKit

/// A subject as it is compared: without regard to case, and to white space around and between its words.
public struct SubjectKey: Sendable, Hashable {
    private let folded: String

    /// Makes the key of a subject as it is written.
    public init(_ subject: String) {
        let words = subject.unicodeScalars.split(whereSeparator: \.isSpace).map { String($0) }
        folded = CategoryKey(words.joined(separator: " ")).folded
    }
}

extension StudySession {
    /// The subject as it is shown and named: the title without white space around it, or "Study" where it is blank.
    public var subject: String { title.isBlank ? "Study" : Self.trimmed(title) }

    /// Returns a title without white space around it, as a keyboard adds it.
    public static func trimmed(_ title: String) -> String {
        let scalars = title.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isSpace }),
            let last = scalars.lastIndex(where: { !$0.isSpace })
        else { return "" }
        return String(scalars[first...last])
    }
}

extension StudyLog {
    /// The name of each subject, by every spelling that sessions have: that of its latest session.
    public var subjectNames: [String: String] {
        var keys: [String: SubjectKey] = [:]
        var latest: [SubjectKey: StudySession] = [:]
        for session in sessions {
            let key = keys[session.subject] ?? SubjectKey(session.subject)
            keys[session.subject] = key
            if let other = latest[key],
                (other.start.moment, ByteOrder(other.id)) > (session.start.moment, ByteOrder(session.id))
            {
                continue
            }
            latest[key] = session
        }
        return keys.compactMapValues { latest[$0]?.subject }
    }
}

extension Unicode.Scalar {
    /// True for white space and byte order marks, as in ``FormatKit/StringProtocol/isBlank``.
    fileprivate var isSpace: Bool { properties.isWhitespace || self == "\u{FEFF}" }
}
