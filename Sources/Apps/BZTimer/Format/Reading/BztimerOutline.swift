import FormatKit
import StrictJSON

/// The objects of a `.bztimer` document of any version, found without demanding that it is valid.
struct BztimerOutline {
    let version: Int
    let root: PlacedNode
    let sessions: [PlacedNode]
    let activities: [PlacedNode]

    init(_ root: JSONNode, version: Int) {
        self.version = version
        let root = PlacedNode(root)
        self.root = root
        switch version {
        case 1: sessions = [root]
        case 2: sessions = root.part("session").map { [$0] } ?? []
        default: sessions = root.parts("sessions")
        }
        activities = version < 3 ? [] : root.parts("activities")
    }
}
