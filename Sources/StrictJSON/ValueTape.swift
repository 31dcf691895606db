#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Lays values out as the words that a parser makes of their text, without writing and parsing that text.
///
/// One tape serves many values: names that come in the same order as last time are not looked up.
package struct ValueTape: ~Copyable {
    private var tape = Tape(capacity: 256)
    private var names = NameTable()
    /// The contents of strings and numbers, strings as they are, without escapes.
    private var bytes: [UInt8] = []
    /// The first name of the last outermost object, or -1.
    private var firstName = -1
    private var isTaken = true
    private var size = 0
    private let mostBytes: Int
    private let depthLimit = JSONParseOptions().depthLimit

    /// Makes a tape for values of about that many bytes at most.
    package init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// Lays a value out.
    ///
    /// - Parameter depth: The number of containers around it.
    /// - Returns: False for a value whose text must tell: one that is too large or too deep, or has a long number.
    package mutating func lay(_ value: JSONValue, depth: Int) -> Bool {
        tape.count = 0
        bytes.removeAll(keepingCapacity: true)
        (isTaken, size) = (true, 0)
        append(value, depth)
        return isTaken
    }

    /// The number of different names so far.
    package var nameCount: Int { names.count }

    /// Calls `body` with the words of the value that was laid out last.
    package func withText<Result>(_ body: (TapeText) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(TapeText(words: tape.words, text: $0, names: names.view)) }
    }

    private mutating func append(_ value: JSONValue, _ depth: Int) {
        if tape.count + 2 > tape.capacity { tape.grow() }
        switch value {
        case .null: add(.null, 0)
        case .bool(let bool): add(bool ? .true : .false, 0)
        case .number(let number):
            guard number.isShort else { return isTaken = false }
            addToken(number.token, number.token.utf8.contains(UInt8(ascii: ".")) ? .decimal : .integer)
        case .string(let string): addToken(string, .string)
        case .array(let elements):
            guard open(.array, elements.count, depth) else { return }
            let start = tape.count - 2
            for element in elements where isTaken { append(element, depth + 1) }
            tape.words[start + 1] = UInt64(truncatingIfNeeded: tape.count)
        case .object(let object):
            let members = object.members
            guard open(.object, members.count, depth) else { return }
            let start = tape.count - 2
            var last = -1
            for index in members.indices where isTaken {
                last = symbol(of: members[index].name, after: last, isOutermost: start == 0)
                if tape.count == tape.capacity { tape.grow() }
                add(.name, last)
                append(members[index].value, depth + 1)
            }
            tape.words[start + 1] = UInt64(truncatingIfNeeded: tape.count)
        }
    }

    private mutating func add(_ tag: TapeWord.Tag, _ payload: Int) {
        tape.words[tape.count] = TapeWord(tag, payload: payload, offset: bytes.count).bits
        tape.count += 1
        size += 8
        if size > mostBytes { isTaken = false }
    }

    private mutating func addToken(_ token: String, _ tag: TapeWord.Tag) {
        var token = token
        size += token.utf8.count
        add(tag, token.utf8.count)
        // The content of a string stands behind its quotation mark.
        if tag == .string { bytes.append(UInt8(ascii: "\"")) }
        token.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func open(_ tag: TapeWord.Tag, _ count: Int, _ depth: Int) -> Bool {
        isTaken = isTaken && depth < depthLimit && count <= mostBytes
        guard isTaken else { return false }
        add(tag, count)
        tape.count += 1
        return true
    }

    /// Returns the number of a name, which mostly follows the same one as last time.
    private mutating func symbol(of name: String, after last: Int, isOutermost: Bool) -> Int {
        var name = name
        size += name.utf8.count
        return name.withUTF8 { name in
            let guess = last >= 0 ? Int(names.entries[last].next) : isOutermost ? firstName : -1
            if guess >= 0 {
                let known = names.bytes(guess)
                guard known.count != name.count || !isSame(known, name) else { return guess }
            }
            let symbol = names.intern(name)
            if last >= 0 {
                names.entries[last].next = Int32(symbol)
            } else if isOutermost {
                firstName = symbol
            }
            return symbol
        }
    }

    private func isSame(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let left = one.baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, one.count) == 0
    }
}

extension JSONNumber {
    /// True for a number of up to 18 characters without an exponent, which every reader of JSON takes.
    package var isShort: Bool { token.utf8.count <= 18 && !token.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") } }
}
