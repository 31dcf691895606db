/// Names by their numbers, without owning them.
package struct NameView {
    let entries: UnsafeMutablePointer<NameTable.Entry>
    let arena: UnsafeMutablePointer<UInt8>

    /// Returns the bytes of a name, unescaped.
    package func bytes(_ symbol: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: arena + entries[symbol].start, count: Int(entries[symbol].length))
    }

    /// Returns a name as a string.
    package func string(_ symbol: Int) -> String { String(decoding: bytes(symbol), as: UTF8.self) }
}

/// The distinct member names of a document, numbered in order of first appearance.
///
/// Documents repeat a few names many times, mostly in the same order. So each name remembers which one came after it
/// last time: the parser compares the text with that guess before it looks anything up. The numbers also tell
/// duplicates within an object, and let a validator find a property by one array access.
package struct NameTable: ~Copyable, @unchecked Sendable {
    package struct Entry {
        /// The offset of the name's bytes in the arena; a `"` follows them.
        var start: Int
        var length: Int32
        /// The name that followed this one last time, or -1.
        var next: Int32 = -1
        /// The last object that had this name.
        var object: Int = 0
        var hash: UInt64
        /// True if the text holds the name's very bytes; false if the name needs escapes.
        var isPlain: Bool
    }

    /// The number of readable bytes behind each name, so that words can be read whole.
    static let slack = 16

    package private(set) var count = 0
    var entries: UnsafeMutablePointer<Entry>
    private var capacity = 64
    private(set) var arena: UnsafeMutablePointer<UInt8>
    private var arenaCount = 0
    private var arenaCapacity = 4096
    /// Open addressing; symbol + 1, 0 for a free slot.
    private var slots: UnsafeMutablePointer<Int32>
    private var slotMask = 255
    /// Random, so that nobody can choose names that all meet in one slot.
    private let seed = UInt64.random(in: .min ... .max)

    package init() {
        entries = .allocate(capacity: capacity)
        arena = .allocate(capacity: arenaCapacity)
        slots = .allocate(capacity: slotMask + 1)
        slots.initialize(repeating: 0, count: slotMask + 1)
    }

    deinit {
        entries.deallocate()
        arena.deallocate()
        slots.deallocate()
    }

    /// Returns the bytes of a name, unescaped.
    @inline(__always)
    package func bytes(_ symbol: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: arena + entries[symbol].start, count: Int(entries[symbol].length))
    }

    /// Tells whether a name can be written between quotes as it is.
    @inline(__always)
    package func isPlain(_ symbol: Int) -> Bool { entries[symbol].isPlain }

    /// The names as they are now; good until one is added or the table ends.
    package var view: NameView { NameView(entries: entries, arena: arena) }

    /// Returns a name as a string.
    package func string(_ symbol: Int) -> String { String(decoding: bytes(symbol), as: UTF8.self) }

    /// Returns the number of a name; nil if the document has no such name.
    package func find(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
        let slot = self.slot(of: name, hash: hash(name))
        return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
    }

    /// Returns the number of a name, and gives it one if it has none.
    package mutating func intern(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let hash = self.hash(name)
        var slot = self.slot(of: name, hash: hash)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        if count * 2 >= slotMask {
            growSlots()
            slot = self.slot(of: name, hash: hash)
        }
        let symbol = count
        reserve(bytes: name.count + 1)
        if let source = name.baseAddress { (arena + arenaCount).update(from: source, count: name.count) }
        arena[arenaCount + name.count] = UInt8(ascii: "\"")
        let isPlain = !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
        (entries + symbol).initialize(
            to: Entry(start: arenaCount, length: Int32(name.count), hash: hash, isPlain: isPlain)
        )
        arenaCount += name.count + 1
        count += 1
        slots[slot] = Int32(symbol) + 1
        return symbol
    }

    /// Returns the place behind the closing quote if the text continues with that name and a quote; else nil.
    @inline(__always)
    func match(_ symbol: Int, _ at: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        let entry = entries + symbol
        let length = Int(entry.pointee.length) &+ 1
        // Words are read whole, so the last few bytes of the text are left to the slow way.
        guard entry.pointee.isPlain, end - at >= length &+ 8 else { return nil }
        let text = UnsafeRawPointer(at)
        let name = UnsafeRawPointer(arena + entry.pointee.start)
        var index = 0
        while index &+ 8 <= length {
            let difference =
                text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if difference != 0 { return nil }
            index &+= 8
        }
        let rest = length &- index
        guard rest > 0 else { return at + length }
        let difference =
            text.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            ^ name.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        return difference & (1 &<< UInt64(rest &* 8) &- 1) == 0 ? at + length : nil
    }

    private mutating func reserve(bytes: Int) {
        if count == capacity {
            entries = Self.grown(entries, count: count, capacity: capacity * 2)
            capacity *= 2
        }
        if arenaCount + bytes + Self.slack > arenaCapacity {
            arenaCapacity = max(arenaCapacity * 2, arenaCount + bytes + Self.slack)
            arena = Self.grown(arena, count: arenaCount, capacity: arenaCapacity)
        }
    }

    private static func grown<T>(_ old: UnsafeMutablePointer<T>, count: Int, capacity: Int) -> UnsafeMutablePointer<T> {
        let new = UnsafeMutablePointer<T>.allocate(capacity: capacity)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        return new
    }

    private mutating func growSlots() {
        slots.deallocate()
        slotMask = slotMask * 2 + 1
        slots = .allocate(capacity: slotMask + 1)
        slots.initialize(repeating: 0, count: slotMask + 1)
        for symbol in 0..<count {
            var slot = Int(truncatingIfNeeded: entries[symbol].hash) & slotMask
            while slots[slot] != 0 { slot = (slot + 1) & slotMask }
            slots[slot] = Int32(symbol) + 1
        }
    }

    private func slot(of name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & slotMask
        while slots[slot] != 0 {
            let symbol = Int(slots[slot]) - 1
            if entries[symbol].hash == hash, bytes(symbol).elementsEqual(name) { return slot }
            slot = (slot + 1) & slotMask
        }
        return slot
    }

    private func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: name.count)
        guard let base = UnsafeRawPointer(name.baseAddress) else { return Self.mix(hash, seed) }
        var position = 0
        while position + 8 <= name.count {
            hash = Self.mix(hash, base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        var rest: UInt64 = 0
        while position < name.count {
            rest = rest &<< 8 | UInt64(name[position])
            position += 1
        }
        return Self.mix(Self.mix(hash, rest), seed)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: word ^ 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
