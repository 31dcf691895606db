@testable import StrictJSON

/// What came of reading a text in pieces.
struct StreamOutcome {
    var value: JSONValue?
    var error: JSONError?
    /// What was thrown that is no `JSONError`.
    var other: (any Error)?
}

/// Reads a text in pieces, with its outer containers taken apart.
///
/// - Parameters:
///   - levels: How many levels of containers are taken apart; what is deeper is read as one value.
func streamOutcome(
    _ bytes: [UInt8],
    _ options: JSONParseOptions = JSONParseOptions(),
    piece: Int = .max,
    capacity: Int = 16,
    levels: Int = 2
) -> StreamOutcome {
    streamOutcome(JSONByteSource(bytes, piece: piece), options, capacity: capacity, levels: levels)
}

/// Reads a source, with the outer containers of its text taken apart.
func streamOutcome(
    _ source: JSONByteSource,
    _ options: JSONParseOptions = JSONParseOptions(),
    capacity: Int = 16,
    levels: Int = 2
) -> StreamOutcome {
    do {
        var reader = try JSONStreamReader(source, options: options, capacity: capacity)
        let value = try read(&reader, levels: levels)
        try reader.finish()
        return StreamOutcome(value: value)
    } catch let error as JSONError {
        return StreamOutcome(error: error)
    } catch {
        return StreamOutcome(other: error)
    }
}

private func read(_ reader: inout JSONStreamReader, levels: Int) throws -> JSONValue {
    let byte = try reader.peek()
    guard levels > 0, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else {
        try reader.readValue()
        var index = 0
        return taped(&index, reader)
    }
    try reader.open()
    var elements: [JSONValue] = []
    var object = JSONObject()
    while let (name, _) = try reader.next() {
        let name = name < 0 ? "" : reader.names.string(name)
        let value = try read(&reader, levels: levels - 1)
        if byte == UInt8(ascii: "{") { object[name] = value } else { elements.append(value) }
    }
    return byte == UInt8(ascii: "{") ? .object(object) : .array(elements)
}

/// The value at a word of a reader's tape.
private func taped(_ index: inout Int, _ reader: borrowing JSONStreamReader) -> JSONValue {
    let word = TapeWord(bits: reader.words[index])
    index += 1
    func text(_ start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: reader.text + start, count: word.payload)
    }
    switch word.tag {
    case .true: return true
    case .false: return false
    case .integer, .decimal: return JSONNumber.token(String(decoding: text(word.offset), as: UTF8.self))
    case .string: return .string(String(decoding: text(word.offset + 1), as: UTF8.self))
    case .escapedString: return .string(String(decoding: unescaped(text(word.offset + 1)), as: UTF8.self))
    case .array, .object:
        let end = Int(reader.words[index])
        index += 1
        var elements: [JSONValue] = []
        var object = JSONObject()
        while index < end {
            if word.tag == .array {
                elements.append(taped(&index, reader))
            } else {
                let name = reader.names.string(TapeWord(bits: reader.words[index]).payload)
                index += 1
                object[name] = taped(&index, reader)
            }
        }
        return word.tag == .array ? .array(elements) : .object(object)
    default: return .null
    }
}
