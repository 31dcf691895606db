/// The check sum of gzip and zip (ISO 3309), eight bytes at a time.
struct CRC32 {
    /// Eight tables of 256 words: what a byte does to the sum when so many bytes follow it.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = []
        for byte in UInt32(0)..<256 {
            var value = byte
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
            tables.append(value)
        }
        for index in 0..<7 * 256 {
            let value = tables[index]
            tables.append((value >> 8) ^ tables[Int(value & 0xFF)])
        }
        return tables
    }()

    private var state: UInt32 = .max

    /// The sum of what was given so far.
    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.tables.withUnsafeBufferPointer { tables in
            var index = 0
            while index + 8 <= bytes.count {
                let next = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                var word = next ^ UInt64(state)
                state = 0
                for table in stride(from: 7 * 256, through: 0, by: -256) {
                    state ^= tables[table + Int(word & 0xFF)]
                    word >>= 8
                }
                index += 8
            }
            while index < bytes.count {
                state = (state >> 8) ^ tables[Int((state ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
        }
        self.state = state
    }
}
