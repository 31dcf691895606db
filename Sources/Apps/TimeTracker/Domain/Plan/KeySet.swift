/// A set of keys of rows: bits as far as they are small, which they are.
struct KeySet {
    private static let limit = 1 << 28
    private var words: [UInt64] = []
    private var others: Set<Int> = []

    func contains(_ key: Int) -> Bool {
        guard (0..<Self.limit).contains(key) else { return others.contains(key) }
        return key >> 6 < words.count && words[key >> 6] & 1 << UInt64(key & 63) != 0
    }

    /// Inserts a key, and tells whether it is new.
    @discardableResult
    mutating func insert(_ key: Int) -> Bool {
        guard (0..<Self.limit).contains(key) else { return others.insert(key).inserted }
        if key >> 6 >= words.count {
            words += Array(repeating: 0, count: max(words.count, (key >> 6) + 1 - words.count))
        }
        defer { words[key >> 6] |= 1 << UInt64(key & 63) }
        return words[key >> 6] & 1 << UInt64(key & 63) == 0
    }
}
