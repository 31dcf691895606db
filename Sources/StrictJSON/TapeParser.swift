/// Reads one JSON value from bytes to a tape.
///
/// It keeps the names that it met, so that a reader which takes a file apart (see `JSONStream`) can parse each part with
/// the same parser. Nothing is allocated per value; the loop works on raw pointers, each read of which is checked
/// against the end of the input.
struct TapeParser: ~Copyable {
    typealias Pointer = UnsafePointer<UInt8>

    /// A container that is not yet closed.
    struct Frame {
        /// The container's first word.
        var start: Int
        /// Members or elements so far.
        var count = 0
        /// A number unlike that of any other object; 0 for an array.
        var object = 0
        /// The nearest object around this one; 0 where there is none.
        var outerObject = 0
        /// The length of `restores` when the container was opened.
        var restores = 0
        /// The name read last, or -1.
        var name = -1
    }

    var tape: Tape
    var names = NameTable()
    let options: JSONParseOptions
    /// The container being read; outside of any, its start is -1.
    var current = Frame(start: -1)
    /// The containers around it.
    var frames: [Frame] = []
    /// The number of objects opened so far.
    var objects = 0
    /// The first name of the last object at each depth: the guess where no name precedes.
    var firstNames: [Int32] = Array(repeating: -1, count: 64)
    /// Names of open objects that an inner object has as well, with the object to give them back to.
    var restores: [(name: Int, object: Int)] = []

    init(options: JSONParseOptions, capacity: Int) {
        self.options = options
        tape = Tape(capacity: capacity)
    }

