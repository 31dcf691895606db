internal import StrictJSON

extension FindingText {
    /// Describes a value in a few words: its type, and the value itself where it is short.
    func description(_ index: Int) -> String {
        let word = TapeWord(bits: words[index])
        switch word.tag {
        case .null, .elsewhere: return "null"
        case .true: return "true"
        case .false: return "false"
        case .name: return "the member \(quoted(names.string(word.payload)))"
        case .integer, .decimal:
            let token = UnsafeBufferPointer(start: text + word.offset, count: min(word.payload, 61))
            return cut(String(decoding: token, as: UTF8.self))
        case .string, .escapedString: return "the string \(quoted(string(index, prefix: 512) ?? ""))"
        case .array: return word.payload == 0 ? "an empty array" : "an array of \(count(word.payload, "element"))"
        case .object: return word.payload == 0 ? "an empty object" : "an object of \(count(word.payload, "member"))"
        }
    }

    /// Returns a value that is a string, or the beginning of one.
    func string(_ index: Int, prefix: Int = .max) -> String? {
        let word = TapeWord(bits: words[index])
        let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
        switch word.tag {
        case .string: return String(decoding: raw.prefix(prefix), as: UTF8.self)
        case .escapedString: return String(decoding: unescaped(raw).prefix(prefix), as: UTF8.self)
        default: return nil
        }
    }

    /// Returns a name that the schema mentions, in quotes.
    func programName(_ number: Int32) -> String { quoted(program.names.string(Int(number))) }

    /// Returns a value of the schema as JSON, cut where it is long.
    func text(_ value: JSONNode) -> String {
        value.string.map(quoted) ?? cut(String(decoding: value.encoded(.compact), as: UTF8.self))
    }

    func cut(_ text: String) -> String { text.count > 60 ? text.prefix(60) + "…" : text }

    func count(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

    /// Returns items in a row, at most twenty of them and not too long.
    func list(_ items: [String], _ conjunction: String) -> String {
        var shown: [String] = []
        var length = 0
        for item in items.prefix(20) where length < 200 {
            shown.append(item)
            length += item.count
        }
        if shown.count < items.count { return shown.joined(separator: ", ") + ", …" }
        guard let last = shown.popLast() else { return "" }
        return shown.isEmpty ? last : shown.joined(separator: ", ") + " \(conjunction) " + last
    }

    func article(_ type: String) -> String {
        switch type {
        case "null": "null"
        case "boolean": "true or false"
        case "array", "integer", "object": "an \(type)"
        default: "a \(type)"
        }
    }

    /// Returns how a text differs from one that looks the same, such as one with an accent of its own.
    func difference(of text: String, from known: String) -> String {
        var (own, other) = (text.unicodeScalars[...], known.unicodeScalars[...])
        while let first = own.first, first == other.first {
            own.removeFirst()
            other.removeFirst()
        }
        while let last = own.last, last == other.last {
            own.removeLast()
            other.removeLast()
        }
        func codes(_ scalars: Substring.UnicodeScalarView) -> String {
            scalars.prefix(4).map(codePoint).joined(separator: " ") + (scalars.count > 4 ? " …" : "")
        }
        return "they only look the same: \(codes(own)) stands where \(codes(other)) is expected"
    }

    /// Returns a format with an example.
    func format(_ name: String) -> String {
        let example: String? =
            switch name {
            case "date-time": "2026-03-01T17:30:00Z"
            case "date": "2026-03-01"
            case "time": "17:30:00Z"
            case "duration": "PT1H30M"
            case "email": "anna@example.org"
            case "hostname": "www.example.org"
            case "ipv4": "192.0.2.1"
            case "ipv6": "2001:db8::1"
            case "uri": "https://example.org/page"
            case "uuid": "0b1f3a5c-7d9e-4f10-8a2b-3c4d5e6f7a8b"
            case "json-pointer": "/sessions/0"
            default: nil
            }
        return "the format \(quoted(name))" + (example.map { " such as \(quoted($0))" } ?? "")
    }

    func bound(_ keyword: String, _ text: String) -> String {
        switch keyword {
        case "minimum": "at least \(text)"
        case "exclusiveMinimum": "more than \(text)"
        case "maximum": "at most \(text)"
        case "exclusiveMaximum": "less than \(text)"
        default: "a multiple of \(text)"
        }
    }

    func size(_ keyword: String, _ limit: Int) -> String {
        let bound = keyword.hasPrefix("max") ? "at most" : "at least"
        if keyword.lowercased().hasSuffix("contains") { return "\(bound) \(limit)" }
        let thing =
            if keyword.hasSuffix("Length") { "character" } else { keyword.hasSuffix("Items") ? "element" : "member" }
        return "\(bound) \(count(limit, thing))"
    }
}
