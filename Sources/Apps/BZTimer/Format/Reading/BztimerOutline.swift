import FormatKit
import StrictJSON

/// The objects of a `.bztimer` document of any version, found without demanding that it is valid.
struct BztimerOutline {
    /// An object with its place.
    struct Part {
        let node: JSONNode
        let pointer: JSONPointer

        func part(_ name: String) -> Part? { node[name].map { Part(node: $0, pointer: pointer.appending(name)) } }

        /// The elements of a member that is an array.
        func parts(_ name: String) -> [Part] {
            let place = pointer.appending(name)
            guard let elements = node[name]?.elements else { return [] }
            return elements.enumerated().map { Part(node: $1, pointer: place.appending($0)) }
        }
    }

    let version: Int
    let root: Part
    let sessions: [Part]
    let activities: [Part]

    init(_ root: JSONNode, version: Int) {
        self.version = version
        let root = Part(node: root, pointer: .root)
        self.root = root
        switch version {
        case 1: sessions = [root]
        case 2: sessions = root.part("session").map { [$0] } ?? []
        default: sessions = root.parts("sessions")
        }
        activities = version < 3 ? [] : root.parts("activities")
    }

    /// The places of members that the version does not know, in the order of the document.
    func unknownMembers() -> [JSONPointer] {
        var found = version == 1 ? [] : unknown(root, BztimerLayout.envelope(version))
        for session in sessions {
            found += unknown(session, BztimerLayout.session)
            for block in session.parts("items") { found += unknown(block, BztimerLayout.block) }
        }
        for activity in activities { found += unknown(activity, BztimerLayout.activity) }
        return found
    }

    private func unknown(_ part: Part, _ known: [String]) -> [JSONPointer] {
        let known = Set((known + [Preserved.memberName]).map(ScalarKey.init))
        return part.node.members.compactMap { member in
            known.contains(ScalarKey(member.name)) ? nil : part.pointer.appending(member.name)
        }
    }
}
