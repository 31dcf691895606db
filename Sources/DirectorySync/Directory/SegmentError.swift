/// The error for a complete segment or checkpoint that cannot be used.
package struct SegmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error.
    package enum Code: Sendable, Hashable {
        /// The file breaks the rules of its format.
        case corrupt
        /// The file needs a newer reader; the header is there where it could be read.
        case tooNew(minimumReader: Int, header: SegmentHeader?)
        /// The file has an unknown flag, such as that of encryption.
        case unknownFlag(String, header: SegmentHeader?)
    }

    /// The kind of the error.
    package let code: Code
    /// The line, from 1; 0 for an error of the compression.
    package let line: Int
    /// A sentence that says what the reader found and expected, without a final full stop.
    package let message: String

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    static func corrupt(_ line: Int, _ message: String) -> SegmentError { SegmentError(.corrupt, line: line, message) }

    /// The stable text of the code, as listed in docs/diagnostics.md.
    package var identifier: String {
        switch code {
        case .corrupt: "segment.corrupt"
        case .tooNew: "segment.too-new"
        case .unknownFlag: "segment.unknown-flag"
        }
    }

    /// The error as one line.
    package var description: String {
        "error[\(identifier)]: " + (line > 0 ? "line \(line): \(message)" : message)
    }
}
