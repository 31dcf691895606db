/// IPv4 and IPv6 addresses: dotted decimal (RFC 2673, section 3.2) and RFC 4291, section 2.2; and SMTP's form of both.
enum IPAddressFormat {
    /// The dialects of an address's syntax.
    enum Dialect {
        /// RFC 3986 and RFC 4291: no leading zero in a decimal octet, `::` for one group or more.
        case internet
        /// RFC 5321, section 4.1.3: one to three digits in an octet, zeros included, and `::` for two groups or more.
        case mail
    }

    /// Tells whether the bytes are four decimal octets.
    static func isIPv4(_ utf8: UnsafeBufferPointer<UInt8>, dialect: Dialect = .internet) -> Bool {
        guard utf8.count >= 7, utf8.count <= 15 else { return false }
        var index = 0
        for octet in 0..<4 {
            if octet > 0 {
                guard index < utf8.count, utf8[index] == UInt8(ascii: ".") else { return false }
                index += 1
            }
            let start = index
            var value = 0
            while index < utf8.count, index < start + 3, ByteSet.isDigit(utf8[index]) {
                value = value * 10 + Int(utf8[index] - UInt8(ascii: "0"))
                index += 1
            }
            guard index > start, value <= 255 else { return false }
            if dialect == .internet, index > start + 1, utf8[start] == UInt8(ascii: "0") { return false }
        }
        return index == utf8.count
    }

    /// Tells whether the bytes are eight groups of sixteen bits, without a zone or a prefix length.
    static func isIPv6(_ utf8: UnsafeBufferPointer<UInt8>, dialect: Dialect = .internet) -> Bool {
        guard utf8.count >= 2, utf8.count <= 45 else { return false }
        var groups = 0
        var index = 0
        var isElided = false
        if utf8[0] == UInt8(ascii: ":") {
            guard utf8[1] == UInt8(ascii: ":") else { return false }
            isElided = true
            index = 2
        }
        while index < utf8.count {
            let start = index
            while index < utf8.count, index < start + 4, ByteSet.isHexDigit(utf8[index]) { index += 1 }
            guard index > start else { return false }
            if index < utf8.count, utf8[index] == UInt8(ascii: ".") {
                guard isIPv4(UnsafeBufferPointer(rebasing: utf8[start...]), dialect: dialect) else { return false }
                groups += 2
                break
            }
            groups += 1
            if index == utf8.count { break }
            guard utf8[index] == UInt8(ascii: ":"), index + 1 < utf8.count else { return false }
            index += 1
            if utf8[index] == UInt8(ascii: ":") {
                guard !isElided else { return false }
                isElided = true
                index += 1
            }
        }
        guard isElided else { return groups == 8 }
        return groups <= (dialect == .mail ? 6 : 7)
    }
}
