internal import CLibXML2

/// The set-up that is done once for the whole library.
enum LibXML {
    /// Sets the library up; the second time does nothing.
    static func prepare() { _ = prepared }

    private static let prepared: Void = {
        xmlInitParser()
        // Nothing that is read may name another file or an address, whatever way it finds.
        xmlSetExternalEntityLoader { _, _, _ in nil }
        // Otherwise the first schema would make these, and two threads at once would not.
        xmlSchemaInitTypes()
        _ = xmlRelaxNGInitTypes()
    }()

    /// Returns a message of the library as the middle of a sentence.
    static func message(_ error: UnsafePointer<xmlError>) -> String {
        let text = error.pointee.message.map { String(cString: $0) } ?? "nothing"
        let lines = text.split(whereSeparator: \.isNewline).joined(separator: ", ")
        // "XML declaration …" begins with no word of lower case.
        let isShort = lines.dropFirst().first?.isUppercase == true
        return (isShort ? String(lines.prefix(1)) : lines.prefix(1).lowercased()) + lines.dropFirst().prefix(300)
    }
}
