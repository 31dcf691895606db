extension JSONNode {
    /// Decodes a value of a `Decodable` type.
    ///
    /// Numbers have to fit exactly: 1.5 is no `Int`, and 300 no `UInt8`. `null` and a missing member are both nil. Members that
    /// the type does not ask for are passed over.
    ///
    /// ```swift
    /// struct Rest: Decodable { let seconds: Int }
    /// let rest = try JSONDocument(parsing: #"{"seconds":60}"#).root.decode(Rest.self)
    /// ```
    ///
    /// - Throws: `DecodingError`, whose description names line, column and JSON Pointer; what the type itself throws.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: NodeDecoder(node: self, codingPath: []))
    }
}

extension JSONDocument {
    /// Reads a text from any sequence of bytes, such as Foundation's `Data`.
    ///
    /// - Throws: ``JSONError`` with the place.
    public convenience init(
        parsing bytes: some Sequence<UInt8>,
        options: JSONParseOptions = JSONParseOptions()
    ) throws(JSONError) {
        try self.init(parsing: Array(bytes), options: options)
    }
}

/// Decodes one value of a document.
private struct NodeDecoder: Decoder {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw mismatch([String: Any].self, "an object") }
        return KeyedDecodingContainer(KeyedNodes(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw mismatch([Any].self, "an array") }
        return ElementNodes(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decoder(of node: JSONNode, _ key: any CodingKey) -> NodeDecoder {
        NodeDecoder(node: node, codingPath: codingPath + [key])
    }

    func context(_ message: String) -> DecodingError.Context {
        let position = node.position
        let pointer = node.pointer.description
        let place = "line \(position.line), column \(position.column)\(pointer.isEmpty ? "" : ", \(pointer)")"
        return DecodingError.Context(codingPath: codingPath, debugDescription: "\(place): \(message)")
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        if node.isNull { return .valueNotFound(type, context("found null, expected \(expected)")) }
        return .typeMismatch(type, context("found \(node.value.text(.compact).prefix(60)), expected \(expected)"))
    }
}

extension NodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { node.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let value = node.bool else { throw mismatch(type, "true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard let value = node.string else { throw mismatch(type, "a text") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let value = node.number else { throw mismatch(type, "a number") }
        return value.double
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        guard let number = node.number, let value = number.int.flatMap(Value.init(exactly:)) ?? Value(number.token)
        else {
            throw mismatch(Value.self, "an integer from \(Value.min) to \(Value.max)")
        }
        return value
    }
}

/// The members of an object.
private struct KeyedNodes<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { decoder.node.members.compactMap { Key(stringValue: $0.name) } }

    private func found(_ key: Key) throws -> NodeDecoder {
        guard let node = decoder.node[key.stringValue] else {
            throw DecodingError.keyNotFound(key, decoder.context("the member \"\(key.stringValue)\" is missing"))
        }
        return decoder.decoder(of: node, key)
    }

    func contains(_ key: Key) -> Bool { decoder.node[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try found(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try Value(from: found(key)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try found(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try found(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try found(key) }
}

/// The elements of an array, one after the other.
private struct ElementNodes: UnkeyedDecodingContainer {
    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map(String.init) ?? "" }

        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    let decoder: NodeDecoder
    private var elements: JSONNode.Elements
    private var next: JSONNode?
    private(set) var currentIndex = 0

    init(decoder: NodeDecoder) {
        self.decoder = decoder
        elements = decoder.node.elements
        next = elements.next()
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.node.count }
    var isAtEnd: Bool { next == nil }

    private func found(_ type: Any.Type) throws -> NodeDecoder {
        guard let next else {
            throw DecodingError.valueNotFound(type, decoder.context("the array has only \(currentIndex) elements"))
        }
        return decoder.decoder(of: next, Index(intValue: currentIndex))
    }

    private mutating func advance() {
        next = elements.next()
        currentIndex += 1
    }

    mutating func decodeNil() throws -> Bool {
        guard try found(Any?.self).decodeNil() else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: found(type))
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try found([String: Any].self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try found([Any].self).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let found = try found((any Decoder).self)
        advance()
        return found
    }
}
