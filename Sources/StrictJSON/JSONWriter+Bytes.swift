extension JSONWriter {
    /// Writes a member's name that needs no escape.
    package mutating func name(plain name: StaticString) {
        separate()
        byte(UInt8(ascii: "\""))
        copy(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        byte(UInt8(ascii: "\""))
        endName()
    }

    /// Writes a string of UTF-8, with the escapes that JSON demands.
    package mutating func string(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        separate()
        quoteEscaping(bytes)
    }

    /// Writes values that are JSON already, with the commas between them.
    package mutating func fragment(_ text: [UInt8]) {
        separate()
        text.withUnsafeBufferPointer { copy($0) }
    }
}
