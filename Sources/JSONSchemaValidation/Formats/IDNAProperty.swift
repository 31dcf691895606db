/// The derived property of a code point in IDNA2008, computed as RFC 5892, section 3, has it.
///
/// It follows the Unicode version of the Swift runtime.
enum IDNAProperty: Sendable {
    /// PVALID: allowed in labels.
    case valid
    /// CONTEXTJ: a join control, allowed where it changes how its neighbours look.
    case contextJ
    /// CONTEXTO: allowed where its own rule is met.
    case contextO
    /// DISALLOWED.
    case disallowed
    /// UNASSIGNED in this version of Unicode.
    case unassigned

    /// Computes the property of a scalar.
    ///
    /// The RFC's steps are taken in an order that asks the runtime least, as each question is a search of its tables:
    /// whatever is not a letter, mark or digit is refused in any case, and what is Unstable or ignorable by the RFC
    /// changes under NFKC_Casefold, which also removes ignorable code points.
    init(_ scalar: Unicode.Scalar) {
        if let exception = Self.exception(scalar.value) {
            self = exception
            return
        }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            let isRefused =
                Self.isInIgnorableBlock(scalar.value) || Self.isOldHangulJamo(scalar.value)
                || scalar.properties.changesWhenNFKCCaseFolded
            self = isRefused ? .disallowed : .valid
        case .dashPunctuation:
            self = scalar == "-" ? .valid : .disallowed
        case .format:
            self = scalar.properties.isJoinControl ? .contextJ : .disallowed
        case .unassigned:
            self = scalar.properties.isNoncharacterCodePoint ? .disallowed : .unassigned
        default:
            self = .disallowed
        }
    }

    /// Returns the exception of section 2.6 for a code point; nil where it is none.
    private static func exception(_ value: UInt32) -> IDNAProperty? {
        switch value {
        case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: .valid
        case 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660...0x669, 0x6F0...0x6F9: .contextO
        case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: .disallowed
        default: nil
        }
    }

    /// Tells whether a code point is a combining mark for symbols, or in a block of musical symbols (section 2.4).
    private static func isInIgnorableBlock(_ value: UInt32) -> Bool {
        switch value {
        case 0x20D0...0x20FF, 0x1D100...0x1D24F: true
        default: false
        }
    }

    /// Tells whether a code point is a conjoining jamo, of Hangul_Syllable_Type L, V or T (section 2.9).
    private static func isOldHangulJamo(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: true
        default: false
        }
    }
}
