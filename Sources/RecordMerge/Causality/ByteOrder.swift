internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Compares two strings by the bytes of their UTF-8, which is the order of their code points: below 0, 0 or above 0.
func compare(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in right.withUTF8 { right in compare(left, right) } }
}

/// Compares bytes: below 0, 0 or above 0.
func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let count = min(left.count, right.count)
    if count > 0, let one = left.baseAddress, let two = right.baseAddress {
        let order = memcmp(one, two, count)
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}

/// Returns whether a string consists of these bytes.
func isSame(_ string: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var string = string
    return string.withUTF8 { $0.count == bytes.count && compare($0, bytes) == 0 }
}

/// Returns whether a string comes before another by the bytes of its UTF-8.
package func precedes(_ left: String, _ right: String) -> Bool { compare(left, right) < 0 }

/// Returns whether two strings consist of the same bytes.
func isSame(_ left: String, _ right: String) -> Bool { left.hasSameScalars(as: right) }

/// Returns whether a string consists of the bytes of two others, one after the other.
package func isSame(_ string: String, _ start: String, followedBy end: String) -> Bool {
    guard string.utf8.count == start.utf8.count + end.utf8.count else { return false }
    var (string, start, end) = (string, start, end)
    return string.withUTF8 { bytes in
        start.withUTF8 { start in
            let rest = UnsafeBufferPointer(rebasing: bytes[start.count...])
            return compare(UnsafeBufferPointer(rebasing: bytes[..<start.count]), start) == 0
                && end.withUTF8 { compare(rest, $0) == 0 }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns where a byte stands for the first time from an index on; nil where it does not.
    package func place(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    /// Returns whether some bytes stand at an index.
    package func has(_ bytes: [UInt8], at index: Int) -> Bool {
        guard index + bytes.count <= count, let base = baseAddress else { return bytes.isEmpty }
        return memcmp(base + index, bytes, bytes.count) == 0
    }

    /// Returns where some bytes stand for the first time; nil where they do not.
    package func place(of needle: [UInt8]) -> Int? {
        guard let base = baseAddress, let first = needle.first else { return nil }
        var start = 0
        while start + needle.count <= count {
            guard let found = memchr(base + start, Int32(first), count - start - needle.count + 1) else { return nil }
            start = UnsafeRawPointer(found) - base
            if memcmp(base + start, needle, needle.count) == 0 { return start }
            start += 1
        }
        return nil
    }
}
