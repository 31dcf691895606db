/// Identifiers of devices and spaces: characters of `0-9 a-z`, made at random.
package enum Identifier {
    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// Returns a new identifier.
    package static func make(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<count).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a new identifier of a device.
    package static func device() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(16, using: &generator)
    }

    package static func isValid(_ text: String, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { alphabet.contains($0) }
    }
}
