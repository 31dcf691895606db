/// Bech32 as BIP 173 has it, without the limit on the length: the texts of recipients and identities.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumLength = 6

    /// Encodes bytes after a prefix, which is in lower case.
    static func encode(_ prefix: String, _ bytes: some Collection<UInt8>) -> String {
        let values = regroup(bytes, from: 8, to: 5, isPadded: true) ?? []
        let sum = checksum(expanded(prefix) + values + [UInt8](repeating: 0, count: checksumLength)) ^ 1
        let check = (0..<checksumLength).map { UInt8(sum >> (5 * (checksumLength - 1 - $0)) & 31) }
        return prefix + "1" + String(decoding: (values + check).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Decodes a text, which is in lower case or in upper case; nil where it is none or its checksum differs.
    static func decode(_ text: String) -> (prefix: String, bytes: [UInt8])? {
        let lower = text.lowercased()
        guard text == lower || text == text.uppercased(), let end = lower.lastIndex(of: "1"), end != lower.startIndex
        else { return nil }
        let prefix = String(lower[..<end])
        guard prefix.utf8.allSatisfy({ (33...126).contains($0) }) else { return nil }
        var values: [UInt8] = []
        for letter in lower[end...].utf8.dropFirst() {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            values.append(UInt8(value))
        }
        guard values.count >= checksumLength, checksum(expanded(prefix) + values) == 1 else { return nil }
        guard let bytes = regroup(values.dropLast(checksumLength), from: 5, to: 8, isPadded: false) else { return nil }
        return (prefix, bytes)
    }

    private static func expanded(_ prefix: String) -> [UInt8] {
        prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
    }

    private static func checksum(_ values: [UInt8]) -> UInt32 {
        let generator: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        var sum: UInt32 = 1
        for value in values {
            let top = sum >> 25
            sum = (sum & 0x1FF_FFFF) << 5 ^ UInt32(value)
            for bit in 0..<5 where top >> bit & 1 == 1 { sum ^= generator[bit] }
        }
        return sum
    }

    /// Cuts bits into groups of another size; nil where bits are left that are not zero or are a whole group.
    private static func regroup(
        _ groups: some Collection<UInt8>,
        from old: Int,
        to new: Int,
        isPadded: Bool
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var (bits, held) = (0, 0)
        for group in groups {
            bits = bits << old | Int(group)
            held += old
            while held >= new {
                held -= new
                result.append(UInt8(truncatingIfNeeded: bits >> held))
                bits &= (1 << held) - 1
            }
        }
        if isPadded {
            if held > 0 { result.append(UInt8(truncatingIfNeeded: bits << (new - held))) }
        } else if held >= old || bits != 0 {
            return nil
        }
        return result
    }
}
