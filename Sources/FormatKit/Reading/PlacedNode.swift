package import StrictJSON

/// A value of a document with its place, found without demanding that the document is valid.
package struct PlacedNode {
    package let node: JSONNode
    package let pointer: JSONPointer

    package init(_ node: JSONNode, at pointer: JSONPointer = .root) {
        self.node = node
        self.pointer = pointer
    }

    /// The elements of an array.
    package var elements: [PlacedNode] {
        node.elements.enumerated().map { PlacedNode($1, at: pointer.appending($0)) }
    }

    /// Returns a member.
    package func part(_ name: String) -> PlacedNode? { node[name].map { PlacedNode($0, at: pointer.appending(name)) } }

    /// Returns the elements of a member that is an array.
    package func parts(_ name: String) -> [PlacedNode] { part(name)?.elements ?? [] }
}
