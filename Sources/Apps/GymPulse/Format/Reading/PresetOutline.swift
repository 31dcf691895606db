import FormatKit
import StrictJSON

/// The presets of a document of any version, found without demanding that it is valid.
struct PresetOutline {
    /// A preset with its place.
    struct Part {
        let node: JSONNode
        let pointer: JSONPointer
    }

    let root: JSONNode
    let version: Int
    let presets: [Part]

    init(_ root: JSONNode, version: Int) {
        self.root = root
        self.version = version
        let place = Self.list(version)
        let elements = version == 1 ? root.elements.map(\.self) : root["presets"]?.elements.map(\.self) ?? []
        presets = elements.enumerated().map { Part(node: $1, pointer: place.appending($0)) }
    }

    /// Where a version has the presets.
    static func list(_ version: Int) -> JSONPointer { version == 1 ? .root : JSONPointer(tokens: ["presets"]) }

    /// The places of members that the version does not know, in the order of the document.
    func unknownMembers() -> [JSONPointer] {
        let envelope = version == 1 ? [] : unknown(Part(node: root, pointer: .root), PresetLayout.envelope)
        return envelope + presets.flatMap { unknown($0, PresetLayout.preset) }
    }

    private func unknown(_ part: Part, _ known: [String]) -> [JSONPointer] {
        let known = Set((known + [Preserved.memberName]).map(ScalarKey.init))
        return part.node.members.compactMap { member in
            known.contains(ScalarKey(member.name)) ? nil : part.pointer.appending(member.name)
        }
    }
}
