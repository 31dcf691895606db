package import StrictJSON

/// Receives the parts of a text while it is read.
///
/// All that is handed over lies in the parser's memory, and is there until the function returns. An error that is
/// thrown ends the reading.
package protocol XMLHandler: AnyObject {
    /// Receives the start of an element.
    func start(_ element: borrowing XMLElementStart) throws
    /// Receives the end of the last element that began and did not end.
    func end(_ name: XMLName) throws
    /// Receives a piece of text in UTF-8; one text may come in several pieces.
    func text(_ bytes: UnsafeBufferPointer<UInt8>) throws
}

extension XMLHandler {
    package func end(_ name: XMLName) throws {}
    package func text(_ bytes: UnsafeBufferPointer<UInt8>) throws {}
}

/// A name, prefix or namespace, of which a reader has one copy: two of one reader are equal where their addresses are.
///
/// It is good for as long as its reader.
package struct XMLName: Equatable, CustomStringConvertible {
    let bytes: UnsafePointer<UInt8>

    /// The name as a string.
    package var description: String { String(cString: bytes) }
}

/// The start of an element, with its attributes.
package struct XMLElementStart: ~Copyable {
    /// The name without its prefix.
    package let name: XMLName
    /// The namespace that the prefix, or its absence, stands for.
    package let namespace: XMLName?
    /// The position of its `<`.
    package let position: TextPosition
    /// The number of attributes, declarations of namespaces not counted.
    package let attributeCount: Int
    /// Five pointers for each: name, prefix, namespace, start and end of the value.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// Returns an attribute, with its references replaced.
    ///
    /// - Parameter index: From 0, in the order of the text.
    package func attribute(_ index: Int) -> (name: XMLName, namespace: XMLName?, value: UnsafeBufferPointer<UInt8>)? {
        guard let attributes, (0..<attributeCount).contains(index), let name = attributes[5 * index] else { return nil }
        return (XMLName(bytes: name), attributes[5 * index + 2].map(XMLName.init), value(attributes, index))
    }

    /// Returns the prefix of an attribute, nil where it has none.
    func prefix(_ index: Int) -> XMLName? {
        guard let attributes, (0..<attributeCount).contains(index) else { return nil }
        return attributes[5 * index + 1].map(XMLName.init)
    }

    /// Returns the value of the attribute of that name and no namespace.
    package func value(_ name: XMLName) -> UnsafeBufferPointer<UInt8>? {
        guard let attributes else { return nil }
        for index in 0..<attributeCount where attributes[5 * index] == name.bytes && attributes[5 * index + 1] == nil {
            return value(attributes, index)
        }
        return nil
    }

    /// Returns the value of the attribute of that name and no namespace, as a string.
    package func string(_ name: XMLName) -> String? { value(name).map { String(decoding: $0, as: UTF8.self) } }

    private func value(
        _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>,
        _ index: Int
    ) -> UnsafeBufferPointer<UInt8> {
        guard let start = attributes[5 * index + 3], let end = attributes[5 * index + 4] else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: start, count: end - start)
    }
}
