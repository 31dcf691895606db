/// A place in a text: byte offset, and line and column for people.
public struct TextPosition: Sendable, Hashable, Comparable {
    /// Bytes from the start of the file, from 0 (a byte order mark counts).
    public let offset: Int
    /// The line, from 1; lines end with LF.
    public let line: Int
    /// The column, from 1, in Unicode code points.
    public let column: Int

    /// Makes a place in a text.
    public init(offset: Int, line: Int, column: Int) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// Tells whether one place comes before another.
    public static func < (left: TextPosition, right: TextPosition) -> Bool { left.offset < right.offset }
}

/// One finding about a file, in the form that every program of the toolkit prints:
/// `file:line:column: error[CODE]: message (at /json/pointer)`.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The input is not used.
        case error
        /// The input is used, but somebody should look.
        case warning
        /// Something worth knowing.
        case note
    }

    /// The severity of the diagnostic.
    public var severity: Severity
    /// The stable code, as listed in docs/diagnostics.md, for example `json.duplicate-name`.
    public var code: String
    /// The message: what was found and what was expected, in one sentence without a final full stop.
    public var message: String
    /// The file as the person named it.
    public var file: String?
    /// The position in the file, if known.
    public var position: TextPosition?
    /// The place in the document, if known.
    public var pointer: JSONPointer?

    /// Makes a diagnostic.
    public init(
        _ severity: Severity = .error,
        code: String,
        message: String,
        file: String? = nil,
        position: TextPosition? = nil,
        pointer: JSONPointer? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.file = file
        self.position = position
        self.pointer = pointer
    }

    /// The finding as one line.
    public var description: String {
        var place = file.map { $0 + ":" } ?? ""
        if let position { place += "\(position.line):\(position.column):" }
        let pointer = pointer.map { $0.tokens.isEmpty ? " (at the top level)" : " (at \($0))" } ?? ""
        return "\(place.isEmpty ? "" : place + " ")\(severity)[\(code)]: \(message)\(pointer)"
    }
}
