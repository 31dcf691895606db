/// Regular expressions of ECMA-262: the one format whose grammar lives elsewhere, with the engine behind `pattern`.
enum RegexFormat {
    /// Tells whether the bytes are a regular expression as `pattern` takes it.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        do {
            try ECMARegex.validate(String(decoding: utf8, as: UTF8.self), lenient: true)
            return true
        } catch {
            return false
        }
    }
}
