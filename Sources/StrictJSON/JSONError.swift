/// An error for a text that is not valid JSON, with its position.
public struct JSONError: Error, Sendable, CustomStringConvertible {
    /// A stable error code; new codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The input has no bytes, or only white space.
        public static let empty = Code("json.empty")
        /// The input, or all of its rest, consists of NUL bytes.
        public static let nulFilled = Code("json.nul-filled")
        /// The input ends inside a value.
        public static let truncated = Code("json.truncated")
        /// The input is UTF-16 or UTF-32.
        public static let encoding = Code("json.encoding")
        /// Bytes that are not UTF-8.
        public static let invalidUTF8 = Code("json.utf-8")
        /// A character that cannot stand where it does.
        public static let syntax = Code("json.syntax")
        /// Something after the end of the document.
        public static let trailing = Code("json.trailing")
        /// A control character inside a string.
        public static let controlCharacter = Code("json.control-character")
        /// A backslash that begins no escape of JSON's.
        public static let escape = Code("json.escape")
        /// An escaped surrogate without its other half.
        public static let loneSurrogate = Code("json.lone-surrogate")
        /// A token that begins like a number and is none, `NaN` and `Infinity` among them.
        public static let number = Code("json.number")
        /// A number that a double cannot hold, such as `1e400`.
        public static let numberRange = Code("json.number-range")
        /// Two members of one object with the same name.
        public static let duplicateName = Code("json.duplicate-name")
        /// More nesting than the limit.
        public static let depth = Code("json.depth")
        /// More bytes, or a longer string or array, than the limit.
        public static let size = Code("json.size")
    }

    /// The error code.
    public let code: Code
    /// The message: what was found and what was expected.
    public let message: String
    /// The position in the text.
    public let position: TextPosition
    /// The value that was being read: in an array the element that should come, in an object between two members the
    /// object.
    public let pointer: JSONPointer

    /// Returns the error as the diagnostic that programs print.
    public func diagnostic(file: String?) -> Diagnostic {
        Diagnostic(code: code.description, message: message, file: file, position: position, pointer: pointer)
    }

    /// The error as one line without a file.
    public var description: String { diagnostic(file: nil).description }
}

/// Limits and leniencies for reading.
public struct JSONParseOptions: Sendable {
    /// The largest nesting of arrays and objects; 128 unless told, and at most 1024, for values are taken apart and
    /// written by functions that call themselves.
    public var maximumDepth = 128
    /// The largest input in bytes; at most, and unless told, 4 GiB - 1.
    public var maximumByteCount = Int(UInt32.max)
    /// About the most values and names that are kept at once, 8 bytes each: 40 million unless told.
    ///
    /// 600 MB of an export have as many. An array or an object counts twice, and a tenth of the text's bytes is always allowed.
    public var maximumValueCount = 40_000_000
    /// True if an object may have several members of one name, which RFC 8259 discourages but allows.
    ///
    /// Looking up such a name finds the last one.
    public var allowsDuplicateNames = false
    /// True if numbers are accepted that a double cannot hold, such as `1e400`.
    public var allowsNumbersBeyondDouble = false
    /// The number of the line that the text is of its file, as in JSON Lines; nil where the text is the whole file.
    package var line: Int?

    /// Makes the strict options that every format of the toolkit uses.
    public init() {}

    /// All that RFC 8259's grammar allows, but for unpaired surrogates, which no Unicode text can hold.
    public static var rfc8259: JSONParseOptions {
        var options = JSONParseOptions()
        options.allowsDuplicateNames = true
        options.allowsNumbersBeyondDouble = true
        return options
    }
}

extension JSONParseOptions {
    /// The nesting that is accepted.
    var depthLimit: Int { min(maximumDepth, 1024) }
    /// The size that is accepted; a word of the tape has 32 bits for an offset.
    var byteLimit: Int { min(maximumByteCount, Int(UInt32.max)) }
}
