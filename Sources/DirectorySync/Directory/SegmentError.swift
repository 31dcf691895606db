/// Why a segment or a checkpoint that arrived whole cannot be used.
package struct SegmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Code: Sendable, Hashable {
        /// It breaks the rules of its format.
        case corrupt
        /// It was written for readers of a newer version; the header where it could be understood.
        case tooNew(minimumReader: Int, header: SegmentHeader?)
        /// It has a flag that this program does not know, such as that it is encrypted.
        case unknownFlag(String, header: SegmentHeader?)
    }

    /// What is wrong.
    package let code: Code
    /// The line, from 1; 0 where it concerns no line, but how it is compressed.
    package let line: Int
    /// What was found and what was expected, in one sentence without a final full stop.
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
