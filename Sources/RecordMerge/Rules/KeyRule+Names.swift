package import StrictJSON

/// Names elements by their keys; the later ones of several with one key get a number, so that none is lost.
///
/// No canonical text contains a line feed, so that names of different kinds differ.
struct ElementNames {
    private var taken: [ScalarKey: Int] = [:]
    /// Names of elements that are known by their identifiers, and that no other gets.
    private var known: Set<ScalarKey> = []

    init(known: some Sequence<String> = []) { self.known = Set(known.map(ScalarKey.init)) }

    /// Returns the name of the next element.
    mutating func name(_ element: JSONValue, _ key: KeyRule?) -> String {
        let name = key?.name(of: element) ?? "\n\n" + element.text(.canonical)
        var count = taken[ScalarKey(name)] ?? 0
        var next: String
        repeat {
            count += 1
            next = count == 1 ? name : "\(name)\n\(count)"
        } while known.contains(ScalarKey(next))
        taken[ScalarKey(name)] = count
        return next
    }
}

extension KeyRule {
    /// Returns the name of an element by its key; nil where it has none.
    package func name(of element: JSONValue) -> String? {
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
