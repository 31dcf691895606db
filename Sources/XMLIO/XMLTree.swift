package import StrictJSON

/// An element of a small document, with all that is in it.
package struct XMLElement: Sendable {
    /// The name without its prefix.
    package var name: String
    /// The namespace, where it has one.
    package var namespace: String?
    /// The attributes in the order of the text, their names with the prefix, where they have one.
    package var attributes: [(name: String, value: String)]
    /// The elements in it.
    package var children: [XMLElement]
    /// All text that is in it but not in its children.
    package var text: String
    /// The position of its `<`.
    package let position: TextPosition

    /// Returns the value of an attribute.
    package func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// Returns the first child of that name.
    package func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Reads a document that is small enough to be held as a whole.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - options: As for ``XMLReader``; the text may have 16 MiB where they do not say otherwise.
    ///   - elementCount: The most elements; 100,000 unless told.
    package static func parse(
        _ bytes: [UInt8],
        _ options: XMLOptions = XMLOptions(),
        elementCount: Int = 100_000
    ) throws(XMLError) -> XMLElement {
        var options = options
        options.totalBytes = min(options.totalBytes, 1 << 24)
        let builder = TreeBuilder(elementCount: elementCount)
        do {
            try XMLReader(options).read(bytes, into: builder)
        } catch let error as XMLError {
            throw error
        } catch {
            throw XMLError(.library, "\(error)")
        }
        guard let root = builder.root else { throw XMLError(.library, "libxml2 found no element") }
        return root
    }
}

/// Puts elements together.
private final class TreeBuilder: XMLHandler {
    private(set) var root: XMLElement?
    private var open: [XMLElement] = []
    /// The text of each open element.
    private var texts: [[UInt8]] = []
    private var room: Int

    init(elementCount: Int) { room = elementCount }

    func start(_ element: borrowing XMLElementStart) throws {
        room -= 1
        guard room >= 0 else {
            throw XMLError(.size, "the text has more elements than are read of such a file", at: element.position)
        }
        let attributes = (0..<element.attributeCount).compactMap { index in
            element.attribute(index).map { attribute in
                let prefix = element.prefix(index).map { "\($0):" } ?? ""
                return (name: prefix + "\(attribute.name)", value: String(decoding: attribute.value, as: UTF8.self))
            }
        }
        open.append(
            XMLElement(
                name: "\(element.name)",
                namespace: element.namespace?.description,
                attributes: attributes,
                children: [],
                text: "",
                position: element.position
            )
        )
        texts.append([])
    }

    func end(_ name: XMLName) {
        guard var element = open.popLast(), let text = texts.popLast() else { return }
        element.text = String(decoding: text, as: UTF8.self)
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !texts.isEmpty else { return }
        texts[texts.count - 1].append(contentsOf: bytes)
    }
}
