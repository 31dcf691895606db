public import StrictJSON

/// An error for a schema that could not be compiled, with its place.
public struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A stable error code; new codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// A keyword's value is not of the kind that the draft asks for.
        public static let keyword = Code("schema.keyword")
        /// A reference leads to no schema that is known.
        public static let reference = Code("schema.unresolved-reference")
        /// A schema refers back to itself for the same value, so that checking would never end.
        public static let endless = Code("schema.endless-reference")
        /// A regular expression is not one of ECMA-262.
        public static let pattern = Code("schema.invalid-pattern")
        /// `$schema` names a dialect that is no draft from 4 on and is not registered.
        public static let dialect = Code("schema.unknown-dialect")
        /// A dialect requires a vocabulary that is not known.
        public static let vocabulary = Code("schema.unknown-vocabulary")
        /// Two schemas, or two anchors, with one identifier.
        public static let duplicateIdentifier = Code("schema.duplicate-identifier")
    }

    /// The error code.
    public let code: Code
    /// The message: what was found and what was expected.
    public let message: String
    /// The URI under which the schema document is registered.
    public let schema: String
    /// The place in that document.
    public let pointer: JSONPointer
    /// The place in that document's text.
    public let position: TextPosition?

    package init(code: Code, message: String, schema: String, pointer: JSONPointer, position: TextPosition?) {
        (self.code, self.message, self.schema, self.pointer, self.position) = (code, message, schema, pointer, position)
    }

    /// Returns the error as the diagnostic that programs print.
    public func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(code: code.description, message: message, file: file, position: position, pointer: pointer)
    }

    /// The error as one line, with the schema's URI for a file.
    public var description: String { diagnostic(file: schema).description }
}
