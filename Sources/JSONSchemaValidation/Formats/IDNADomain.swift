/// Domain names under IDNA2008 (RFC 5890 to 5893), label by label.
enum IDNADomain {
    /// The rules for domain names in one kind of place.
    struct Rules: Sendable {
        /// True if labels may have characters outside ASCII.
        let allowsULabels: Bool
        /// True if U+3002, U+FF0E and U+FF61 separate labels like the full stop.
        let allowsOtherDots: Bool
        /// True if a label that begins with `xn--` has to be a real A-label.
        let checksALabels: Bool
        /// True if other labels with hyphens in places 3 and 4 are refused, as reserved by RFC 5890.
        let refusesReservedLabels: Bool
        /// True if U-labels have to be in Unicode's normalization form C.
        let requiresNFC: Bool

        /// Names of RFC 1123, whose `xn--` labels are A-labels; hosts with `--` in other labels exist and resolve.
        static let asciiHostname = Rules(
            allowsULabels: false,
            allowsOtherDots: false,
            checksALabels: true,
            refusesReservedLabels: false,
            requiresNFC: true
        )
        /// Names of RFC 5890.
        static let internationalHostname = Rules(
            allowsULabels: true,
            allowsOtherDots: true,
            checksALabels: true,
            refusesReservedLabels: true,
            requiresNFC: true
        )
        /// Domains of RFC 6531: the grammar of RFC 5321 for ASCII, and U-labels, which mail normalizes on its way.
        static let mail = Rules(
            allowsULabels: true,
            allowsOtherDots: false,
            checksALabels: false,
            refusesReservedLabels: false,
            requiresNFC: false
        )
    }

    /// The part of one label in the name's check.
    private struct Label {
        /// Octets of its ASCII form.
        let asciiLength: Int
        let bidi: IDNABidi.Summary
    }

    /// Tells whether the bytes are a domain name of one label or more, without a trailing dot.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>, rules: Rules) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: HostnameFormat.longestLabel) { buffer in
            isValid(utf8, rules: rules, buffer: buffer)
        }
    }

    private static func isValid(
        _ utf8: UnsafeBufferPointer<UInt8>,
        rules: Rules,
        buffer: UnsafeMutableBufferPointer<UInt32>
    ) -> Bool {
        var asciiLength = -1
        var hasRightToLeft = false
        var followsBidiRule = true
        var start = 0
        while true {
            guard let end = endOfLabel(utf8, from: start, rules: rules),
                let label = check(UnsafeBufferPointer(rebasing: utf8[start..<end.index]), rules: rules, buffer: buffer)
            else { return false }
            asciiLength += label.asciiLength + 1
            guard asciiLength <= HostnameFormat.longestName else { return false }
            hasRightToLeft = hasRightToLeft || label.bidi.hasRightToLeft
            followsBidiRule = followsBidiRule && label.bidi.followsRule
            if end.next > utf8.count { break }
            start = end.next
        }
        // One right-to-left label makes it a Bidi domain name, and then the rule binds every label (RFC 5893, 2).
        return followsBidiRule || !hasRightToLeft
    }

    /// Finds the separator after a label; `next` is past the end after the last label.
    private static func endOfLabel(
        _ utf8: UnsafeBufferPointer<UInt8>,
        from start: Int,
        rules: Rules
    ) -> (index: Int, next: Int)? {
        var index = start
        while index < utf8.count {
            let before = index
            guard let scalar = UTF8Reading.next(utf8, at: &index) else { return nil }
            switch scalar {
            case 0x2E: return (before, index)
            case 0x3002, 0xFF0E, 0xFF61: if rules.allowsOtherDots { return (before, index) }
            default: break
            }
        }
        return (index, index + 1)
    }

    private static func check(
        _ utf8: UnsafeBufferPointer<UInt8>,
        rules: Rules,
        buffer: UnsafeMutableBufferPointer<UInt32>
    ) -> Label? {
        var count = 0
        var index = 0
        var isASCII = true
        while index < utf8.count {
            // A label of more characters than an ASCII label has octets is too long in every form.
            guard count < buffer.count, let scalar = UTF8Reading.next(utf8, at: &index) else { return nil }
            buffer[count] = scalar
            count += 1
            isASCII = isASCII && scalar < 0x80
        }
        let scalars = UnsafeBufferPointer(rebasing: buffer[..<count])
        return isASCII
            ? checkASCII(utf8, scalars: scalars, rules: rules, buffer: buffer)
            : checkULabel(scalars, rules: rules)
    }

    private static func checkASCII(
        _ utf8: UnsafeBufferPointer<UInt8>,
        scalars: UnsafeBufferPointer<UInt32>,
        rules: Rules,
        buffer: UnsafeMutableBufferPointer<UInt32>
    ) -> Label? {
        guard HostnameFormat.isLetterDigitHyphenLabel(utf8) else { return nil }
        if rules.checksALabels, HostnameFormat.hasALabelPrefix(utf8) {
            let encoded = UnsafeBufferPointer(rebasing: utf8[4...])
            guard let count = Punycode.decode(encoded, into: buffer) else { return nil }
            let decoded = UnsafeBufferPointer(rebasing: buffer[..<count])
            // An A-label is what its own U-label encodes to (RFC 5891, section 5.4); pure ASCII has no U-label.
            guard decoded.contains(where: { $0 >= 0x80 }), IDNALabel.isValid(decoded, requiresNFC: true),
                Punycode.encodes(decoded, to: encoded)
            else { return nil }
            return Label(asciiLength: utf8.count, bidi: IDNABidi.Summary(decoded))
        }
        if rules.refusesReservedLabels, IDNALabel.hasReservedHyphens(scalars) { return nil }
        return Label(asciiLength: utf8.count, bidi: IDNABidi.Summary(scalars))
    }

    private static func checkULabel(_ scalars: UnsafeBufferPointer<UInt32>, rules: Rules) -> Label? {
        guard rules.allowsULabels, IDNALabel.isValid(scalars, requiresNFC: rules.requiresNFC),
            let encodedLength = Punycode.encodedLength(scalars), encodedLength + 4 <= HostnameFormat.longestLabel
        else { return nil }
        return Label(asciiLength: encodedLength + 4, bidi: IDNABidi.Summary(scalars))
    }
}
