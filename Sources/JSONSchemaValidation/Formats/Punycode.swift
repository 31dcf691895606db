/// Punycode (RFC 3492) for one label, without its `xn--` prefix.
enum Punycode {
    private static let base = 36
    private static let firstThreshold = 1
    private static let lastThreshold = 26
    private static let initialBias = 72
    private static let initialScalar: UInt32 = 0x80

    /// Decodes a label into scalars, ASCII letters in lower case, as A-labels are compared.
    ///
    /// - Returns: how many scalars were written, or nil when the label is not Punycode or the buffer is too small.
    static func decode(
        _ encoded: UnsafeBufferPointer<UInt8>,
        into scalars: UnsafeMutableBufferPointer<UInt32>
    ) -> Int? {
        let delimiter = encoded.lastIndex(of: UInt8(ascii: "-"))
        guard var count = copyBasic(encoded[..<(delimiter ?? 0)], into: scalars) else { return nil }
        var index = delimiter.map { $0 + 1 } ?? 0
        var scalar = Int(initialScalar)
        var position = 0
        var bias = initialBias
        while index < encoded.count {
            guard let delta = readDelta(encoded, at: &index, bias: bias), count < scalars.count else { return nil }
            let length = count + 1
            bias = adapt(delta, length: length, isFirst: count == delimiter ?? 0)
            position += delta
            scalar += position / length
            position %= length
            guard scalar <= 0x10FFFF, let value = Unicode.Scalar(UInt32(scalar))?.value else { return nil }
            var last = count
            while last > position {
                scalars[last] = scalars[last - 1]
                last -= 1
            }
            scalars[position] = value
            position += 1
            count = length
        }
        return count
    }

    /// Returns the number of octets that the label encodes to, or nil when it is too long for a label.
    static func encodedLength(_ scalars: UnsafeBufferPointer<UInt32>) -> Int? {
        var length = 0
        let isShort = encode(scalars) { _ in
            length += 1
            return length <= HostnameFormat.longestLabel
        }
        return isShort ? length : nil
    }

    /// Tells whether the label encodes to exactly these octets, their case aside.
    static func encodes(_ scalars: UnsafeBufferPointer<UInt32>, to encoded: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        let isEqual = encode(scalars) { octet in
            guard index < encoded.count else { return false }
            let expected = encoded[index]
            index += 1
            return octet == (ByteSet.isLetter(expected) ? expected | 0x20 : expected)
        }
        return isEqual && index == encoded.count
    }

    /// Encodes a label octet by octet until `emit` gives false; then gives false too.
    private static func encode(_ scalars: UnsafeBufferPointer<UInt32>, emit: (UInt8) -> Bool) -> Bool {
        var handled = 0
        for value in scalars where value < initialScalar {
            guard emit(UInt8(value)) else { return false }
            handled += 1
        }
        let basicCount = handled
        if basicCount > 0, !emit(UInt8(ascii: "-")) { return false }
        var scalar = initialScalar
        var delta = 0
        var bias = initialBias
        while handled < scalars.count {
            // Below 0x110000 * 64 in every step, so nothing here can overflow.
            guard let next = scalars.lazy.filter({ $0 >= scalar }).min() else { return false }
            delta += Int(next - scalar) * (handled + 1)
            for value in scalars {
                if value < next { delta += 1 }
                guard value == next else { continue }
                guard writeDelta(delta, bias: bias, emit: emit) else { return false }
                bias = adapt(delta, length: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            scalar = next + 1
        }
        return true
    }

    private static func copyBasic(
        _ basic: Slice<UnsafeBufferPointer<UInt8>>,
        into scalars: UnsafeMutableBufferPointer<UInt32>
    ) -> Int? {
        guard basic.count <= scalars.count else { return nil }
        for (index, byte) in basic.enumerated() {
            guard byte < 0x80 else { return nil }
            scalars[index] = UInt32(ByteSet.isLetter(byte) ? byte | 0x20 : byte)
        }
        return basic.count
    }

    /// Reads one variable-length integer, digits least significant first.
    private static func readDelta(_ encoded: UnsafeBufferPointer<UInt8>, at index: inout Int, bias: Int) -> Int? {
        var delta = 0
        var weight = 1
        var place = base
        while index < encoded.count {
            guard let digit = digitValue(encoded[index]) else { return nil }
            index += 1
            let (product, productOverflows) = digit.multipliedReportingOverflow(by: weight)
            let (sum, sumOverflows) = delta.addingReportingOverflow(product)
            // No delta of a label comes near 2^32; past it the additions of the caller could overflow.
            guard !productOverflows, !sumOverflows, sum <= Int(UInt32.max) else { return nil }
            delta = sum
            let limit = threshold(place, bias: bias)
            if digit < limit { return delta }
            weight *= base - limit
            guard weight <= Int(UInt32.max) else { return nil }
            place += base
        }
        return nil
    }

    private static func writeDelta(_ delta: Int, bias: Int, emit: (UInt8) -> Bool) -> Bool {
        var rest = delta
        var place = base
        while true {
            let limit = threshold(place, bias: bias)
            if rest < limit { return emit(digit(rest)) }
            guard emit(digit(limit + (rest - limit) % (base - limit))) else { return false }
            rest = (rest - limit) / (base - limit)
            place += base
        }
    }

    private static func threshold(_ place: Int, bias: Int) -> Int {
        min(max(place - bias, firstThreshold), lastThreshold)
    }

    private static func adapt(_ delta: Int, length: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / length
        var bias = 0
        while delta > (base - firstThreshold) * lastThreshold / 2 {
            delta /= base - firstThreshold
            bias += base
        }
        return bias + (base - firstThreshold + 1) * delta / (delta + 38)
    }

    private static func digitValue(_ byte: UInt8) -> Int? {
        if ByteSet.isLetter(byte) { return Int((byte | 0x20) - UInt8(ascii: "a")) }
        return ByteSet.isDigit(byte) ? Int(byte - UInt8(ascii: "0")) + 26 : nil
    }

    /// Returns the octet of a digit of 0 to 35.
    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }
}
