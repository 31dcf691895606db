internal import StrictJSON
internal import XMLIO

/// Reads a property list in XML where a key leads.
struct XMLPropertyList {
    private var budget = PropertyListBudget()

    /// Reads the value of a key in the outermost dictionary; `root` is the element `plist`.
    static func read(_ root: XMLElement, key: String) throws(PropertyListError) -> PropertyList {
        var reader = XMLPropertyList()
        guard let outermost = root.children.first, root.children.count == 1, outermost.name == "dict" else {
            let message = "the outermost value is no dictionary; expected one with the key \"\(key)\""
            throw PropertyListError(.presets, message, at: root.position)
        }
        var keys: [String] = []
        var value: PropertyList.Node?
        for entry in try entries(of: outermost) {
            keys.append(entry.key)
            guard entry.key == key else { continue }
            guard value == nil else { throw duplicate(entry.key, entry.value) }
            value = try reader.node(entry.value)
        }
        return PropertyList(form: .xml, keys: keys, value: value)
    }

    private mutating func node(_ element: XMLElement) throws(PropertyListError) -> PropertyList.Node {
        PropertyList.Node(kind: try kind(element), position: element.position)
    }

    private mutating func kind(_ element: XMLElement) throws(PropertyListError) -> PropertyList.Kind {
        try budget.take(bytes: element.text.utf8.count, at: element.position)
        switch element.name {
        case "dict":
            var members: [(key: String, value: PropertyList.Node)] = []
            var names: Set<[UInt8]> = []
            for entry in try Self.entries(of: element) {
                guard names.insert(Array(entry.key.utf8)).inserted else { throw Self.duplicate(entry.key, entry.value) }
                members.append((entry.key, try node(entry.value)))
            }
            return .dictionary(members)
        case "array":
            try Self.checkBlank(element)
            var elements: [PropertyList.Node] = []
            for child in element.children { elements.append(try node(child)) }
            return .array(elements)
        case "true", "false": return .bool(element.name == "true")
        case "string": return .string(try Self.text(element))
        case "date": return .other("a date")
        case "integer":
            guard let number = Int128(try Self.text(element).trimmed) else { throw Self.fault(element, "no integer") }
            return .number(String(number))
        case "real":
            guard let number = Double(try Self.text(element).trimmed) else { throw Self.fault(element, "no number") }
            return .real(number)
        case "data":
            guard let data = PropertyListBase64.decoded(try Self.text(element)) else {
                throw Self.fault(element, "no Base64")
            }
            return .data(data)
        default: throw Self.fault(element, "no value of a property list")
        }
    }

    /// Returns the keys and the values of a dictionary in turn.
    private static func entries(of element: XMLElement) throws(PropertyListError) -> [(key: String, value: XMLElement)]
    {
        try checkBlank(element)
        var entries: [(key: String, value: XMLElement)] = []
        var key: String?
        for child in element.children {
            if let name = key {
                entries.append((name, child))
                key = nil
            } else {
                guard child.name == "key" else { throw fault(child, "no <key>, which should come here") }
                key = try text(child)
            }
        }
        guard key == nil else { throw PropertyListError(.structure, "the last key has no value", at: element.position) }
        return entries
    }

    private static func text(_ element: XMLElement) throws(PropertyListError) -> String {
        guard let child = element.children.first else { return element.text }
        throw fault(child, "nothing that can be in <\(element.name)>")
    }

    private static func checkBlank(_ element: XMLElement) throws(PropertyListError) {
        guard element.text.trimmed.isEmpty else {
            throw fault(element, "a place for text; found \"\(element.text.trimmed.prefix(40))\"")
        }
    }

    private static func fault(_ element: XMLElement, _ what: String) -> PropertyListError {
        PropertyListError(.structure, "<\(element.name)> is \(what)", at: element.position)
    }

    private static func duplicate(_ key: String, _ element: XMLElement) -> PropertyListError {
        PropertyListError(.duplicateKey, "a dictionary has the key \"\(key)\" twice", at: element.position)
    }
}

/// Base64 with white space anywhere, as property lists have it.
enum PropertyListBase64 {
    /// Returns the bytes of Base64 text; nil where it is none.
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count, padding) = (UInt32(0), 0, 0)
        for character in text.utf8 where !" \t\r\n".utf8.contains(character) {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(character) else { return nil }
            bits = bits << 6 | value
            count += 1
            if count % 4 == 0 {
                bytes += [
                    UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                    UInt8(truncatingIfNeeded: bits),
                ]
                bits = 0
            }
        }
        switch (count % 4, padding) {
        case (0, 0): break
        case (2, 2): bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case (3, 1): bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
        return bytes
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
