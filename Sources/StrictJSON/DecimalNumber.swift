/// A decimal number of any size, exact: sign, digits and a power of ten.
///
/// It exists to compare and divide numbers as they stand in the text, where a double would round.
package struct DecimalNumber: Sendable, Hashable {
    /// True if the number is below zero.
    package let isNegative: Bool
    /// The digits, 0...9, without leading and trailing zeros; none for zero.
    package let digits: [UInt8]
    /// The power of ten of the last digit; 0 for zero.
    package let exponent: Int

    /// Makes the number that a JSON number token stands for; nil if its exponent has more than 18 digits.
    package init?(token: String) {
        var token = token
        guard let number = token.withUTF8({ DecimalNumber(token: $0) }) else { return nil }
        self = number
    }

    /// Makes the number that a JSON number token stands for; nil if its exponent has more than 18 digits.
    package init?(token: UnsafeBufferPointer<UInt8>) {
        var digits: [UInt8] = []
        var exponent = 0
        var index = token.first == UInt8(ascii: "-") ? 1 : 0
        let isNegative = index == 1
        var isFraction = false
        while index < token.count {
            let byte = token[index]
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                guard !digits.isEmpty else { break }
                guard let written = Self.exponent(token.dropFirst(index + 1)) else { return nil }
                exponent += written
                break
            } else {
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte &- UInt8(ascii: "0")) }
                if isFraction { exponent -= 1 }
            }
            index += 1
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        var value = 0
        for byte in text where byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") {
            guard value < 100_000_000_000_000_000 else { return nil }
            value = value * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return isNegative ? -value : value
    }

    /// True if the number has no fraction.
    package var isInteger: Bool { exponent >= 0 }

    /// The number as a 64-bit integer, or nil where it is none or does not fit.
    package var int: Int? {
        guard isInteger, digits.count + exponent <= 19 else { return nil }
        var value = 0
        for index in 0..<digits.count + exponent {
            let digit = index < digits.count ? Int(digits[index]) : 0
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// The power of ten above the first digit.
    private var magnitude: Int { digits.count + exponent }
}

extension DecimalNumber: Comparable {
    /// Tells whether one number is below another.
    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isCloserToZero(than: left) : left.isCloserToZero(than: right)
    }

    private func isCloserToZero(than other: DecimalNumber) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        if magnitude != other.magnitude { return magnitude < other.magnitude }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

extension DecimalNumber {
    /// Tells whether division by another number leaves no remainder; only zero is a multiple of zero.
    ///
    /// Long division over the digits, exact whatever the size of the numbers.
    package func isMultiple(of divisor: DecimalNumber) -> Bool {
        if digits.isEmpty { return true }
        let shift = exponent - divisor.exponent
        // A last digit other than 0 means that no power of ten divides these digits.
        guard !divisor.digits.isEmpty, shift >= 0 else { return false }
        // Zeros can only make up for the twos and fives in the divisor, of which there are fewer than four a digit.
        let zeros = min(shift, 4 * divisor.digits.count)
        if divisor.digits.count <= 18 {
            let small = divisor.digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) }
            var rest: UInt64 = 0
            for digit in digits { rest = (rest * 10 + UInt64(digit)) % small }
            for _ in 0..<zeros { rest = rest * 10 % small }
            return rest == 0
        }
        var rest: [UInt8] = []
        for index in 0..<digits.count + zeros {
            rest.append(index < digits.count ? digits[index] : 0)
            Self.reduce(&rest, by: divisor.digits)
        }
        return rest.isEmpty
    }

    /// Subtracts the divisor as often as it fits; at most nine times, for the rest was smaller than it a digit ago.
    private static func reduce(_ rest: inout [UInt8], by divisor: [UInt8]) {
        while rest.first == 0 { rest.removeFirst() }
        while rest.count > divisor.count || rest.count == divisor.count && !rest.lexicographicallyPrecedes(divisor) {
            var borrow: UInt8 = 0
            for offset in 1...rest.count {
                let subtrahend = (offset <= divisor.count ? divisor[divisor.count - offset] : 0) + borrow
                let digit = rest[rest.count - offset]
                borrow = digit < subtrahend ? 1 : 0
                rest[rest.count - offset] = digit &+ borrow &* 10 &- subtrahend
            }
            while rest.first == 0 { rest.removeFirst() }
        }
    }
}
