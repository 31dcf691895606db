internal import StrictJSON

/// Names elements by their keys; the later ones of several with one key get a number, so that none is lost.
///
/// No canonical text contains a line feed, so that names of different kinds differ.
struct ElementNames {
    private var taken: [ScalarKey: Int] = [:]

    /// Returns the name of the next element.
    mutating func name(_ element: JSONValue, _ key: KeyRule?) -> String {
        let name = key?.name(of: element) ?? "\n\n" + element.text(.canonical)
        let count = (taken[ScalarKey(name)] ?? 0) + 1
        taken[ScalarKey(name)] = count
        return count == 1 ? name : "\(name)\n\(count)"
    }
}

extension KeyRule {
    /// Returns the name of an element by its key; nil where it has none.
    func name(of element: JSONValue) -> String? {
        guard let object = element.object else { return nil }
        if isNatural {
            let applies = condition.allSatisfy { object[$0.name] == $0.value }
            let values = members.compactMap { object[$0] }
            if applies, values.count == members.count { return JSONValue.array(values).text(.canonical) }
            return Self.name(object[identifier])
        }
        return Self.name(object[identifier])
    }

    /// Returns the name that a value gives.
    static func name(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)? where text.utf8.first != UInt8(ascii: "\n"): text
        case let value?: "\n" + value.text(.canonical)
        case nil: nil
        }
    }
}
