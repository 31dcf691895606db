/// A text that a ``JSONFragments`` has read, to be taken apart word by word; good until it reads another.
package struct TapeText {
    /// The words, from the outermost value on.
    package let words: UnsafeMutablePointer<UInt64>
    /// The bytes that they are of.
    package let text: UnsafeBufferPointer<UInt8>
    package let names: NameView

    /// Returns the index behind a value.
    package func end(_ index: Int) -> Int {
        TapeWord(bits: words[index]).isContainer ? Int(words[index + 1]) : index + 1
    }

    /// Returns the bytes of a member's name, unescaped.
    package func name(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        names.bytes(TapeWord(bits: words[index]).payload)
    }

    /// Returns the bytes of a number, or of a string's content as they stand in the text.
    package func token(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let word = TapeWord(bits: words[index])
        let start = word.offset + (word.tag == .string || word.tag == .escapedString ? 1 : 0)
        return UnsafeBufferPointer(rebasing: text[start..<start + word.payload])
    }

    /// Returns a string, unescaped; nil for any other value.
    package func string(_ index: Int) -> String? {
        switch TapeWord(bits: words[index]).tag {
        case .string: String(decoding: token(index), as: UTF8.self)
        case .escapedString: String(decoding: unescaped(token(index)), as: UTF8.self)
        default: nil
        }
    }

    /// Returns a value as a `JSONValue`, which can be edited.
    package func value(_ index: Int) -> JSONValue {
        let word = TapeWord(bits: words[index])
        switch word.tag {
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .integer, .decimal:
            return .number(JSONNumber(validToken: String(decoding: token(index), as: UTF8.self)))
        case .string, .escapedString: return .string(string(index) ?? "")
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(word.payload)
            var at = index + 2
            let last = end(index)
            while at < last {
                elements.append(value(at))
                at = end(at)
            }
            return .array(elements)
        case .object:
            var object = JSONObject()
            var at = index + 2
            let last = end(index)
            while at < last {
                object.append(unique: String(decoding: name(at), as: UTF8.self), value(at + 1))
                at = end(at + 1)
            }
            return .object(object)
        case .null, .name, .elsewhere: return .null
        }
    }
}

extension JSONFragments {
    /// Returns the words that were read last, with their text.
    ///
    /// - Parameter text: The same text once more.
    package func words(_ text: UnsafeBufferPointer<UInt8>) -> TapeText {
        TapeText(words: tape, text: text, names: names)
    }
}
