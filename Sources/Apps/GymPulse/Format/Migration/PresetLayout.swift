import FormatKit
import StrictJSON

/// The members of each object in schema order.
enum PresetLayout {
    static let envelope = ["format", "version", "presets"]
    static let switches = ["soundEnabled", "voiceEnabled"]

    private static let one = MemberLayout(
        ["id", "name", "getReadySeconds", "workSeconds", "restSeconds", "sets", "rounds"] + switches
    )
    private static let two = MemberLayout(envelope, [("presets", one)])

    /// Returns the layout of a version.
    static func version(_ version: Int) -> MemberLayout { version == 1 ? one : two }

    /// Returns where a version has the presets.
    static func list(_ version: Int) -> JSONPointer { version == 1 ? .root : JSONPointer(tokens: ["presets"]) }

    /// Returns the presets of a document, found without demanding that it is valid.
    static func presets(of root: JSONNode, version: Int) -> [PlacedNode] {
        version == 1 ? PlacedNode(root).elements : PlacedNode(root).parts("presets")
    }
}
