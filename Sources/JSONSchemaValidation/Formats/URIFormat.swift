/// URIs and their references (RFC 3986, appendix A), and the same with characters outside ASCII (RFC 3987, 2.2).
struct URIFormat {
    private let utf8: UnsafeBufferPointer<UInt8>
    private let isInternational: Bool

    /// Prepares the check of one string: as an IRI when `isInternational`, as a URI otherwise.
    init(_ utf8: UnsafeBufferPointer<UInt8>, isInternational: Bool) {
        self.utf8 = utf8
        self.isInternational = isInternational
    }

    /// True if the string has a scheme and a valid rest.
    var isURI: Bool {
        guard let colon = endOfScheme else { return false }
        return isHierarchy(from: colon + 1)
    }

    /// True if the string is a URI or a relative reference.
    var isReference: Bool {
        if let colon = endOfScheme { return isHierarchy(from: colon + 1) }
        // Without a scheme, a colon in the first segment would read as the end of one.
        for byte in utf8 {
            if byte == UInt8(ascii: ":") { return false }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
        }
        return isHierarchy(from: 0)
    }

    private static let schemeCharacters = ByteSet.alphanumerics.union(ByteSet("+-."))
    private static let nameCharacters = ByteSet.alphanumerics.union(ByteSet("-._~!$&'()*+,;="))
    private static let userCharacters = nameCharacters.union(ByteSet(":"))
    private static let pathCharacters = nameCharacters.union(ByteSet(":@/"))
    private static let queryCharacters = nameCharacters.union(ByteSet(":@/?"))

    /// The index of the colon after a scheme.
    private var endOfScheme: Int? {
        guard let first = utf8.first, ByteSet.isLetter(first) else { return nil }
        let allowed = Self.schemeCharacters
        guard let end = utf8.firstIndex(where: { !allowed.contains($0) }), utf8[end] == UInt8(ascii: ":") else {
            return nil
        }
        return end
    }

    /// Tells whether authority, path, query and fragment fill the rest.
    private func isHierarchy(from start: Int) -> Bool {
        var index = start
        if index + 1 < utf8.count, utf8[index] == UInt8(ascii: "/"), utf8[index + 1] == UInt8(ascii: "/") {
            index += 2
            let end = endOfAuthority(from: index)
            guard isAuthority(index..<end) else { return false }
            index = end
        }
        index = skip(Self.pathCharacters, from: index)
        if index < utf8.count, utf8[index] == UInt8(ascii: "?") {
            index = skip(Self.queryCharacters, from: index + 1, allowsPrivate: true)
        }
        if index < utf8.count, utf8[index] == UInt8(ascii: "#") {
            index = skip(Self.queryCharacters, from: index + 1)
        }
        return index == utf8.count
    }

    private func endOfAuthority(from start: Int) -> Int {
        utf8[start...].firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        } ?? utf8.count
    }

    /// Tells whether the range is `[userinfo@]host[:port]`; the host may be empty.
    private func isAuthority(_ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        if let at = utf8[range].firstIndex(of: UInt8(ascii: "@")) {
            guard skip(Self.userCharacters, from: index) == at else { return false }
            index = at + 1
        }
        if index < range.upperBound, utf8[index] == UInt8(ascii: "[") {
            guard let bracket = utf8[index..<range.upperBound].firstIndex(of: UInt8(ascii: "]")),
                isAddress(UnsafeBufferPointer(rebasing: utf8[(index + 1)..<bracket]))
            else { return false }
            index = bracket + 1
        } else {
            index = skip(Self.nameCharacters, from: index)
        }
        guard index < range.upperBound else { return index == range.upperBound }
        return utf8[index] == UInt8(ascii: ":") && utf8[(index + 1)..<range.upperBound].allSatisfy(ByteSet.isDigit)
    }

    /// Tells whether the bytes may stand in brackets: an IPv6 address, or `v`, its version, a dot and an address.
    private func isAddress(_ literal: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = literal.first, first | 0x20 == UInt8(ascii: "v") else {
            return IPAddressFormat.isIPv6(literal)
        }
        guard let dot = literal.firstIndex(of: UInt8(ascii: ".")), dot > 1, dot + 1 < literal.count else {
            return false
        }
        let allowed = Self.userCharacters
        return literal[1..<dot].allSatisfy(ByteSet.isHexDigit) && literal[(dot + 1)...].allSatisfy(allowed.contains)
    }

    /// Skips bytes of the set, percent triplets, and in an IRI its characters; gives the index of the first other.
    private func skip(_ allowed: ByteSet, from start: Int, allowsPrivate: Bool = false) -> Int {
        var index = start
        while index < utf8.count {
            let byte = utf8[index]
            if allowed.contains(byte) {
                index += 1
            } else if byte == UInt8(ascii: "%"), ByteSet.isPercentTriplet(utf8, at: index) {
                index += 3
            } else if byte >= 0x80, isInternational {
                var next = index
                guard let scalar = UTF8Reading.next(utf8, at: &next),
                    IRICharacter.isAllowed(scalar, allowsPrivate: allowsPrivate)
                else { return index }
                index = next
            } else {
                return index
            }
        }
        return index
    }
}

/// The characters outside ASCII of RFC 3987, section 2.2, which URI templates allow as well.
enum IRICharacter {
    /// Tells whether the scalar is `ucschar`, or `iprivate` where that is allowed, and may stand in an IRI.
    static func isAllowed(_ scalar: UInt32, allowsPrivate: Bool) -> Bool {
        switch scalar {
        // Marks and controls of direction, which the grammar has and section 4.1 forbids.
        case 0x200E, 0x200F, 0x202A...0x202E: false
        default: isUCSCharacter(scalar) || allowsPrivate && isPrivate(scalar)
        }
    }

    /// Tells whether the scalar is `ucschar`.
    static func isUCSCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
        // From plane 1 to 14 all but the last two of each, and of plane 14 only what follows the tags.
        case 0x10000...0xDFFFF, 0xE1000...0xEFFFF: scalar & 0xFFFF < 0xFFFE
        default: false
        }
    }

    /// Tells whether the scalar is `iprivate`.
    static func isPrivate(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xE000...0xF8FF: true
        case 0xF0000...0x10FFFF: scalar & 0xFFFF < 0xFFFE
        default: false
        }
    }
}
