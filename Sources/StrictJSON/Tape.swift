#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One word of a tape: 4 bits of tag, 28 bits of payload, 32 bits of byte offset.
///
/// | tag | payload | follows |
/// |---|---|---|
/// | literal | - | |
/// | number, string | length of the token's content in bytes | |
/// | name | symbol in the document's `NameTable` | the member's value |
/// | array, object | number of elements or members | a word with the index behind the container, then the content |
///
/// It is public and frozen only so that other modules' loops over a tape are compiled as one with it: with `package`
/// access the compiler calls a function for each bit field, which halved the validator's speed.
@frozen public struct TapeWord: Sendable {
    /// The kind of a tape word.
    @frozen public enum Tag: UInt8, Sendable {
        /// A literal.
        case null, `false`, `true`
        /// A number in integer syntax.
        case integer
        /// A number with a fraction or an exponent.
        case decimal
        /// A string whose bytes stand in the text as they are.
        case string
        /// A string with escapes.
        case escapedString
        /// A container, or a member's name.
        case array, object, name
        /// A value that was read and let go, in the tape of a container that is taken apart while it is read.
        case elsewhere
    }

    /// The word.
    public let bits: UInt64

    /// Makes the word with these bits.
    @inlinable @inline(__always)
    public init(bits: UInt64) { self.bits = bits }

    /// Makes a word of its parts.
    @inlinable @inline(__always)
    public init(_ tag: Tag, payload: Int, offset: Int) {
        bits =
            UInt64(truncatingIfNeeded: tag.rawValue) &<< 60 | UInt64(truncatingIfNeeded: payload) &<< 32
            | UInt64(truncatingIfNeeded: offset)
    }

    /// The largest payload that fits.
    @inlinable
    public static var largestPayload: Int { 1 << 28 - 1 }

    /// The kind of the word.
    @inlinable @inline(__always)
    public var tag: Tag { unsafeBitCast(UInt8(truncatingIfNeeded: bits &>> 60), to: Tag.self) }
    /// A mask with the one bit of the tag.
    @inlinable @inline(__always)
    public var tagBit: UInt16 { 1 &<< UInt16(truncatingIfNeeded: bits &>> 60) }
    /// A length, a count or a name's number.
    @inlinable @inline(__always)
    public var payload: Int { Int(truncatingIfNeeded: bits &>> 32) & Self.largestPayload }
    /// The byte offset in the text at which the word's value begins.
    @inlinable @inline(__always)
    public var offset: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
    /// True if the word is an array or an object.
    @inlinable @inline(__always)
    public var isContainer: Bool { tagBit & 0b1_1000_0000 != 0 }
}

/// A growing run of words.
///
/// It owns its memory and never initialises what it does not use.
package struct Tape: ~Copyable, @unchecked Sendable {
    package private(set) var words: UnsafeMutablePointer<UInt64>
    package private(set) var capacity: Int
    package var count = 0

    package init(capacity: Int) {
        self.capacity = max(capacity, 64)
        words = Self.reallocate(nil, capacity: self.capacity)
    }

    deinit { free(words) }

    /// Makes room; the allocator moves large blocks by remapping their pages.
    package mutating func grow(most: Int = .max) {
        capacity += min(capacity / 2, max(most - capacity, 64))
        words = Self.reallocate(words, capacity: capacity)
    }

    /// Gives back what is not used.
    package mutating func shrink() {
        guard capacity - count > 4096 else { return }
        capacity = max(count, 1)
        words = Self.reallocate(words, capacity: capacity)
    }

    private static func reallocate(_ old: UnsafeMutablePointer<UInt64>?, capacity: Int) -> UnsafeMutablePointer<UInt64>
    {
        let size = capacity * MemoryLayout<UInt64>.stride
        guard let raw = realloc(old, size) else { fatalError("out of memory: \(size) bytes") }
        adviseHugePages(UnsafeMutableRawBufferPointer(start: raw, count: size))
        return raw.bindMemory(to: UInt64.self, capacity: capacity)
    }
}

/// Asks for huge pages under a large block that is about to be filled: touching memory for the first time is otherwise
/// slower than parsing into it.
package func adviseHugePages(_ block: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
        let huge = 2 << 20
        guard block.count >= 4 * huge, let start = block.baseAddress else { return }
        let first = (UInt(bitPattern: start) + 4095) & ~4095
        let length = (block.count - 4096) & ~4095
        if let address = UnsafeMutableRawPointer(bitPattern: first) {
            _ = madvise(address, length, 14 /* MADV_HUGEPAGE */)
        }
    #endif
}
