/// Mailboxes of SMTP: RFC 5321, section 4.1.2, and with characters outside ASCII RFC 6531, section 3.3.
enum EmailFormat {
    /// Octets of the longest local part (RFC 5321, section 4.5.3.1.1).
    private static let longestLocalPart = 64
    /// Octets of the longest mailbox: a path of 256 less its angle brackets (section 4.5.3.1.3).
    private static let longestMailbox = 254

    /// Tells whether the bytes are a mailbox, `local-part@domain` or `local-part@[address]`, without display name or
    /// comment.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>, isInternational: Bool) -> Bool {
        guard utf8.count <= longestMailbox, let first = utf8.first else { return false }
        let localEnd =
            first == UInt8(ascii: "\"")
            ? endOfQuotedString(utf8, isInternational: isInternational)
            : endOfDotString(utf8, isInternational: isInternational)
        guard let end = localEnd, end <= longestLocalPart, end < utf8.count, utf8[end] == UInt8(ascii: "@") else {
            return false
        }
        let domain = UnsafeBufferPointer(rebasing: utf8[(end + 1)...])
        if domain.first == UInt8(ascii: "[") { return isAddressLiteral(domain) }
        return isInternational
            ? IDNADomain.isValid(domain, rules: .mail) : HostnameFormat.isLetterDigitHyphenName(domain)
    }

    private static let atomCharacters = ByteSet.alphanumerics.union(ByteSet("!#$%&'*+-/=?^_`{|}~"))

    /// Returns the end of atoms with single dots between them, or nil.
    private static func endOfDotString(_ utf8: UnsafeBufferPointer<UInt8>, isInternational: Bool) -> Int? {
        let atom = atomCharacters
        var index = 0
        var isAtomOpen = false
        while index < utf8.count {
            let byte = utf8[index]
            if byte == UInt8(ascii: ".") {
                guard isAtomOpen else { return nil }
                isAtomOpen = false
            } else if atom.contains(byte) || isInternational && byte >= 0x80 {
                isAtomOpen = true
            } else {
                break
            }
            index += 1
        }
        return isAtomOpen ? index : nil
    }

    /// Returns the end of a quoted string that begins the bytes, past its closing quote, or nil.
    private static func endOfQuotedString(_ utf8: UnsafeBufferPointer<UInt8>, isInternational: Bool) -> Int? {
        var index = 1
        while index < utf8.count {
            switch utf8[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"):
                index += 1
                guard index < utf8.count, (0x20...0x7E).contains(utf8[index]) else { return nil }
            case 0x20...0x7E: break
            case 0x80...: guard isInternational else { return nil }
            default: return nil
            }
            index += 1
        }
        return nil
    }

    /// Tells whether the bytes, which begin with a bracket, are an address literal (section 4.1.3).
    private static func isAddressLiteral(_ domain: UnsafeBufferPointer<UInt8>) -> Bool {
        guard domain.count > 2, domain.last == UInt8(ascii: "]") else { return false }
        let content = UnsafeBufferPointer(rebasing: domain[1..<(domain.count - 1)])
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else {
            return IPAddressFormat.isIPv4(content, dialect: .mail)
        }
        let tag = UnsafeBufferPointer(rebasing: content[..<colon])
        let value = UnsafeBufferPointer(rebasing: content[(colon + 1)...])
        if isIPv6Tag(tag) { return IPAddressFormat.isIPv6(value, dialect: .mail) }
        return isStandardizedTag(tag) && !value.isEmpty
            && value.allSatisfy { (0x21...0x5A).contains($0) || (0x5E...0x7E).contains($0) }
    }

    private static func isIPv6Tag(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        tag.count == 4 && tag[0] | 0x20 == UInt8(ascii: "i") && tag[1] | 0x20 == UInt8(ascii: "p")
            && tag[2] | 0x20 == UInt8(ascii: "v") && tag[3] == UInt8(ascii: "6")
    }

    /// Tells whether the bytes are letters, digits and hyphens, the last of them no hyphen.
    private static func isStandardizedTag(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = tag.last, last != UInt8(ascii: "-") else { return false }
        return tag.allSatisfy { ByteSet.isLetter($0) || ByteSet.isDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
