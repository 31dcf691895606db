package import StrictJSON

/// The known members of an object, or of each object of a list, in schema order.
package struct MemberLayout: Sendable {
    /// The order of the object's own members.
    private let order: @Sendable (JSONObject) -> JSONObject
    /// The names that the format knows; nil where it knows all.
    private let known: Set<ScalarKey>?
    /// The members that hold objects themselves.
    private let parts: [(name: String, layout: MemberLayout)]
    /// The layouts of a list's elements by a member that tells them; an element that has none of these is as this object.
    private let elements: [(member: String, layout: MemberLayout)]

    /// Makes the layout of known members first, then the unknown ones, then `x-preserved`.
    package init(
        _ names: [String],
        _ parts: [(name: String, layout: MemberLayout)] = [],
        elements: [(member: String, layout: MemberLayout)] = []
    ) {
        order = { $0.ordered(names) }
        known = Set((names + [Preserved.memberName]).map(ScalarKey.init))
        self.parts = parts
        self.elements = elements
    }

    /// Makes the layout of an object of any members, in an order of its own.
    package init(order: @escaping @Sendable (JSONObject) -> JSONObject) {
        (self.order, known, parts, elements) = (order, nil, [], [])
    }

    /// Returns a value with its members in order.
    package func ordered(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values):
            return .array(values.map { element in layout { element[$0] != nil }.ordered(element) })
        case .object(let object):
            var object = order(object)
            for (name, layout) in parts {
                if let part = object[name] { object[name] = layout.ordered(part) }
            }
            return .object(object)
        default: return value
        }
    }

    /// Finds the members that are not known, those of an object before those of its parts.
    func findUnknown(
        in node: JSONNode,
        at pointer: @autoclosure () -> JSONPointer,
        into places: inout [JSONPointer],
        limit: Int
    ) {
        if node.kind == .array {
            for (index, element) in node.elements.enumerated() where places.count < limit {
                let layout = layout { element[$0] != nil }
                layout.findUnknown(in: element, at: pointer().appending(index), into: &places, limit: limit)
            }
            return
        }
        guard node.kind == .object, let known else { return }
        for member in node.members where places.count < limit && !known.contains(ScalarKey(member.name)) {
            places.append(pointer().appending(member.name))
        }
        for (name, layout) in parts {
            guard let part = node[name] else { continue }
            layout.findUnknown(in: part, at: pointer().appending(name), into: &places, limit: limit)
        }
    }

    private func layout(ofElementWith has: (String) -> Bool) -> MemberLayout {
        elements.first { has($0.member) }?.layout ?? self
    }
}
