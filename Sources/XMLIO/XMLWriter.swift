/// Writes XML: the same calls, the same bytes.
///
/// UTF-8 with a declaration, LF, two spaces for each level, attributes in the order they are given and in double quotes; an
/// element is on one line with its text. The text is handed out piece by piece, so that it may have any length.
///
/// ```swift
/// var writer = try XMLWriter { output += $0 }
/// try writer.start("workout_file")
/// try writer.element("name", text: name)
/// try writer.end()
/// try writer.finish()
/// ```
package struct XMLWriter {
    private let sink: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []
    /// The elements that are open.
    private var open: [Element] = []
    private var hasRoot = false

    private struct Element {
        let name: String
        /// True if the start tag still lacks its end.
        var isTagOpen = true
        var hasText = false
    }

    /// Begins a document with its declaration.
    ///
    /// - Parameter sink: Gets the bytes, some 64 KiB at a time; what it throws is thrown by the call that filled them.
    package init(_ sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
        buffer = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    }

    /// Returns the first character of a text that XML 1.0 cannot hold; nil where there is none.
    ///
    /// These are the control characters but for tab, LF and CR, and U+FFFE and U+FFFF.
    package static func unwritable(in text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first {
            $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) || $0.value == 0xFFFE || $0.value == 0xFFFF
        }
    }

    /// Begins an element.
    ///
    /// - Throws: `xml.character` where a value has a character that XML cannot hold, `xml.usage` where the name is none or
    ///   another root is open.
    package mutating func start(_ name: String, _ attributes: [(name: String, value: String)] = []) throws {
        guard !open.isEmpty || !hasRoot else { throw XMLError(.usage, "a document has one root element") }
        guard ([name] + attributes.map(\.name)).allSatisfy(Self.isName) else {
            throw XMLError(.usage, "\"\(name)\" or the name of an attribute of it is no name")
        }
        for attribute in attributes { try check(attribute.value) }
        try endTag()
        if let parent = open.last, !parent.hasText { indent() }
        hasRoot = true
        buffer += "<\(name)".utf8
        for attribute in attributes {
            buffer += " \(attribute.name)=\"".utf8
            append(attribute.value, isAttribute: true)
            buffer.append(UInt8(ascii: "\""))
        }
        open.append(Element(name: name))
        try drain(over: 1 << 16)
    }

    /// Adds text to the element that is open; what follows in it is not indented.
    package mutating func text(_ text: String) throws {
        guard !open.isEmpty else { throw XMLError(.usage, "text outside of the root element") }
        guard !text.isEmpty else { return }
        try check(text)
        try endTag()
        open[open.count - 1].hasText = true
        append(text, isAttribute: false)
        try drain(over: 1 << 16)
    }

    /// Ends the element that began last.
    package mutating func end() throws {
        guard let element = open.popLast() else { throw XMLError(.usage, "no element is open") }
        if element.isTagOpen {
            buffer += "/>".utf8
        } else {
            if !element.hasText { indent() }
            buffer += "</\(element.name)>".utf8
        }
        if open.isEmpty { buffer.append(UInt8(ascii: "\n")) }
        try drain(over: 1 << 16)
    }

    /// Writes an element with text in it, or nothing.
    package mutating func element(
        _ name: String,
        _ attributes: [(name: String, value: String)] = [],
        text: String = ""
    ) throws {
        try start(name, attributes)
        try self.text(text)
        try end()
    }

    /// Hands out what is left.
    package mutating func finish() throws {
        guard open.isEmpty, hasRoot else { throw XMLError(.usage, "the document is not complete") }
        try drain(over: 0)
    }

    private mutating func endTag() throws {
        guard open.last?.isTagOpen == true else { return }
        open[open.count - 1].isTagOpen = false
        buffer.append(UInt8(ascii: ">"))
    }

    private mutating func indent() {
        buffer.append(UInt8(ascii: "\n"))
        buffer.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * open.count))
    }

    private mutating func append(_ text: String, isAttribute: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): buffer += "&amp;".utf8
            case UInt8(ascii: "<"): buffer += "&lt;".utf8
            case UInt8(ascii: ">"): buffer += "&gt;".utf8
            // A reader would turn these into others.
            case UInt8(ascii: "\r"): buffer += "&#13;".utf8
            case UInt8(ascii: "\"") where isAttribute: buffer += "&quot;".utf8
            case UInt8(ascii: "\t") where isAttribute: buffer += "&#9;".utf8
            case UInt8(ascii: "\n") where isAttribute: buffer += "&#10;".utf8
            default: buffer.append(byte)
            }
        }
    }

    private func check(_ text: String) throws(XMLError) {
        guard let character = Self.unwritable(in: text) else { return }
        let code = String(character.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        throw XMLError(.character, "the character \(name), which XML cannot hold")
    }

    /// Tells whether a name is ASCII with at most one colon, as all names of the formats are.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                part.first.map { !"-.0123456789".contains($0) } == true
                    && part.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || "-._0123456789".utf8.contains($0) }
            }
    }

    private mutating func drain(over count: Int) throws {
        guard buffer.count > count else { return }
        try sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
