internal import StrictJSON

/// Equality of values as JSON Schema means it: numbers by value, strings by code points, objects in any order.
struct Comparison {
    let text: UnsafePointer<UInt8>
    let words: UnsafeMutablePointer<UInt64>
    let names: NameView

    private func word(_ index: Int) -> TapeWord { TapeWord(bits: words[index]) }

    private func skip(_ index: Int) -> Int { word(index).isContainer ? Int(words[index + 1]) : index + 1 }

    /// The value in a form whose equality is JSON Schema's.
    func form(_ index: Int) -> ComparableForm {
        let word = word(index)
        switch word.tag {
        case .null, .name, .elsewhere: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .integer, .decimal:
            let token = UnsafeBufferPointer(start: text + word.offset, count: word.payload)
            return DecimalNumber(token: token).map(ComparableForm.number) ?? .token(Array(token))
        case .string: return .string(Array(UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)))
        case .escapedString:
            let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
            return .string([UInt8](unsafeUninitializedCapacity: raw.count) { $1 = unescape(raw, into: $0) })
        case .array:
            var elements: [ComparableForm] = []
            var element = index + 2
            while element < Int(words[index + 1]) {
                elements.append(form(element))
                element = skip(element)
            }
            return .array(elements)
        case .object:
            var members: [[UInt8]: ComparableForm] = [:]
            var member = index + 2
            while member < Int(words[index + 1]) {
                members[Array(names.bytes(self.word(member).payload))] = form(member + 1)
                member = skip(member + 1)
            }
            return .object(members)
        }
    }

    /// Whether a value equals one of another document.
    func isEqual(_ index: Int, toNodeAt other: Int, of document: JSONDocument) -> Bool {
        let left = word(index)
        let right = TapeWord(bits: document.tape.words[other])
        // Unlike containers mostly differ in their number of elements.
        if left.isContainer, left.tagBit != right.tagBit || left.payload != right.payload { return false }
        return form(index) == document.comparableForm(at: other)
    }

    /// The first pair of equal elements of an array.
    func firstDuplicate(in array: Int) -> (firstPosition: Int, secondPosition: Int, second: Int)? {
        var seen: [ComparableForm: Int] = [:]
        var index = array + 2
        var position = 0
        while index < Int(words[array + 1]) {
            if let first = seen.updateValue(position, forKey: form(index)) { return (first, position, index) }
            index = skip(index)
            position += 1
        }
        return nil
    }
}

/// A value whose equality is JSON Schema's.
indirect enum ComparableForm: Hashable {
    case null
    case bool(Bool)
    case number(DecimalNumber)
    /// A number too large to be taken apart; equal only to itself.
    case token([UInt8])
    case string([UInt8])
    case array([ComparableForm])
    case object([[UInt8]: ComparableForm])
}

extension JSONDocument {
    /// The value at a word in a form whose equality is JSON Schema's.
    func comparableForm(at index: Int) -> ComparableForm {
        bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return .null }
            return Comparison(text: base, words: tape.words, names: names.view).form(index)
        }
    }
}
