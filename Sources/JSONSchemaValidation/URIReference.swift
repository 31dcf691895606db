/// A URI reference taken apart (RFC 3986, appendix B), for resolving `$id` and `$ref`.
struct URIReference: Hashable, CustomStringConvertible {
    var scheme: String?
    var authority: String?
    var path = ""
    var query: String?
    var fragment: String?

    init(_ text: String) {
        var rest = Substring(text)
        if let mark = rest.firstIndex(of: "#") {
            fragment = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(where: { ":/".contains($0) }), rest[mark] == ":", mark > rest.startIndex {
            scheme = rest[..<mark].lowercased()
            rest = rest[rest.index(after: mark)...]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    /// The text form.
    var description: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// True if there is nothing but a fragment.
    var isFragmentOnly: Bool {
        scheme == nil && authority == nil && path.isEmpty && query == nil && fragment?.isEmpty == false
    }

    /// The reference without its fragment.
    var document: String {
        var copy = self
        copy.fragment = nil
        return copy.description
    }

    /// Returns the reference seen from a base (RFC 3986, section 5.2.2).
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                    return target
                }
                if !path.hasPrefix("/") { target.path = base.merge(path) }
            }
        }
        target.path = Self.removingDotSegments(target.path)
        return target
    }

    /// Returns the shortest reference to this URI from a base in the same hierarchy; else the URI itself.
    func relative(to base: URIReference) -> String {
        guard scheme == base.scheme, authority == base.authority, path.hasPrefix("/"), base.path.hasPrefix("/") else {
            return document
        }
        var own = path.split(separator: "/", omittingEmptySubsequences: false)
        var others = base.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        while own.count > 1, let first = others.first, own[0] == first {
            own.removeFirst()
            others.removeFirst()
        }
        var relative = String(repeating: "../", count: others.count) + own.joined(separator: "/")
        // A first segment that is empty or has a colon would be read as something else.
        if relative.isEmpty || relative.hasPrefix("/") || own.first?.contains(":") == true {
            relative = "./" + relative
        }
        return relative + (query.map { "?" + $0 } ?? "")
    }

    private func merge(_ relative: String) -> String {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.lastIndex(of: "/") else { return relative }
        return path[...slash] + relative
    }

    private static func removingDotSegments(_ path: String) -> String {
        guard path.contains("/") else { return path }
        var output: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { output.append("") }
            case "..":
                if output.count > 1 || output.first.map({ !$0.isEmpty }) == true { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return output.joined(separator: "/")
    }

    /// The fragment with percent-escapes resolved, or nil where they are none or no UTF-8.
    var decodedFragment: String? {
        guard let fragment else { return "" }
        var bytes: [UInt8] = []
        var rest = fragment.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next(), let low = rest.next(), let value = Self.hex(high, low) else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns a URI in the form under which it is looked up.
    ///
    /// Unreserved characters are plain and others that a URI may not hold are escaped (RFC 3986, section 6.2.2), so
    /// that a file's name may be written either way.
    static func key(_ uri: String) -> String {
        var bytes: [UInt8] = []
        let text = Array(uri.utf8)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), index + 2 < text.count, let value = hex(text[index + 1], text[index + 2]) {
                bytes += isUnreserved(value) ? [value] : escape(value)
                index += 3
                continue
            }
            bytes += byte > 0x20 && byte < 0x7F ? [byte] : escape(byte)
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func hex(_ high: UInt8, _ low: UInt8) -> UInt8? {
        // A sign would do for the initializer, but not for an escape.
        guard high != UInt8(ascii: "+"), high != UInt8(ascii: "-") else { return nil }
        return UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
    }
}
