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
    return left.withUTF8 { left in
        right.withUTF8 { right in
            let count = min(left.count, right.count)
            if count > 0, let one = left.baseAddress, let two = right.baseAddress {
                let order = memcmp(one, two, count)
                if order != 0 { return Int(order) }
            }
            return left.count - right.count
        }
    }
}

/// Returns whether a string comes before another by the bytes of its UTF-8.
package func precedes(_ left: String, _ right: String) -> Bool { compare(left, right) < 0 }

/// Returns whether two strings consist of the same bytes.
func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && compare(left, right) == 0
}
