/// URI templates of every level (RFC 6570, section 2).
///
/// The apostrophe counts as a literal (erratum 6937), and the operators reserved for later as operators, as the
/// grammar has them.
enum URITemplateFormat {
    private static let literals = ByteSet.alphanumerics.union(ByteSet("!#$&'()*+,-./:;=?@[]_~"))
    private static let operators = ByteSet("+#./;?&=,!@|")

    /// Tells whether the bytes are literals and expressions in braces.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let literals = literals
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            if literals.contains(byte) {
                index += 1
            } else if byte == UInt8(ascii: "{") {
                guard skipExpression(utf8, at: &index) else { return false }
            } else if byte == UInt8(ascii: "%") {
                guard ByteSet.isPercentTriplet(utf8, at: index) else { return false }
                index += 3
            } else {
                guard byte >= 0x80, let scalar = UTF8Reading.next(utf8, at: &index),
                    IRICharacter.isUCSCharacter(scalar) || IRICharacter.isPrivate(scalar)
                else { return false }
            }
        }
        return true
    }

    /// Skips `{`, an operator or none, variables with commas between them, and `}`.
    private static func skipExpression(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Bool {
        index += 1
        if index < utf8.count, operators.contains(utf8[index]) { index += 1 }
        while skipName(utf8, at: &index), skipModifier(utf8, at: &index), index < utf8.count {
            let byte = utf8[index]
            index += 1
            if byte == UInt8(ascii: "}") { return true }
            guard byte == UInt8(ascii: ",") else { return false }
        }
        return false
    }

    /// Skips the characters of a variable's name, with single dots between them.
    private static func skipName(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Bool {
        var endsInCharacter = false
        while index < utf8.count {
            let byte = utf8[index]
            if ByteSet.isLetter(byte) || ByteSet.isDigit(byte) || byte == UInt8(ascii: "_") {
                endsInCharacter = true
                index += 1
            } else if ByteSet.isPercentTriplet(utf8, at: index) {
                endsInCharacter = true
                index += 3
            } else if byte == UInt8(ascii: "."), endsInCharacter {
                endsInCharacter = false
                index += 1
            } else {
                break
            }
        }
        return endsInCharacter
    }

    /// Skips `*`, or a colon and a length of 1 to 9999; true also where neither stands.
    private static func skipModifier(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Bool {
        guard index < utf8.count else { return true }
        if utf8[index] == UInt8(ascii: "*") {
            index += 1
            return true
        }
        guard utf8[index] == UInt8(ascii: ":") else { return true }
        index += 1
        let start = index
        while index < utf8.count, ByteSet.isDigit(utf8[index]) { index += 1 }
        return (1...4).contains(index - start) && utf8[start] != UInt8(ascii: "0")
    }
}
