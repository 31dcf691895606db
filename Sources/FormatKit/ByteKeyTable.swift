#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Finds keys that are bytes in somebody else's memory: a set that holds 8 to 32 bytes for each of them.
@usableFromInline
package struct ByteKeyTable {
    @usableFromInline package typealias Key = UnsafeBufferPointer<UInt8>

    /// A number from 1 for each key with the upper half of its hash above it, 0 where there is none; a power of two, and
    /// never more than half full.
    ///
    /// With the hash beside it a key of somebody else is hardly ever looked at, which is where the time would go.
    @usableFromInline var slots: [UInt64]
    @usableFromInline var count = 0
    /// The word that ``look(at:)`` read, so that the compiler does not leave the reading out.
    private var lookedAt: UInt64 = 0

    /// - Parameter capacity: How many keys are to come.
    package init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
    }

    /// Inserts a key with a number; returns the number it has already, or nil if it is new.
    ///
    /// - Parameters:
    ///   - number: A number below 2³² - 1 that the key gets.
    ///   - key: The key with a number.
    @inlinable @inline(__always)
    package mutating func insert(_ bytes: Key, number: Int, key: (Int) -> Key) -> Int? {
        insert(bytes, hash: hash(bytes), number: number, key: key)
    }

    /// Inserts a key whose ``hash(_:)`` is known.
    @inlinable @inline(__always)
    package mutating func insert(_ bytes: Key, hash: UInt64, number: Int, key: (Int) -> Key) -> Int? {
        if count * 2 >= slots.count { grow() }
        let slot = slot(of: bytes, hash, key)
        if slots[slot] != 0 { return Self.number(slots[slot]) }
        slots[slot] = hash & Self.tag | UInt64(truncatingIfNeeded: number + 1)
        count += 1
        return nil
    }

    /// Returns the number of a key.
    @inlinable @inline(__always)
    package func find(_ bytes: Key, key: (Int) -> Key) -> Int? {
        let slot = slot(of: bytes, hash(bytes), key)
        return slots[slot] == 0 ? nil : Self.number(slots[slot])
    }

    /// Reads the slots of hashes that are inserted next: the processor waits for all of them at once.
    @inline(never)
    package mutating func look(at hashes: [UInt64]) {
        for hash in hashes { lookedAt ^= slots[start(hash)] }
    }

    @inlinable
    static var tag: UInt64 { 0xFFFF_FFFF_0000_0000 }

    @inlinable @inline(__always)
    static func number(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot & ~tag) - 1 }

    /// Returns the hash of a key.
    @inlinable @inline(__always)
    package func hash(_ bytes: Key) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// Returns the first slot for a hash: by its upper half, which is what slots keep.
    @inlinable @inline(__always)
    func start(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1) }

    @inlinable @inline(__always)
    func slot(of bytes: Key, _ hash: UInt64, _ key: (Int) -> Key) -> Int {
        var slot = start(hash)
        while slots[slot] != 0 {
            if (slots[slot] ^ hash) & Self.tag == 0, key(Self.number(slots[slot])).compare(bytes) == 0 { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    @usableFromInline
    mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 {
            var slot = start(entry)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = entry
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Compares the bytes with others as SQLite's BINARY collation does; negative if they sort before, positive if
    /// after.
    @usableFromInline
    package func compare(_ other: UnsafeBufferPointer<UInt8>) -> Int {
        let common = Swift.min(count, other.count)
        if common > 0, let left = baseAddress, let right = other.baseAddress {
            let order = memcmp(left, right, common)
            if order != 0 { return Int(order) }
        }
        return count - other.count
    }
}
