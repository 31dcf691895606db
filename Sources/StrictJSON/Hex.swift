/// Hexadecimal digits, in small letters where nothing else is asked for.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)
    private static let uppercaseDigits = Array("0123456789ABCDEF".utf8)

    /// Returns the digits of bytes.
    package static func text(_ bytes: some Sequence<UInt8>, uppercase: Bool = false) -> String {
        let digits = uppercase ? uppercaseDigits : digits
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads digits; nil for anything else.
    package static func bytes(_ text: some StringProtocol, uppercase: Bool = false) -> [UInt8]? {
        let digits = uppercase ? uppercaseDigits : digits
        let letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: letters.count, by: 2) {
            guard let high = digits.firstIndex(of: letters[index]), let low = digits.firstIndex(of: letters[index + 1])
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
