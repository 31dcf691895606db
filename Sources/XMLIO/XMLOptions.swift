/// Limits and leniencies for reading; without any, as strict as can be.
package struct XMLOptions: Sendable, Hashable {
    /// The ways to handle a document type declaration.
    ///
    /// None is ever read: no entity is declared, no file or address opened.
    package enum DocumentType: Sendable, Hashable {
        /// It is an error.
        case refused
        /// It is passed over, well-formed or not: up to `>` or, where it has a `[`, up to the first `]` that `>` follows.
        case skipped
    }

    /// The way to handle a document type declaration; refused by default.
    package var documentType = DocumentType.refused
    /// True if a control character that XML cannot hold becomes a space, and is counted, instead of being an error.
    package var replacesControlCharacters = false

    /// The deepest nesting of elements; 128 unless told, and at most 256, which is the library's.
    package var depth = 128
    /// The most bytes of a name, with the white space around it; 1,000 unless told.
    package var nameBytes = 1000
    /// The most attributes of an element, namespaces included; 1,000 unless told.
    ///
    /// The library compares each with each.
    package var attributeCount = 1000
    /// The most bytes of a start tag with all its attributes; 1 MiB unless told.
    package var tagBytes = 1 << 20
    /// The most bytes of a text without markup in it, of a CDATA section, comment or instruction; 8 MiB unless told.
    package var textBytes = 1 << 23
    /// The most bytes of a document type declaration that is passed over; 1 MiB unless told.
    package var documentTypeBytes = 1 << 20
    /// The most bytes of the text; no limit unless told.
    package var totalBytes = Int.max

    package init() {}
}
