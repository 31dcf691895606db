/// The Bidi rule of RFC 5893, section 2.
enum IDNABidi {
    /// The bidirectional classes that the rule tells apart; it treats R and AL alike, and the separators like ON.
    private enum BidiClass {
        case left
        case right
        case arabicNumber
        case europeanNumber
        case nonspacingMark
        case neutral
    }

    /// The properties of one label that the rule needs.
    struct Summary: Sendable {
        /// True if the label has a character of class R, AL or AN, which makes its name a Bidi domain name.
        let hasRightToLeft: Bool
        /// True if the label meets the six conditions.
        let followsRule: Bool

        /// Reads a label whose code points are allowed in labels, or are ASCII letters, digits and hyphens.
        init(_ scalars: UnsafeBufferPointer<UInt32>) {
            var hasLeft = false
            var hasRight = false
            var hasArabicNumber = false
            var hasEuropeanNumber = false
            var last = BidiClass.neutral
            for value in scalars {
                let current = IDNABidi.bidiClass(value)
                switch current {
                case .left: hasLeft = true
                case .right: hasRight = true
                case .arabicNumber: hasArabicNumber = true
                case .europeanNumber: hasEuropeanNumber = true
                case .nonspacingMark, .neutral: break
                }
                if current != .nonspacingMark { last = current }
            }
            hasRightToLeft = hasRight || hasArabicNumber
            switch scalars.first.map(IDNABidi.bidiClass) {
            case .left:
                followsRule = !hasRight && !hasArabicNumber && (last == .left || last == .europeanNumber)
            case .right:
                followsRule =
                    !hasLeft && !(hasArabicNumber && hasEuropeanNumber)
                    && (last == .right || last == .arabicNumber || last == .europeanNumber)
            default:
                followsRule = false
            }
        }
    }

    private static func bidiClass(_ value: UInt32) -> BidiClass {
        if value < 0x80 {
            switch value {
            case 0x2D: return .neutral
            case 0x30...0x39: return .europeanNumber
            default: return .left
            }
        }
        switch value {
        case 0x660...0x669, 0x10D30...0x10D39: return .arabicNumber
        case 0x6F0...0x6F9: return .europeanNumber
        case 0xB7, 0x2B9, 0x2BA, 0x2C6...0x2CF, 0x2EC, 0x375, 0x200C, 0x200D, 0x2E2F, 0x30FB, 0xA67F,
            0xA717...0xA71F, 0xA788:
            return .neutral
        case 0xCBF, 0xCC6, 0x11A07, 0x11A08, 0x11C3F: return .left
        default: break
        }
        if Unicode.Scalar(value)?.properties.generalCategory == .nonspacingMark { return .nonspacingMark }
        return isInRightToLeftBlock(value) ? .right : .left
    }

    /// Tells whether letters of the block are of class R or AL: the default of DerivedBidiClass, less what is no
    /// letter.
    private static func isInRightToLeftBlock(_ value: UInt32) -> Bool {
        switch value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
