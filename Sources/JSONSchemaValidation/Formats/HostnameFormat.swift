/// Host names of RFC 1123, section 2.1, and internationalized ones of RFC 5890.
enum HostnameFormat {
    /// Octets of the longest label (RFC 1035, section 2.3.4).
    static let longestLabel = 63
    /// Octets of the longest name as text: 255 on the wire, less the first length and the root.
    static let longestName = 253

    /// Tells whether the bytes are an ASCII host name, with every `xn--` label a real A-label.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isLetterDigitHyphenName(utf8), !isDottedDecimal(utf8) else { return false }
        return !hasALabel(utf8) || IDNADomain.isValid(utf8, rules: .asciiHostname)
    }

    /// Tells whether the bytes are a host name whose labels are letters, digits and hyphens, A-labels or U-labels.
    static func isValidInternational(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        IDNADomain.isValid(utf8, rules: .internationalHostname) && !isDottedDecimal(utf8)
    }

    /// Tells whether the bytes are dot-separated labels of letters, digits and inner hyphens, within the lengths of
    /// DNS.
    static func isLetterDigitHyphenName(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count <= longestName else { return false }
        var start = 0
        for index in 0...utf8.count where index == utf8.count || utf8[index] == UInt8(ascii: ".") {
            guard isLetterDigitHyphenLabel(UnsafeBufferPointer(rebasing: utf8[start..<index])) else { return false }
            start = index + 1
        }
        return true
    }

    /// Tells whether the bytes are one label of letters, digits and inner hyphens.
    static func isLetterDigitHyphenLabel(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = label.first, let last = label.last, label.count <= longestLabel,
            first != UInt8(ascii: "-"), last != UInt8(ascii: "-")
        else { return false }
        return label.allSatisfy { ByteSet.isLetter($0) || ByteSet.isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Tells whether the label begins with the prefix of A-labels, in either case.
    static func hasALabelPrefix(_ label: UnsafeBufferPointer<UInt8>) -> Bool {
        label.count >= 4 && label[0] | 0x20 == UInt8(ascii: "x") && label[1] | 0x20 == UInt8(ascii: "n")
            && label[2] == UInt8(ascii: "-") && label[3] == UInt8(ascii: "-")
    }

    private static func hasALabel(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in utf8.indices where index == 0 || utf8[index - 1] == UInt8(ascii: ".") {
            if hasALabelPrefix(UnsafeBufferPointer(rebasing: utf8[index...])) { return true }
        }
        return false
    }

    /// Tells whether the name has the form `#.#.#.#`, which RFC 1123 says no host name has, whatever the numbers.
    private static func isDottedDecimal(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var dots = 0
        for byte in utf8 {
            if byte == UInt8(ascii: ".") {
                dots += 1
            } else if !ByteSet.isDigit(byte) {
                return false
            }
        }
        return dots == 3
    }
}
