/// JSON Pointers (RFC 6901) and Relative JSON Pointers (draft-bhutton-relative-json-pointer-00).
enum JSONPointerFormat {
    /// Tells whether the bytes are a JSON Pointer in its string form, not a URI fragment.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        isPointer(utf8, from: 0)
    }

    /// Tells whether the bytes are a Relative JSON Pointer, such as `1/name`, `0#`, or with an index moved, `0-1#`.
    ///
    /// The draft's grammar forgets the index before `#`; its text and its examples have it, so it is taken.
    ///
    /// - Parameter movesIndex: Whether an index may be moved, as from draft 2020-12 on.
    static func isValidRelative(_ utf8: UnsafeBufferPointer<UInt8>, movesIndex: Bool = true) -> Bool {
        var index = 0
        guard skipInteger(utf8, at: &index) else { return false }
        if movesIndex, index < utf8.count, utf8[index] == UInt8(ascii: "+") || utf8[index] == UInt8(ascii: "-") {
            index += 1
            guard skipInteger(utf8, at: &index) else { return false }
        }
        if index < utf8.count, utf8[index] == UInt8(ascii: "#") { return index + 1 == utf8.count }
        return isPointer(utf8, from: index)
    }

    /// Skips `0`, or digits without a leading zero.
    private static func skipInteger(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> Bool {
        let start = index
        while index < utf8.count, ByteSet.isDigit(utf8[index]) { index += 1 }
        return index == start + 1 || index > start + 1 && utf8[start] != UInt8(ascii: "0")
    }

    private static func isPointer(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        guard start < utf8.count else { return true }
        guard utf8[start] == UInt8(ascii: "/") else { return false }
        var index = start
        while index < utf8.count {
            if utf8[index] == UInt8(ascii: "~") {
                index += 1
                guard index < utf8.count, utf8[index] == UInt8(ascii: "0") || utf8[index] == UInt8(ascii: "1") else {
                    return false
                }
            }
            index += 1
        }
        return true
    }
}
