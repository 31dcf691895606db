package import StrictJSON

/// An error for a text that was not read or written as XML, with its position.
package struct XMLError: Error, Sendable, CustomStringConvertible {
    /// A stable error code; new codes may be added.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        package let description: String

        private init(_ description: String) { self.description = description }

        /// The input has no bytes, or only white space.
        package static let empty = Code("xml.empty")
        /// The input, or all of its rest, consists of NUL bytes.
        package static let nulFilled = Code("xml.nul-filled")
        /// The input ends before its root element does.
        package static let truncated = Code("xml.truncated")
        /// The input is, or says that it is, in another encoding than UTF-8.
        package static let encoding = Code("xml.encoding")
        /// Bytes that are not UTF-8.
        package static let invalidUTF8 = Code("xml.utf-8")
        /// A character that XML 1.0 cannot hold, also by its number.
        package static let character = Code("xml.character")
        /// A document type declaration, where none is read.
        package static let doctype = Code("xml.doctype")
        /// A reference to an entity that is not one of XML's own five.
        package static let entity = Code("xml.entity")
        /// An end tag that closes another element than the open one.
        package static let tag = Code("xml.tag")
        /// Two attributes of one element with the same name.
        package static let duplicateAttribute = Code("xml.duplicate-attribute")
        /// A prefix that stands for no namespace, or a declaration of one that may not be.
        package static let namespace = Code("xml.namespace")
        /// Anything else that is not well-formed.
        package static let syntax = Code("xml.syntax")
        /// Something after the end of the root element.
        package static let trailing = Code("xml.trailing")
        /// More nesting than the limit.
        package static let depth = Code("xml.depth")
        /// More bytes, attributes or elements than the limit.
        package static let size = Code("xml.size")
        /// The document is not what its schema asks for.
        package static let invalid = Code("xml.invalid")
        /// The schema itself is no RELAX NG.
        package static let schema = Code("xml.schema")
        /// The library could not be set up, or failed without saying why.
        package static let library = Code("xml.library")
        /// The caller used the writer in a way that gives no XML.
        package static let usage = Code("xml.usage")
    }

    /// The error code.
    package let code: Code
    /// The message: what was found and what was expected, in one sentence without a final full stop.
    package let message: String
    /// The position in a text that was read.
    package let position: TextPosition?

    package init(_ code: Code, _ message: String, at position: TextPosition? = nil) {
        self.code = code
        self.message = message
        self.position = position
    }

    /// Returns the error as the diagnostic that programs print.
    package func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(code: code.description, message: message, file: file, position: position)
    }

    /// The error as one line without a file.
    package var description: String { diagnostic(file: nil).description }
}
