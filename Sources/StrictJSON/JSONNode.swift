/// A value of a document: a place on its tape, from which the value can be read.
public struct JSONNode: Sendable {
    /// The kind of a JSON value.
    public enum Kind: String, Sendable, Hashable {
        /// The kinds of RFC 8259.
        case null, boolean, number, string, array, object
    }

    /// The document that the value belongs to.
    public let document: JSONDocument
    package let index: Int

    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    package var word: TapeWord { TapeWord(bits: document.tape.words[index]) }

    /// The index behind the value.
    package var end: Int { word.isContainer ? Int(document.tape.words[index + 1]) : index + 1 }

    /// The kind of the value.
    public var kind: Kind {
        switch word.tag {
        case .null, .name, .elsewhere: .null
        case .true, .false: .boolean
        case .integer, .decimal: .number
        case .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The number of elements or members; 0 for a scalar.
    public var count: Int { word.isContainer ? word.payload : 0 }

    /// True if the value is the literal `null`.
    public var isNull: Bool { word.tag == .null }

    /// The value as a Boolean, or nil where it is something else.
    public var bool: Bool? {
        switch word.tag {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The value as a number token, or nil where it is something else.
    public var number: JSONNumber? {
        let word = word
        guard word.tag == .integer || word.tag == .decimal else { return nil }
        return JSONNumber(validToken: withToken { String(decoding: $0, as: UTF8.self) })
    }

    /// The value as an integer, or nil where it is no integer that fits 64 bits.
    public var int: Int? { number?.int }

    /// The value as a string, unescaped, or nil where it is something else.
    public var string: String? {
        switch word.tag {
        case .string: withToken { String(decoding: $0, as: UTF8.self) }
        case .escapedString: withToken { String(decoding: unescaped($0), as: UTF8.self) }
        default: nil
        }
    }

    /// Calls a function with the bytes of a number or of a string's content as they stand in the text.
    private func withToken<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
        let word = word
        let start = word.offset + (word.tag == .string || word.tag == .escapedString ? 1 : 0)
        return document.bytes.withUnsafeBufferPointer { bytes in
            body(UnsafeBufferPointer(rebasing: bytes[start..<start + word.payload]))
        }
    }

    /// The member of that name, or nil where there is none or the value is no object.
    ///
    /// Of several members with one name, which only lenient options let pass, it is the last.
    public subscript(name: String) -> JSONNode? {
        guard word.tag == .object else { return nil }
        var name = name
        guard let symbol = name.withUTF8({ document.names.find($0) }) else { return nil }
        var found: JSONNode?
        var index = index + 2
        let end = end
        while index < end {
            let value = JSONNode(document: document, index: index + 1)
            if TapeWord(bits: document.tape.words[index]).payload == symbol { found = value }
            index = value.end
        }
        return found
    }

    /// The element at that index, or nil where there is none or the value is no array; takes time linear in the index.
    public subscript(index: Int) -> JSONNode? {
        guard index >= 0, index < count else { return nil }
        return elements.dropFirst(index).first { _ in true }
    }

    /// The value at a pointer that starts here, or nil where there is none.
    public subscript(pointer: JSONPointer) -> JSONNode? {
        pointer.tokens.reduce(Optional(self)) { node, token in
            node?.word.tag == .array ? arrayIndex(token).flatMap { node?[$0] } : node?[token]
        }
    }

    /// The elements of an array; nothing for any other value.
    public var elements: Elements { Elements(array: self) }

    /// The members of an object in order; nothing for any other value.
    public var members: Members { Members(object: self) }

    /// The value as something that can be edited.
    public var value: JSONValue {
        switch kind {
        case .null: return .null
        case .boolean: return .bool(word.tag == .true)
        case .number: return number.map(JSONValue.number) ?? .null
        case .string: return string.map(JSONValue.string) ?? .null
        case .array: return .array(elements.map(\.value))
        case .object:
            var object = JSONObject()
            if document.allowsDuplicateNames {
                for member in members { object[member.name] = member.value.value }
            } else {
                for member in members { object.append(unique: member.name, member.value.value) }
            }
            return .object(object)
        }
    }

    /// The byte offset of the value in the text.
    package var offset: Int { word.offset }

    /// The position where the value begins in the text; computing it takes time linear in the text before it.
    public var position: TextPosition {
        let offset = word.offset
        return document.positions(ofOffsets: [offset]).first ?? TextPosition(offset: offset, line: 1, column: 1)
    }

    /// The pointer to the value, from the document's root.
    public var pointer: JSONPointer { JSONPointer(tokens: document.path(to: index)) }
}

extension JSONNode {
    /// The elements of an array, in order.
    public struct Elements: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var index: Int
        private let end: Int

        init(array: JSONNode) {
            document = array.document
            index = array.index + 2
            end = array.word.tag == .array ? array.end : 0
        }

        /// Returns the next element; nil at the end.
        public mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            let node = JSONNode(document: document, index: index)
            index = node.end
            return node
        }
    }

    /// The members of an object, in order.
    public struct Members: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var index: Int
        private let end: Int

        init(object: JSONNode) {
            document = object.document
            index = object.index + 2
            end = object.word.tag == .object ? object.end : 0
        }

        /// Returns the next member; nil at the end.
        public mutating func next() -> (name: String, value: JSONNode)? {
            guard index < end else { return nil }
            let name = document.names.string(TapeWord(bits: document.tape.words[index]).payload)
            let node = JSONNode(document: document, index: index + 1)
            index = node.end
            return (name, node)
        }
    }
}

extension JSONDocument {
    /// Returns the reference tokens from the root to a word of the tape: a value, or a member's name.
    package func path(to target: Int) -> [String] { names.view.path(in: tape.words, to: target) }
}

extension NameView {
    /// Returns the reference tokens from the first value of a tape to a word of it: a value, or a member's name.
    package func path(in words: UnsafeMutablePointer<UInt64>, to target: Int) -> [String] {
        var path: [String] = []
        var container = 0
        descend: while container < target, TapeWord(bits: words[container]).isContainer {
            let isObject = TapeWord(bits: words[container]).tag == .object
            let end = Int(words[container + 1])
            var index = container + 2
            var position = 0
            while index < end {
                let value = isObject ? index + 1 : index
                let next = TapeWord(bits: words[value]).isContainer ? Int(words[value + 1]) : value + 1
                if target < next {
                    path.append(isObject ? string(TapeWord(bits: words[index]).payload) : String(position))
                    container = value
                    continue descend
                }
                index = next
                position += 1
            }
            break
        }
        return path
    }
}
