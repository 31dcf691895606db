/// Finds keys that are bytes in somebody else's memory: a set that holds 4 bytes for each of them.
struct ByteKeyTable {
    typealias Key = UnsafeBufferPointer<UInt8>

    /// A number from 1 for each key, 0 where there is none; a power of two, and never more than half full.
    private var slots: [Int32]
    private var count = 0

    /// - Parameter capacity: How many keys are to come.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
    }

    /// The number of a key that is there already; else nil, and the key has the number from now on.
    ///
    /// - Parameters:
    ///   - number: A number below 2³¹ - 1 that the key gets.
    ///   - key: The key with a number.
    @inline(__always)
    mutating func insert(_ bytes: Key, number: Int, key: (Int) -> Key) -> Int? {
        if count * 2 >= slots.count { grow(key) }
        let slot = slot(of: bytes, key)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        slots[slot] = Int32(truncatingIfNeeded: number + 1)
        count += 1
        return nil
    }

    /// The number of a key.
    @inline(__always)
    func find(_ bytes: Key, key: (Int) -> Key) -> Int? {
        let slot = slot(of: bytes, key)
        return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
    }

    @inline(__always)
    private func slot(of bytes: Key, _ key: (Int) -> Key) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] != 0, key(Int(slots[slot]) - 1).compare(bytes) != 0 { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow(_ key: (Int) -> Key) {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for number in old where number != 0 { slots[slot(of: key(Int(number) - 1), key)] = number }
    }
}
