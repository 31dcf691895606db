internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The writer and the origins of the last line, kept because many lines repeat them.
struct LineMemory {
    var writer: WriterID?
    var origins: [Origin] = []
}

/// Reads the parts of a line from its words, and rejects everything that no writer writes.
///
/// Values are named by the index of their word.
struct LineReader {
    let tape: TapeText
    let limits: MergeLimits
    /// The line, for messages.
    let line: Int
    var memory: LineMemory

    func fail(_ message: String) -> MergeDataError { MergeDataError(line: line, message: message) }

    func tag(_ index: Int) -> TapeWord.Tag { TapeWord(bits: tape.words[index]).tag }

    /// The members of an object that have not been read yet.
    struct Members {
        var index: Int
        let end: Int
        let what: StaticString
    }

    /// The elements of an array.
    struct Elements {
        let first: Int
        let end: Int
        let count: Int
    }

    /// Returns the members of an object, to be read in their order.
    func object(_ index: Int, _ what: StaticString) throws(MergeDataError) -> Members {
        guard tag(index) == .object else { throw fail("found no object, expected \(what)") }
        return Members(index: index + 2, end: tape.end(index), what: what)
    }

    /// Returns the next member if it has that name; nil where another is next.
    func take(_ name: StaticString, _ members: inout Members) -> Int? {
        guard members.index < members.end else { return nil }
        let bytes = tape.name(members.index)
        guard bytes.count == name.utf8CodeUnitCount, let start = bytes.baseAddress,
            memcmp(start, name.utf8Start, bytes.count) == 0
        else { return nil }
        let value = members.index + 1
        members.index = tape.end(value)
        return value
    }

    /// Returns the next member, which must be there.
    func need(_ name: StaticString, _ members: inout Members) throws(MergeDataError) -> Int {
        guard let value = take(name, &members) else { throw fail("expected the member \"\(name)\" of \(members.what)") }
        return value
    }

    /// Rejects members that are left.
    func finish(_ members: Members) throws(MergeDataError) {
        guard members.index == members.end else {
            throw fail("found an unknown member in \(members.what), or one that is not in its place")
        }
    }

    func array(_ index: Int, _ what: StaticString, _ counts: ClosedRange<Int>) throws(MergeDataError) -> Elements {
        let word = TapeWord(bits: tape.words[index])
        guard word.tag == .array, counts.contains(word.payload) else { throw fail("expected \(what)") }
        return Elements(first: index + 2, end: tape.end(index), count: word.payload)
    }

    func string(_ index: Int, _ what: StaticString) throws(MergeDataError) -> String {
        guard let string = tape.string(index) else { throw fail("expected \(what), a string") }
        return string
    }

    func integer(_ index: Int, _ what: StaticString, _ range: ClosedRange<Int>) throws(MergeDataError) -> Int {
        // Rejects a token that no writer writes, so that a state has only one form.
        guard tag(index) == .integer, let int = plainInteger(tape.token(index)), range.contains(int) else {
            throw fail("expected \(what), an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return int
    }

    /// Returns the number of the digits; JSON has no leading zeros.
    private func plainInteger(_ digits: UnsafeBufferPointer<UInt8>) -> Int? {
        guard digits.count <= 18 else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0") else { return nil }
            number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
        }
        return number
    }

    mutating func writer(_ index: Int) throws(MergeDataError) -> WriterID? {
        if tag(index) == .string, let last = memory.writer, isSame(last.description, tape.token(index)) { return last }
        memory.writer = WriterID(try string(index, "a writer"))
        return memory.writer
    }

    /// Reads a writer and a number, the next two elements of an array.
    mutating func dot(_ first: Int) throws(MergeDataError) -> Dot {
        guard let writer = try writer(first) else { throw fail("expected a writer's name and a number") }
        return Dot(writer, try integer(first + 1, "a number of a change", 1...limits.largestSequence))
    }

    mutating func stamp(_ index: Int) throws(MergeDataError) -> Stamp {
        let parts = try array(index, "a stamp: writer, number, milliseconds and count", 3...4)
        let dot = try dot(parts.first)
        let milliseconds = try integer(parts.first + 2, "milliseconds", 0...(1 << 48 - 1))
        let count = parts.count == 4 ? try integer(parts.first + 3, "a count", 1...0xFFFF) : 0
        return Stamp(dot, HybridClock(bits: UInt64(milliseconds) << 16 | UInt64(count)))
    }

    func vector(_ index: Int) throws(MergeDataError) -> VersionVector {
        let word = TapeWord(bits: tape.words[index])
        guard word.tag == .object, word.payload <= limits.mostWriters else {
            throw fail("expected an object of at most \(limits.mostWriters) writers")
        }
        var entries: [Dot] = []
        entries.reserveCapacity(word.payload)
        var at = index + 2
        let end = tape.end(index)
        while at < end {
            guard let writer = WriterID(String(decoding: tape.name(at), as: UTF8.self)) else {
                throw fail("found a name that is no writer's")
            }
            if let last = entries.last, !(last.writer < writer) { throw fail("found writers out of order") }
            entries.append(Dot(writer, try integer(at + 1, "a number of a change", 1...limits.largestSequence)))
            at = tape.end(at + 1)
        }
        return VersionVector(ordered: entries)
    }
}
