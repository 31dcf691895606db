extension JSONWriter {
    /// Writes a value; in the canonical style with its members sorted.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let bool): self.bool(bool)
        case .number(let number): self.number(number)
        case .string(let string): self.string(string)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            let members = style == .canonical ? object.members.sorted { precedes($0.name, $1.name) } : object.members
            for member in members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    /// Writes a value of a document, straight from its text; in the canonical style with its members sorted.
    public mutating func node(_ node: JSONNode) {
        let document = node.document
        // Members are sorted by the rank of their names, so that each pair of names is compared once.
        let ranks = style == .canonical ? document.names.ranks() : []
        document.bytes.withUnsafeBufferPointer { text in
            write(document.tape.words, node.index, text: text, names: document.names, ranks: ranks)
        }
    }

    /// Writes the value at a word.
    ///
    /// - Parameter ranks: The order of the names, where members are sorted.
    package mutating func write(
        _ words: UnsafeMutablePointer<UInt64>,
        _ index: Int,
        text: UnsafeBufferPointer<UInt8>,
        names: borrowing NameTable,
        ranks: [Int] = []
    ) {
        let word = TapeWord(bits: words[index])
        switch word.tag {
        case .array:
            beginArray()
            var index = index + 2
            let end = Int(words[index - 1])
            while index < end {
                write(words, index, text: text, names: names, ranks: ranks)
                index = Self.skip(words, index)
            }
            endArray()
        case .object:
            beginObject()
            if ranks.isEmpty {
                writeMembers(words, index, text: text, names: names)
            } else {
                for member in Self.members(words, index).sorted(by: { ranks[$0.name] < ranks[$1.name] }) {
                    name(member.name, of: names)
                    write(words, member.value, text: text, names: names, ranks: ranks)
                }
            }
            endObject()
        default: scalar(word, text: text)
        }
    }

    @inline(__always)
    mutating func writeMembers(
        _ words: UnsafeMutablePointer<UInt64>,
        _ object: Int,
        text: UnsafeBufferPointer<UInt8>,
        names: borrowing NameTable
    ) {
        var index = object + 2
        let end = Int(words[index - 1])
        while index < end {
            let symbol = TapeWord(bits: words[index]).payload
            name(symbol, of: names)
            let word = TapeWord(bits: words[index + 1])
            if word.isContainer {
                write(words, index + 1, text: text, names: names, ranks: [])
                index = Int(words[index + 2])
            } else {
                scalar(word, text: text)
                index += 2
            }
        }
    }

    @inline(__always)
    private mutating func scalar(_ word: TapeWord, text: UnsafeBufferPointer<UInt8>) {
        switch word.tag {
        case .string:
            separate()
            // The quotes stand in the text as well.
            copyToken(word.offset, word.payload &+ 2, text)
        case .integer where style != .canonical, .decimal where style != .canonical:
            separate()
            copyToken(word.offset, word.payload, text)
        case .integer, .decimal:
            let token = text[word.offset..<word.offset + word.payload]
            number(JSONNumber(validToken: String(decoding: token, as: UTF8.self)))
        case .escapedString:
            separate()
            let start = word.offset + 1
            let string = unescaped(UnsafeBufferPointer(rebasing: text[start..<start + word.payload]))
            string.withUnsafeBufferPointer { quoteEscaping($0) }
        case .true: literal("true")
        case .false: literal("false")
        default: literal("null")
        }
    }

    @inline(__always)
    private mutating func copyToken(_ start: Int, _ length: Int, _ text: UnsafeBufferPointer<UInt8>) {
        guard let base = text.baseAddress else { return }
        copy(
            UnsafeBufferPointer(start: base + start, count: length),
            slack: text.count &- start &- length
        )
    }

    private static func skip(_ words: UnsafeMutablePointer<UInt64>, _ index: Int) -> Int {
        TapeWord(bits: words[index]).isContainer ? Int(words[index + 1]) : index + 1
    }

    private static func members(_ words: UnsafeMutablePointer<UInt64>, _ object: Int) -> [(name: Int, value: Int)] {
        var members: [(name: Int, value: Int)] = []
        var index = object + 2
        while index < Int(words[object + 1]) {
            members.append((TapeWord(bits: words[index]).payload, index + 1))
            index = skip(words, index + 1)
        }
        return members
    }
}

extension NameTable {
    /// Returns the place of each name in RFC 8785's order.
    fileprivate func ranks() -> [Int] {
        let strings = (0..<count).map { string($0) }
        var ranks = Array(repeating: 0, count: count)
        for (rank, symbol) in strings.indices.sorted(by: { precedes(strings[$0], strings[$1]) }).enumerated() {
            ranks[symbol] = rank
        }
        return ranks
    }
}

/// Tells whether a name sorts before another by UTF-16 code units (RFC 8785, section 3.2.3).
private func precedes(_ left: String, _ right: String) -> Bool { left.utf16.lexicographicallyPrecedes(right.utf16) }

/// Collects what a writer writes.
private func collect(_ style: JSONStyle, capacity: Int, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(capacity)
    bytes.withUnsafeMutableBufferPointer {
        adviseHugePages(UnsafeMutableRawBufferPointer(start: $0.baseAddress, count: capacity))
    }
    withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
        var writer = JSONWriter(style: style, sink: sink)
        write(&writer)
        // Appending to an array never throws.
        try? writer.finish()
    }
    return bytes
}

extension JSONValue {
    /// Returns the value as UTF-8 text.
    public func encoded(_ style: JSONStyle) -> [UInt8] { collect(style, capacity: 256) { $0.value(self) } }

    /// Returns the value as a string.
    public func text(_ style: JSONStyle) -> String { String(decoding: encoded(style), as: UTF8.self) }
}

extension JSONNode {
    /// Returns the value as UTF-8 text, written straight from the document's.
    public func encoded(_ style: JSONStyle) -> [UInt8] {
        // The indented form of a compact text is about a third longer; what is reserved and not used costs no memory.
        let size = document.bytes.count
        let capacity = style == .indented ? size + size / 2 : size
        return collect(style, capacity: index == 0 ? capacity : 256) { $0.node(self) }
    }
}
