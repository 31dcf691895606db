public import FormatKit
public import StrictJSON

/// What came of reading a log of Study Timer: the content or the reasons why there is none, and all findings.
public struct StudyReading: Sendable {
    /// The most findings that are kept.
    public static let findingLimit = FindingList.limit

    /// The file as the person named it.
    public internal(set) var name: String?
    /// The file's text, where it is JSON.
    public internal(set) var document: JSONDocument?
    /// What the file is.
    public internal(set) var identity: FormatIdentity = .unknown
    /// The version that the file is, where it is one that this program knows.
    public internal(set) var version: Int?
    /// The content in the current version, or nil where an error was found.
    public internal(set) var log: StudyLog?
    /// The findings in the order of the file, at most ``findingLimit``; what was repaired is a warning.
    public internal(set) var diagnostics: [Diagnostic] = []
    /// The number of all findings.
    public internal(set) var findingCount = 0
    /// How many faults were repaired.
    public internal(set) var repairCount = 0
    /// The places of members that the version does not know; they are kept.
    public internal(set) var unknownMembers: [JSONPointer] = []

    /// Whether the file can be used; warnings and notes do not prevent that.
    public var isValid: Bool { log != nil }

    /// The place in the text of what the file has at a pointer, or of the nearest thing around it.
    public func position(of pointer: JSONPointer) -> TextPosition? { document?.position(nearest: pointer) }
}

/// The lists of a document of any version, found without demanding that it is valid.
struct StudyOutline {
    let root: JSONNode
    let version: Int
    let sessions: [JSONNode]
    let events: [JSONNode]

    init(_ root: JSONNode, version: Int) {
        self.root = root
        self.version = version
        if root.kind == .array {
            let isEvents = root[0]?["event_type"] != nil
            sessions = isEvents ? [] : root.elements.map(\.self)
            events = isEvents ? root.elements.map(\.self) : []
        } else {
            sessions = root["sessions"]?.elements.map(\.self) ?? []
            events = root[version == 1 ? "session_history" : "events"]?.elements.map(\.self) ?? []
        }
    }

    /// The top level in the current version, without its lists.
    var envelope: JSONObject {
        if root.kind == .array {
            let list = root[0]?["event_type"] != nil ? "events" : "sessions"
            return ["x-preserved": ["1": ["list": .string(list)]]]
        }
        var envelope = JSONObject()
        for member in root.members where !["sessions", "session_history", "events"].contains(member.name) {
            envelope.append(unique: member.name, member.value.value)
        }
        let foreign = version == 1 ? "events" : "session_history"
        if let value = root[foreign]?.value { envelope[foreign] = value }
        return version == 1 ? StudyStep1To2.upgrade(envelope) : envelope
    }

    /// The places of members that the version does not know, in the order of the document.
    var unknownMembers: [JSONPointer] {
        let top = root.kind == .object ? unknown(root, StudyLayout.top(version)) : []
        return sessions.flatMap { unknown($0, StudyLayout.session) } + events.flatMap { unknown($0, StudyLayout.event) }
            + top
    }

    private func unknown(_ node: JSONNode, _ known: [String]) -> [JSONPointer] {
        let known = Set((known + [Preserved.memberName]).map(ScalarKey.init))
        return node.members.compactMap { known.contains(ScalarKey($0.name)) ? nil : $0.value.pointer }
    }
}