    /// Parses the value that begins at or after `start`; white space may precede it.
    ///
    /// - Parameters:
    ///   - input: The text; only what belongs to the value is read, and one byte behind it.
    ///   - outer: The number of containers around the value that the caller has taken apart.
    /// - Returns: The offset behind the value.
    mutating func parseValue(
        _ input: UnsafeBufferPointer<UInt8>,
        from start: Int,
        depth outer: Int = 0
    ) throws(ParseFailure) -> Int {
        if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
        if !restores.isEmpty { restores.removeAll(keepingCapacity: true) }
        current = Frame(start: -1)
        tape.count = 0
        guard let base = input.baseAddress else { throw .truncated(at: 0) }
        let text = Text(base: base, end: base + input.count)
        var at = base + start
        values: while true {
            // Room for a container's two words and a name.
            if tape.count &+ 4 >= tape.capacity {
                guard tape.capacity < options.maximumValueCount else {
                    throw .tooMany(at: at - base, limit: options.maximumValueCount)
                }
                tape.grow(most: options.maximumValueCount)
            }
            at = try text.skipSpace(at)
            switch at.pointee {
            case UInt8(ascii: "\""):
                let string = try text.scanString(at + 1)
                append(string.hasEscape ? .escapedString : .string, from: at, to: string.end - 1, text)
                if string.end - at > TapeWord.largestPayload { throw text.tooLong(at) }
                at = string.end + 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                let number = try text.scanNumber(at)
                append(number.isInteger ? .integer : .decimal, from: at, to: number.end, text)
                try text.checkRange(at, number.end, isInteger: number.isInteger, options)
                at = number.end
            case UInt8(ascii: "{"):
                try open(isObject: true, at, text, depth: outer)
                at = try text.skipSpace(at + 1)
                if at.pointee != UInt8(ascii: "}") {
                    at = try parseName(at, text)
                    continue values
                }
                try close(text)
                at += 1
            case UInt8(ascii: "["):
                try open(isObject: false, at, text, depth: outer)
                at = try text.skipSpace(at + 1)
                if at.pointee != UInt8(ascii: "]") { continue values }
                try close(text)
                at += 1
            default:
                let literal = try text.scanLiteral(at)
                append(literal.tag, from: at, to: at, text)
                at = literal.end
            }
            // A value has ended, and with it perhaps the containers around it.
            while current.start >= 0 {
                current.count &+= 1
                at = try text.skipSpace(at)
                let isObject = current.object != 0
                if at.pointee == UInt8(ascii: ",") {
                    at += 1
                    if isObject { at = try parseName(text.skipSpace(at), text) }
                    continue values
                }
                guard at.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    // A word that goes on, as in 0x10, is still of that value.
                    if text.isWithinWord(at) { (tape.count, current.count) = (tape.count - 1, current.count - 1) }
                    throw text.unexpected(at, expected: isObject ? "',' or '}'" : "',' or ']'")
                }
                try close(text)
                at += 1
            }
            return at - base
        }
    }

    @inline(__always)
    mutating func append(_ tag: TapeWord.Tag, from start: Pointer, to end: Pointer, _ text: Text) {
        tape.words[tape.count] = TapeWord(tag, payload: end - start, offset: start - text.base).bits
        tape.count &+= 1
    }

    private mutating func open(isObject: Bool, _ at: Pointer, _ text: Text, depth outer: Int) throws(ParseFailure) {
        guard frames.count + outer < options.depthLimit else {
            throw .tooDeep(at: at - text.base, limit: options.depthLimit)
        }
        frames.append(current)
        var frame = Frame(start: tape.count)
        frame.outerObject = current.object != 0 ? current.object : current.outerObject
        frame.restores = restores.count
        if isObject {
            objects &+= 1
            frame.object = objects
        }
        current = frame
        append(isObject ? .object : .array, from: at, to: at, text)
        tape.count &+= 1
    }

    private mutating func close(_ text: Text) throws(ParseFailure) {
        let start = current.start
        guard current.count <= TapeWord.largestPayload else { throw tooMany(text) }
        tape.words[start] |= UInt64(truncatingIfNeeded: current.count) &<< 32
        tape.words[start + 1] = UInt64(truncatingIfNeeded: tape.count)
        while restores.count > current.restores {
            let restore = restores.removeLast()
            names.entries[restore.name].object = restore.object
        }
        current = frames.removeLast()
    }

    /// Reads a member's name and the colon behind it.
    @inline(__always)
    private mutating func parseName(_ start: Pointer, _ text: Text) throws(ParseFailure) -> Pointer {
        guard start.pointee == UInt8(ascii: "\"") else {
            let expected =
                current.count == 0 ? "a member name in double quotes or '}'" : "a member name in double quotes"
            throw text.unexpected(start, expected: expected)
        }
        var at = start + 1
        let guess = current.name >= 0 ? names.entries[current.name].next : firstNames[min(frames.count, 63)]
        let symbol: Int
        if guess >= 0, let end = names.match(Int(guess), at, text.end) {
            symbol = Int(guess)
            at = end
        } else {
            (symbol, at) = try lookUpName(at, text)
        }
        let object = names.entries[symbol].object
        if object == current.object, !options.allowsDuplicateNames { throw duplicate(symbol, start, text) }
        // What an inner object overwrites, its end gives back. Objects younger than those around are closed already.
        if object != 0, object <= current.outerObject { restores.append((symbol, object)) }
        names.entries[symbol].object = current.object
        current.name = symbol
        append(.name, from: start, to: start + symbol, text)
        at = try text.skipSpace(at)
        guard at.pointee == UInt8(ascii: ":") else { throw text.unexpected(at, expected: "':'") }
        return at + 1
    }

    /// Reads a name that did not follow its predecessor last time.
    @inline(never)
    private mutating func lookUpName(_ start: Pointer, _ text: Text) throws(ParseFailure) -> (symbol: Int, end: Pointer)
    {
        let scanned = try text.scanString(start)
        let raw = UnsafeBufferPointer(start: start, count: scanned.end - start)
        guard raw.count < TapeWord.largestPayload else { throw text.tooLong(start - 1) }
        guard names.count < TapeWord.largestPayload else { throw text.tooManyNames(start - 1) }
        let symbol = scanned.hasEscape ? unescaped(raw).withUnsafeBufferPointer { names.intern($0) } : names.intern(raw)
        if current.name >= 0 {
            names.entries[current.name].next = Int32(symbol)
        } else {
            firstNames[min(frames.count, 63)] = Int32(symbol)
        }
        return (symbol, scanned.end + 1)
    }
}
