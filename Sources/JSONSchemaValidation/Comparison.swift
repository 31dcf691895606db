internal import StrictJSON

/// Equality of values as JSON Schema means it: numbers by value, strings by code points, objects in any order.
struct Comparison {
    let text: UnsafePointer<UInt8>
    let words: UnsafeMutablePointer<UInt64>
    let names: NameView

    private func word(_ index: Int) -> TapeWord { TapeWord(bits: words[index]) }

    private func skip(_ index: Int) -> Int { word(index).isContainer ? Int(words[index + 1]) : index + 1 }

    /// Returns the value in a form whose equality is JSON Schema's.
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
            return .string(unescaped(raw))
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

    /// Returns the first pair of equal elements of an array.
    ///
    /// Elements are told apart by hashes of their text; only those with the same hash are compared.
    func firstDuplicate(in array: Int) -> (firstPosition: Int, second: Int)? {
        guard word(array).payload > 1 else { return nil }
        var seen: [Int: (position: Int, index: Int)] = [:]
        seen.reserveCapacity(word(array).payload)
        var others: [Int: [(position: Int, index: Int)]] = [:]
        var index = array + 2
        var position = 0
        while index < Int(words[array + 1]) {
            let hash = hash(index)
            if let first = seen[hash] {
                let same = ([first] + others[hash, default: []]).first { form($0.index) == form(index) }
                if let same { return (same.position, index) }
                others[hash, default: []].append((position, index))
            } else {
                seen[hash] = (position, index)
            }
            index = skip(index)
            position += 1
        }
        return nil
    }

    /// Returns a hash that is the same for equal values.
    private func hash(_ index: Int) -> Int {
        let word = word(index)
        var hasher = Hasher()
        switch word.tag {
        case .null, .name, .elsewhere, .true, .false: hasher.combine(word.tag)
        case .integer, .decimal:
            let number = DecimalNumber(token: UnsafeBufferPointer(start: text + word.offset, count: word.payload))
            hasher.combine(number)
        case .string:
            hasher.combine(bytes: UnsafeRawBufferPointer(start: text + word.offset + 1, count: word.payload))
        case .escapedString:
            let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
            unescaped(raw).withUnsafeBytes { hasher.combine(bytes: $0) }
        case .array:
            hasher.combine(word.payload)
            var element = index + 2
            while element < Int(words[index + 1]) {
                hasher.combine(hash(element))
                element = skip(element)
            }
        case .object:
            // A sum, for the members may come in any order.
            var sum = word.payload
            var member = index + 2
            while member < Int(words[index + 1]) {
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(names.bytes(self.word(member).payload)))
                hasher.combine(hash(member + 1))
                sum &+= hasher.finalize()
                member = skip(member + 1)
            }
            hasher.combine(sum)
        }
        return hasher.finalize()
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
    /// Returns the value at a word in a form whose equality is JSON Schema's.
    func comparableForm(at index: Int) -> ComparableForm {
        bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return .null }
            return Comparison(text: base, words: tape.words, names: names.view).form(index)
        }
    }
}
